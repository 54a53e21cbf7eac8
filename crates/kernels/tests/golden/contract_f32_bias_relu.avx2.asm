push rbx
mov rax,rdi
mov rcx,[rax+68h]
cmp rcx,0
je near 000000000000007Eh
mov rcx,[rax+10h]
mov rdx,[rax+38h]
vmovups ymm0,[rcx]
vmovups ymm1,[rcx+20h]
vmovups ymm2,[rcx+rdx]
vmovups ymm3,[rcx+rdx+20h]
vmovups ymm4,[rcx+rdx*2]
vmovups ymm5,[rcx+rdx*2+20h]
jmp 00000000000000C2h
mov rdx,[rax+48h]
cmp rdx,41h
jb near 00000000000000AAh
mov rdx,[rax+90h]
prefetcht1 [rdx]
add rdx,[rax+0A8h]
prefetcht1 [rdx]
add rdx,[rax+0A8h]
prefetcht1 [rdx]
vpxor xmm0,xmm0,xmm0
vpxor xmm1,xmm1,xmm1
vpxor xmm2,xmm2,xmm2
vpxor xmm3,xmm3,xmm3
vpxor xmm4,xmm4,xmm4
vpxor xmm5,xmm5,xmm5
mov rdx,[rax+70h]
mov rcx,[rax+50h]
mov rsi,[rax+58h]
cmp rcx,0
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
prefetcht1 [rdx]
prefetcht1 [rdx+40h]
add rdx,[rax+78h]
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
add rcx,0FFFFFFFFFFFFFFFFh
jne near 00000000000000D8h
mov rbx,[rax+80h]
mov rdi,[rax+88h]
mov r11,[rax+90h]
mov r10,0
mov r9,0
vmovups ymm8,[rdi+r9*4]
vaddps ymm8,ymm0,ymm8
vmovups ymm0,[rel 0]
vmaxps ymm0,ymm0,ymm8
vaddps ymm0,ymm0,[rel 0]
vmovups [r11+r9*4],ymm0
vmovups ymm0,[rdi+r9*4+20h]
vaddps ymm0,ymm1,ymm0
vmovups ymm1,[rel 0]
vmaxps ymm1,ymm1,ymm0
vaddps ymm1,ymm1,[rel 0]
vmovups [r11+r9*4+20h],ymm1
add r10,1
add rbx,[rax+98h]
add r11,[rax+0A8h]
vmovups ymm1,[rdi+r9*4]
vaddps ymm1,ymm2,ymm1
vmovups ymm2,[rel 0]
vmaxps ymm2,ymm2,ymm1
vaddps ymm2,ymm2,[rel 0]
vmovups [r11+r9*4],ymm2
vmovups ymm2,[rdi+r9*4+20h]
vaddps ymm2,ymm3,ymm2
vmovups ymm3,[rel 0]
vmaxps ymm3,ymm3,ymm2
vaddps ymm3,ymm3,[rel 0]
vmovups [r11+r9*4+20h],ymm3
add r10,1
add rbx,[rax+98h]
add r11,[rax+0A8h]
vmovups ymm3,[rdi+r9*4]
vaddps ymm3,ymm4,ymm3
vmovups ymm4,[rel 0]
vmaxps ymm4,ymm4,ymm3
vaddps ymm4,ymm4,[rel 0]
vmovups [r11+r9*4],ymm4
vmovups ymm4,[rdi+r9*4+20h]
vaddps ymm4,ymm5,ymm4
vmovups ymm5,[rel 0]
vmaxps ymm5,ymm5,ymm4
vaddps ymm5,ymm5,[rel 0]
vmovups [r11+r9*4+20h],ymm5
vzeroupper
pop rbx
ret
