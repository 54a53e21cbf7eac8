push rbx
mov rax,rdi
mov rcx,[rax+68h]
cmp rcx,0
je near 000000000000003Eh
mov rcx,[rax+10h]
mov rdx,[rax+38h]
vmovups ymm0,[rcx]
vmovups ymm1,[rcx+20h]
vmovups ymm2,[rcx+rdx]
vmovups ymm3,[rcx+rdx+20h]
vmovups ymm4,[rcx+rdx*2]
vmovups ymm5,[rcx+rdx*2+20h]
jmp 0000000000000085h
mov rdx,[rax+48h]
cmp rdx,41h
jb near 000000000000006Dh
mov rdx,[rax+10h]
mov rcx,[rax+38h]
prefetcht1 [rdx]
prefetcht1 [rdx+20h]
prefetcht1 [rdx+rcx]
prefetcht1 [rdx+rcx+20h]
prefetcht1 [rdx+rcx*2]
prefetcht1 [rdx+rcx*2+20h]
vpxor xmm0,xmm0,xmm0
vpxor xmm1,xmm1,xmm1
vpxor xmm2,xmm2,xmm2
vpxor xmm3,xmm3,xmm3
vpxor xmm4,xmm4,xmm4
vpxor xmm5,xmm5,xmm5
mov rcx,[rax+70h]
mov rdx,[rax+50h]
mov rsi,[rax+58h]
cmp rdx,0
je near 000000000000027Ch
mov r8,[rsi]
add r8,[rax]
mov r9,[rsi+8]
add r9,[rax+8]
mov r10,[rax+30h]
lea r11,[r10+r10*2]
mov rdi,[rax+18h]
mov rbx,[rax+48h]
cmp rbx,4
jb near 0000000000000218h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop dword [rax]
vmovups ymm6,[r9]
vmovups ymm7,[r9+20h]
vbroadcastss ymm8,[r8]
vfmadd231ps ymm0,ymm6,ymm8
vfmadd231ps ymm1,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi]
vfmadd231ps ymm2,ymm6,ymm8
vfmadd231ps ymm3,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi*2]
vfmadd231ps ymm4,ymm6,ymm8
vfmadd231ps ymm5,ymm7,ymm8
vmovups ymm6,[r9+r10]
vmovups ymm7,[r9+r10+20h]
vbroadcastss ymm8,[r8+4]
vfmadd231ps ymm0,ymm6,ymm8
vfmadd231ps ymm1,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi+4]
vfmadd231ps ymm2,ymm6,ymm8
vfmadd231ps ymm3,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi*2+4]
vfmadd231ps ymm4,ymm6,ymm8
vfmadd231ps ymm5,ymm7,ymm8
vmovups ymm6,[r9+r10*2]
vmovups ymm7,[r9+r10*2+20h]
vbroadcastss ymm8,[r8+8]
vfmadd231ps ymm0,ymm6,ymm8
vfmadd231ps ymm1,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi+8]
vfmadd231ps ymm2,ymm6,ymm8
vfmadd231ps ymm3,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi*2+8]
vfmadd231ps ymm4,ymm6,ymm8
vfmadd231ps ymm5,ymm7,ymm8
vmovups ymm6,[r9+r11]
vmovups ymm7,[r9+r11+20h]
vbroadcastss ymm8,[r8+0Ch]
vfmadd231ps ymm0,ymm6,ymm8
vfmadd231ps ymm1,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi+0Ch]
vfmadd231ps ymm2,ymm6,ymm8
vfmadd231ps ymm3,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi*2+0Ch]
vfmadd231ps ymm4,ymm6,ymm8
vfmadd231ps ymm5,ymm7,ymm8
add r8,10h
lea r9,[r9+r10*4]
prefetcht1 [rcx]
prefetcht1 [rcx+40h]
add rcx,[rax+78h]
add rbx,0FFFFFFFFFFFFFFFCh
cmp rbx,4
jae near 0000000000000100h
cmp rbx,0
je near 000000000000026Eh
vmovups ymm6,[r9]
vmovups ymm7,[r9+20h]
vbroadcastss ymm8,[r8]
vfmadd231ps ymm0,ymm6,ymm8
vfmadd231ps ymm1,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi]
vfmadd231ps ymm2,ymm6,ymm8
vfmadd231ps ymm3,ymm7,ymm8
vbroadcastss ymm8,[r8+rdi*2]
vfmadd231ps ymm4,ymm6,ymm8
vfmadd231ps ymm5,ymm7,ymm8
add r8,4
lea r9,[r9+r10]
add rbx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000222h
add rsi,10h
add rdx,0FFFFFFFFFFFFFFFFh
jne near 000000000000009Bh
mov rbx,[rax+10h]
mov rax,[rax+38h]
vmovups [rbx],ymm0
vmovups [rbx+20h],ymm1
vmovups [rbx+rax],ymm2
vmovups [rbx+rax+20h],ymm3
vmovups [rbx+rax*2],ymm4
vmovups [rbx+rax*2+20h],ymm5
vzeroupper
pop rbx
ret
