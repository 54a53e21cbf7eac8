push rbx
push rbp
mov rax,rdi
mov rcx,[rax+68h]
cmp rcx,0
je near 000000000000003Ch
mov rcx,[rax+10h]
mov rdx,[rax+38h]
vmovups zmm0,[rcx]
vmovups zmm1,[rcx+40h]
vmovups zmm2,[rcx+rdx]
vmovups zmm3,[rcx+rdx+40h]
jmp 000000000000007Ah
mov rdx,[rax+48h]
cmp rdx,41h
jb near 0000000000000062h
mov rdx,[rax+10h]
mov rcx,[rax+38h]
prefetcht1 [rdx]
prefetcht1 [rdx+40h]
prefetcht1 [rdx+rcx]
prefetcht1 [rdx+rcx+40h]
vpxord xmm0,xmm0,xmm0
vpxord xmm1,xmm1,xmm1
vpxord xmm2,xmm2,xmm2
vpxord xmm3,xmm3,xmm3
mov rcx,[rax+70h]
mov rdx,[rax+50h]
mov rsi,[rax+58h]
cmp rdx,0
je near 0000000000000211h
mov r8,[rsi]
add r8,[rax]
mov r9,[rsi+8]
add r9,[rax+8]
mov r10,[rax+30h]
lea r11,[r10+r10*2]
mov rdi,[rax+28h]
lea rbx,[rdi+rdi*2]
mov rbp,[rax+48h]
cmp rbp,4
jb near 00000000000001B5h
nop dword [rax]
vmovups zmm4,[r9]
vmovups zmm5,[r9+40h]
vbroadcastss zmm6,[r8]
vfmadd231ps zmm0,zmm4,zmm6
vfmadd231ps zmm1,zmm5,zmm6
vbroadcastss zmm6,[r8+4]
vfmadd231ps zmm2,zmm4,zmm6
vfmadd231ps zmm3,zmm5,zmm6
vmovups zmm4,[r9+r10]
vmovups zmm5,[r9+r10+40h]
vbroadcastss zmm6,[r8+rdi]
vfmadd231ps zmm0,zmm4,zmm6
vfmadd231ps zmm1,zmm5,zmm6
vbroadcastss zmm6,[r8+rdi+4]
vfmadd231ps zmm2,zmm4,zmm6
vfmadd231ps zmm3,zmm5,zmm6
vmovups zmm4,[r9+r10*2]
vmovups zmm5,[r9+r10*2+40h]
vbroadcastss zmm6,[r8+rdi*2]
vfmadd231ps zmm0,zmm4,zmm6
vfmadd231ps zmm1,zmm5,zmm6
vbroadcastss zmm6,[r8+rdi*2+4]
vfmadd231ps zmm2,zmm4,zmm6
vfmadd231ps zmm3,zmm5,zmm6
vmovups zmm4,[r9+r11]
vmovups zmm5,[r9+r11+40h]
vbroadcastss zmm6,[r8+rbx]
vfmadd231ps zmm0,zmm4,zmm6
vfmadd231ps zmm1,zmm5,zmm6
vbroadcastss zmm6,[r8+rbx+4]
vfmadd231ps zmm2,zmm4,zmm6
vfmadd231ps zmm3,zmm5,zmm6
lea r8,[r8+rdi*4]
lea r9,[r9+r10*4]
prefetcht1 [rcx]
prefetcht1 [rcx+40h]
add rcx,[rax+78h]
add rbp,0FFFFFFFFFFFFFFFCh
cmp rbp,4
jae near 00000000000000C0h
cmp rbp,0
je near 0000000000000203h
vmovups zmm4,[r9]
vmovups zmm5,[r9+40h]
vbroadcastss zmm6,[r8]
vfmadd231ps zmm0,zmm4,zmm6
vfmadd231ps zmm1,zmm5,zmm6
vbroadcastss zmm6,[r8+4]
vfmadd231ps zmm2,zmm4,zmm6
vfmadd231ps zmm3,zmm5,zmm6
lea r8,[r8+rdi]
lea r9,[r9+r10]
add rbp,0FFFFFFFFFFFFFFFFh
jne near 00000000000001BFh
add rsi,10h
add rdx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000090h
mov rbp,[rax+10h]
mov rax,[rax+38h]
vmovups [rbp],zmm0
vmovups [rbp+40h],zmm1
vmovups [rbp+rax],zmm2
vmovups [rbp+rax+40h],zmm3
vzeroupper
pop rbp
pop rbx
ret
