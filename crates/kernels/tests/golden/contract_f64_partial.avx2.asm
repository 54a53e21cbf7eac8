push rbx
mov rax,rdi
mov rcx,[rax+60h]
mov rdx,0
sub rdx,rcx
lea rcx,[rel 0]
vmovups ymm0,[rcx+rdx*8+20h]
mov rcx,[rax+68h]
cmp rcx,0
je near 000000000000009Ch
mov rcx,[rax+10h]
mov rdx,[rax+38h]
vmovups ymm1,[rcx]
vmaskmovpd ymm2,ymm0,[rcx+20h]
vmovups ymm3,[rcx+rdx]
vmaskmovpd ymm4,ymm0,[rcx+rdx+20h]
vmovups ymm5,[rcx+rdx*2]
vmaskmovpd ymm6,ymm0,[rcx+rdx*2+20h]
jmp 00000000000000E3h
mov rdx,[rax+48h]
cmp rdx,41h
jb near 00000000000000CBh
mov rdx,[rax+10h]
mov rcx,[rax+38h]
prefetcht1 [rdx]
prefetcht1 [rdx+20h]
prefetcht1 [rdx+rcx]
prefetcht1 [rdx+rcx+20h]
prefetcht1 [rdx+rcx*2]
prefetcht1 [rdx+rcx*2+20h]
vpxor xmm1,xmm1,xmm1
vpxor xmm2,xmm2,xmm2
vpxor xmm3,xmm3,xmm3
vpxor xmm4,xmm4,xmm4
vpxor xmm5,xmm5,xmm5
vpxor xmm6,xmm6,xmm6
mov rcx,[rax+70h]
mov rdx,[rax+50h]
mov rsi,[rax+58h]
cmp rdx,0
je near 00000000000002BCh
mov r8,[rsi]
add r8,[rax]
mov r9,[rsi+8]
add r9,[rax+8]
mov r10,[rax+30h]
lea r11,[r10+r10*2]
mov rdi,[rax+18h]
mov rbx,[rax+48h]
cmp rbx,4
jb near 0000000000000258h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop dword [rax]
vmovups ymm7,[r9]
vmaskmovpd ymm8,ymm0,[r9+20h]
vbroadcastsd ymm9,[r8]
vfmadd231pd ymm1,ymm7,ymm9
vfmadd231pd ymm2,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi]
vfmadd231pd ymm3,ymm7,ymm9
vfmadd231pd ymm4,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi*2]
vfmadd231pd ymm5,ymm7,ymm9
vfmadd231pd ymm6,ymm8,ymm9
vmovups ymm7,[r9+r10]
vmaskmovpd ymm8,ymm0,[r9+r10+20h]
vbroadcastsd ymm9,[r8+8]
vfmadd231pd ymm1,ymm7,ymm9
vfmadd231pd ymm2,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi+8]
vfmadd231pd ymm3,ymm7,ymm9
vfmadd231pd ymm4,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi*2+8]
vfmadd231pd ymm5,ymm7,ymm9
vfmadd231pd ymm6,ymm8,ymm9
vmovups ymm7,[r9+r10*2]
vmaskmovpd ymm8,ymm0,[r9+r10*2+20h]
vbroadcastsd ymm9,[r8+10h]
vfmadd231pd ymm1,ymm7,ymm9
vfmadd231pd ymm2,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi+10h]
vfmadd231pd ymm3,ymm7,ymm9
vfmadd231pd ymm4,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi*2+10h]
vfmadd231pd ymm5,ymm7,ymm9
vfmadd231pd ymm6,ymm8,ymm9
vmovups ymm7,[r9+r11]
vmaskmovpd ymm8,ymm0,[r9+r11+20h]
vbroadcastsd ymm9,[r8+18h]
vfmadd231pd ymm1,ymm7,ymm9
vfmadd231pd ymm2,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi+18h]
vfmadd231pd ymm3,ymm7,ymm9
vfmadd231pd ymm4,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi*2+18h]
vfmadd231pd ymm5,ymm7,ymm9
vfmadd231pd ymm6,ymm8,ymm9
add r8,20h
lea r9,[r9+r10*4]
prefetcht1 [rcx]
prefetcht1 [rcx+40h]
add rcx,[rax+78h]
add rbx,0FFFFFFFFFFFFFFFCh
cmp rbx,4
jae near 0000000000000140h
cmp rbx,0
je near 00000000000002AEh
vmovups ymm7,[r9]
vmaskmovpd ymm8,ymm0,[r9+20h]
vbroadcastsd ymm9,[r8]
vfmadd231pd ymm1,ymm7,ymm9
vfmadd231pd ymm2,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi]
vfmadd231pd ymm3,ymm7,ymm9
vfmadd231pd ymm4,ymm8,ymm9
vbroadcastsd ymm9,[r8+rdi*2]
vfmadd231pd ymm5,ymm7,ymm9
vfmadd231pd ymm6,ymm8,ymm9
add r8,8
lea r9,[r9+r10]
add rbx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000262h
add rsi,10h
add rdx,0FFFFFFFFFFFFFFFFh
jne near 00000000000000F9h
mov rbx,[rax+10h]
mov rax,[rax+38h]
vmovups [rbx],ymm1
vmaskmovpd [rbx+20h],ymm0,ymm2
vmovups [rbx+rax],ymm3
vmaskmovpd [rbx+rax+20h],ymm0,ymm4
vmovups [rbx+rax*2],ymm5
vmaskmovpd [rbx+rax*2+20h],ymm0,ymm6
vzeroupper
pop rbx
ret
