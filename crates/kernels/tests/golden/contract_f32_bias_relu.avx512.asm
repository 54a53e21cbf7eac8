push rbx
mov rax,rdi
mov rcx,[rax+68h]
cmp rcx,0
je near 000000000000008Ah
mov rcx,[rax+10h]
mov rdx,[rax+38h]
vmovups zmm0,[rcx]
vmovups zmm1,[rcx+40h]
vmovups zmm2,[rcx+rdx]
vmovups zmm3,[rcx+rdx+40h]
vmovups zmm4,[rcx+rdx*2]
vmovups zmm5,[rcx+rdx*2+40h]
jmp 00000000000000E6h
mov rdx,[rax+48h]
cmp rdx,41h
jb near 00000000000000C2h
mov rdx,[rax+90h]
prefetcht1 [rdx]
prefetcht1 [rdx+40h]
add rdx,[rax+0A8h]
prefetcht1 [rdx]
prefetcht1 [rdx+40h]
add rdx,[rax+0A8h]
prefetcht1 [rdx]
prefetcht1 [rdx+40h]
vpxord xmm0,xmm0,xmm0
vpxord xmm1,xmm1,xmm1
vpxord xmm2,xmm2,xmm2
vpxord xmm3,xmm3,xmm3
vpxord xmm4,xmm4,xmm4
vpxord xmm5,xmm5,xmm5
mov rdx,[rax+70h]
mov rcx,[rax+50h]
mov rsi,[rax+58h]
cmp rcx,0
je near 00000000000002F3h
mov r8,[rsi]
add r8,[rax]
mov r9,[rsi+8]
add r9,[rax+8]
mov r10,[rax+30h]
lea r11,[r10+r10*2]
mov rdi,[rax+18h]
mov rbx,[rax+48h]
cmp rbx,4
jb near 0000000000000284h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop
vmovups zmm6,[r9]
vmovups zmm7,[r9+40h]
vbroadcastss zmm8,[r8]
vfmadd231ps zmm0,zmm6,zmm8
vfmadd231ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi]
vfmadd231ps zmm2,zmm6,zmm8
vfmadd231ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2]
vfmadd231ps zmm4,zmm6,zmm8
vfmadd231ps zmm5,zmm7,zmm8
vmovups zmm6,[r9+r10]
vmovups zmm7,[r9+r10+40h]
vbroadcastss zmm8,[r8+4]
vfmadd231ps zmm0,zmm6,zmm8
vfmadd231ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi+4]
vfmadd231ps zmm2,zmm6,zmm8
vfmadd231ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2+4]
vfmadd231ps zmm4,zmm6,zmm8
vfmadd231ps zmm5,zmm7,zmm8
vmovups zmm6,[r9+r10*2]
vmovups zmm7,[r9+r10*2+40h]
vbroadcastss zmm8,[r8+8]
vfmadd231ps zmm0,zmm6,zmm8
vfmadd231ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi+8]
vfmadd231ps zmm2,zmm6,zmm8
vfmadd231ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2+8]
vfmadd231ps zmm4,zmm6,zmm8
vfmadd231ps zmm5,zmm7,zmm8
vmovups zmm6,[r9+r11]
vmovups zmm7,[r9+r11+40h]
vbroadcastss zmm8,[r8+0Ch]
vfmadd231ps zmm0,zmm6,zmm8
vfmadd231ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi+0Ch]
vfmadd231ps zmm2,zmm6,zmm8
vfmadd231ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2+0Ch]
vfmadd231ps zmm4,zmm6,zmm8
vfmadd231ps zmm5,zmm7,zmm8
add r8,10h
lea r9,[r9+r10*4]
prefetcht1 [rdx]
prefetcht1 [rdx+40h]
add rdx,[rax+78h]
add rbx,0FFFFFFFFFFFFFFFCh
cmp rbx,4
jae near 0000000000000140h
cmp rbx,0
je near 00000000000002E5h
vmovups zmm6,[r9]
vmovups zmm7,[r9+40h]
vbroadcastss zmm8,[r8]
vfmadd231ps zmm0,zmm6,zmm8
vfmadd231ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi]
vfmadd231ps zmm2,zmm6,zmm8
vfmadd231ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2]
vfmadd231ps zmm4,zmm6,zmm8
vfmadd231ps zmm5,zmm7,zmm8
add r8,4
lea r9,[r9+r10]
add rbx,0FFFFFFFFFFFFFFFFh
jne near 000000000000028Eh
add rsi,10h
add rcx,0FFFFFFFFFFFFFFFFh
jne near 00000000000000FCh
mov rbx,[rax+80h]
mov rdi,[rax+88h]
mov r11,[rax+90h]
mov r10,0
mov r9,0
vmovups zmm8,[rdi+r9*4]
vaddps zmm8,zmm0,zmm8
vbroadcastss zmm0,[rel 0]
vmaxps zmm0,zmm0,zmm8
vaddps zmm0,zmm0,[rel 0]{1to16}
vmovups [r11+r9*4],zmm0
vmovups zmm0,[rdi+r9*4+40h]
vaddps zmm0,zmm1,zmm0
vbroadcastss zmm1,[rel 0]
vmaxps zmm1,zmm1,zmm0
vaddps zmm1,zmm1,[rel 0]{1to16}
vmovups [r11+r9*4+40h],zmm1
add r10,1
add rbx,[rax+98h]
add r11,[rax+0A8h]
vmovups zmm1,[rdi+r9*4]
vaddps zmm1,zmm2,zmm1
vbroadcastss zmm2,[rel 0]
vmaxps zmm2,zmm2,zmm1
vaddps zmm2,zmm2,[rel 0]{1to16}
vmovups [r11+r9*4],zmm2
vmovups zmm2,[rdi+r9*4+40h]
vaddps zmm2,zmm3,zmm2
vbroadcastss zmm3,[rel 0]
vmaxps zmm3,zmm3,zmm2
vaddps zmm3,zmm3,[rel 0]{1to16}
vmovups [r11+r9*4+40h],zmm3
add r10,1
add rbx,[rax+98h]
add r11,[rax+0A8h]
vmovups zmm3,[rdi+r9*4]
vaddps zmm3,zmm4,zmm3
vbroadcastss zmm4,[rel 0]
vmaxps zmm4,zmm4,zmm3
vaddps zmm4,zmm4,[rel 0]{1to16}
vmovups [r11+r9*4],zmm4
vmovups zmm4,[rdi+r9*4+40h]
vaddps zmm4,zmm5,zmm4
vbroadcastss zmm5,[rel 0]
vmaxps zmm5,zmm5,zmm4
vaddps zmm5,zmm5,[rel 0]{1to16}
vmovups [r11+r9*4+40h],zmm5
vzeroupper
pop rbx
ret
