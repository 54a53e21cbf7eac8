push rbx
push rbp
mov rax,rdi
mov rcx,[rax+68h]
cmp rcx,0
je near 0000000000000034h
mov rcx,[rax+10h]
mov rdx,[rax+38h]
vmovups ymm0,[rcx]
vmovups ymm1,[rcx+20h]
vmovups ymm2,[rcx+rdx]
vmovups ymm3,[rcx+rdx+20h]
jmp 000000000000006Ah
mov rdx,[rax+48h]
cmp rdx,41h
jb near 000000000000005Ah
mov rdx,[rax+10h]
mov rcx,[rax+38h]
prefetcht1 [rdx]
prefetcht1 [rdx+20h]
prefetcht1 [rdx+rcx]
prefetcht1 [rdx+rcx+20h]
vpxor xmm0,xmm0,xmm0
vpxor xmm1,xmm1,xmm1
vpxor xmm2,xmm2,xmm2
vpxor xmm3,xmm3,xmm3
mov rcx,[rax+70h]
mov rdx,[rax+50h]
mov rsi,[rax+58h]
cmp rdx,0
je near 00000000000001E9h
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
jb near 0000000000000195h
nop word [rax+rax]
nop word [rax+rax]
xchg ax,ax
vmovups ymm4,[r9]
vmovups ymm5,[r9+20h]
vbroadcastss ymm6,[r8]
vfmadd231ps ymm0,ymm4,ymm6
vfmadd231ps ymm1,ymm5,ymm6
vbroadcastss ymm6,[r8+4]
vfmadd231ps ymm2,ymm4,ymm6
vfmadd231ps ymm3,ymm5,ymm6
vmovups ymm4,[r9+r10]
vmovups ymm5,[r9+r10+20h]
vbroadcastss ymm6,[r8+rdi]
vfmadd231ps ymm0,ymm4,ymm6
vfmadd231ps ymm1,ymm5,ymm6
vbroadcastss ymm6,[r8+rdi+4]
vfmadd231ps ymm2,ymm4,ymm6
vfmadd231ps ymm3,ymm5,ymm6
vmovups ymm4,[r9+r10*2]
vmovups ymm5,[r9+r10*2+20h]
vbroadcastss ymm6,[r8+rdi*2]
vfmadd231ps ymm0,ymm4,ymm6
vfmadd231ps ymm1,ymm5,ymm6
vbroadcastss ymm6,[r8+rdi*2+4]
vfmadd231ps ymm2,ymm4,ymm6
vfmadd231ps ymm3,ymm5,ymm6
vmovups ymm4,[r9+r11]
vmovups ymm5,[r9+r11+20h]
vbroadcastss ymm6,[r8+rbx]
vfmadd231ps ymm0,ymm4,ymm6
vfmadd231ps ymm1,ymm5,ymm6
vbroadcastss ymm6,[r8+rbx+4]
vfmadd231ps ymm2,ymm4,ymm6
vfmadd231ps ymm3,ymm5,ymm6
lea r8,[r8+rdi*4]
lea r9,[r9+r10*4]
prefetcht1 [rcx]
prefetcht1 [rcx+40h]
add rcx,[rax+78h]
add rbp,0FFFFFFFFFFFFFFFCh
cmp rbp,4
jae near 00000000000000C0h
cmp rbp,0
je near 00000000000001DBh
vmovups ymm4,[r9]
vmovups ymm5,[r9+20h]
vbroadcastss ymm6,[r8]
vfmadd231ps ymm0,ymm4,ymm6
vfmadd231ps ymm1,ymm5,ymm6
vbroadcastss ymm6,[r8+4]
vfmadd231ps ymm2,ymm4,ymm6
vfmadd231ps ymm3,ymm5,ymm6
lea r8,[r8+rdi]
lea r9,[r9+r10]
add rbp,0FFFFFFFFFFFFFFFFh
jne near 000000000000019Fh
add rsi,10h
add rdx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000080h
mov rbp,[rax+10h]
mov rax,[rax+38h]
vmovups [rbp],ymm0
vmovups [rbp+20h],ymm1
vmovups [rbp+rax],ymm2
vmovups [rbp+rax+20h],ymm3
vzeroupper
pop rbp
pop rbx
ret
