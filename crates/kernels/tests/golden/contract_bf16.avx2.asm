push rbx
sub rsp,40h
mov rax,rdi
vstmxcsr [rsp]
vldmxcsr [rel 0]
mov rcx,[rax+68h]
cmp rcx,0
je near 0000000000000092h
mov rcx,[rax+10h]
mov rdx,[rax+38h]
vmovups ymm0,[rcx]
vmovups ymm1,[rcx+20h]
vmovups ymm2,[rcx+rdx]
vmovups ymm3,[rcx+rdx+20h]
vmovups ymm4,[rcx+rdx*2]
vmovups ymm5,[rcx+rdx*2+20h]
jmp 00000000000000D9h
mov rdx,[rax+48h]
cmp rdx,41h
jb near 00000000000000C1h
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
je near 00000000000004A9h
mov r8,[rsi]
add r8,[rax]
mov r9,[rsi+8]
add r9,[rax+8]
mov r10,[rax+30h]
lea r11,[r10+r10*2]
mov rdi,[rax+18h]
mov rbx,[rax+48h]
cmp rbx,4
jb near 00000000000003E2h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop dword [rax+rax]
vmovups ymm6,[r9]
vpand ymm7,ymm6,[rel 20h]
vpslld ymm6,ymm6,10h
vmovups ymm8,[r9+20h]
vpand ymm9,ymm8,[rel 20h]
vpslld ymm8,ymm8,10h
vbroadcastss ymm10,[r8]
vpand ymm11,ymm10,[rel 20h]
vpslld ymm10,ymm10,10h
vfmadd231ps ymm0,ymm7,ymm11
vfmadd231ps ymm0,ymm6,ymm10
vfmadd231ps ymm1,ymm9,ymm11
vfmadd231ps ymm1,ymm8,ymm10
vbroadcastss ymm11,[r8+rdi]
vpand ymm10,ymm11,[rel 20h]
vpslld ymm11,ymm11,10h
vfmadd231ps ymm2,ymm7,ymm10
vfmadd231ps ymm2,ymm6,ymm11
vfmadd231ps ymm3,ymm9,ymm10
vfmadd231ps ymm3,ymm8,ymm11
vbroadcastss ymm10,[r8+rdi*2]
vpand ymm11,ymm10,[rel 20h]
vpslld ymm10,ymm10,10h
vfmadd231ps ymm4,ymm7,ymm11
vfmadd231ps ymm4,ymm6,ymm10
vfmadd231ps ymm5,ymm9,ymm11
vfmadd231ps ymm5,ymm8,ymm10
vmovups ymm6,[r9+r10]
vpand ymm11,ymm6,[rel 20h]
vpslld ymm6,ymm6,10h
vmovups ymm8,[r9+r10+20h]
vpand ymm10,ymm8,[rel 20h]
vpslld ymm8,ymm8,10h
vbroadcastss ymm9,[r8+4]
vpand ymm7,ymm9,[rel 20h]
vpslld ymm9,ymm9,10h
vfmadd231ps ymm0,ymm11,ymm7
vfmadd231ps ymm0,ymm6,ymm9
vfmadd231ps ymm1,ymm10,ymm7
vfmadd231ps ymm1,ymm8,ymm9
vbroadcastss ymm7,[r8+rdi+4]
vpand ymm9,ymm7,[rel 20h]
vpslld ymm7,ymm7,10h
vfmadd231ps ymm2,ymm11,ymm9
vfmadd231ps ymm2,ymm6,ymm7
vfmadd231ps ymm3,ymm10,ymm9
vfmadd231ps ymm3,ymm8,ymm7
vbroadcastss ymm9,[r8+rdi*2+4]
vpand ymm7,ymm9,[rel 20h]
vpslld ymm9,ymm9,10h
vfmadd231ps ymm4,ymm11,ymm7
vfmadd231ps ymm4,ymm6,ymm9
vfmadd231ps ymm5,ymm10,ymm7
vfmadd231ps ymm5,ymm8,ymm9
vmovups ymm6,[r9+r10*2]
vpand ymm7,ymm6,[rel 20h]
vpslld ymm6,ymm6,10h
vmovups ymm8,[r9+r10*2+20h]
vpand ymm9,ymm8,[rel 20h]
vpslld ymm8,ymm8,10h
vbroadcastss ymm10,[r8+8]
vpand ymm11,ymm10,[rel 20h]
vpslld ymm10,ymm10,10h
vfmadd231ps ymm0,ymm7,ymm11
vfmadd231ps ymm0,ymm6,ymm10
vfmadd231ps ymm1,ymm9,ymm11
vfmadd231ps ymm1,ymm8,ymm10
vbroadcastss ymm11,[r8+rdi+8]
vpand ymm10,ymm11,[rel 20h]
vpslld ymm11,ymm11,10h
vfmadd231ps ymm2,ymm7,ymm10
vfmadd231ps ymm2,ymm6,ymm11
vfmadd231ps ymm3,ymm9,ymm10
vfmadd231ps ymm3,ymm8,ymm11
vbroadcastss ymm10,[r8+rdi*2+8]
vpand ymm11,ymm10,[rel 20h]
vpslld ymm10,ymm10,10h
vfmadd231ps ymm4,ymm7,ymm11
vfmadd231ps ymm4,ymm6,ymm10
vfmadd231ps ymm5,ymm9,ymm11
vfmadd231ps ymm5,ymm8,ymm10
vmovups ymm6,[r9+r11]
vpand ymm11,ymm6,[rel 20h]
vpslld ymm6,ymm6,10h
vmovups ymm8,[r9+r11+20h]
vpand ymm10,ymm8,[rel 20h]
vpslld ymm8,ymm8,10h
vbroadcastss ymm9,[r8+0Ch]
vpand ymm7,ymm9,[rel 20h]
vpslld ymm9,ymm9,10h
vfmadd231ps ymm0,ymm11,ymm7
vfmadd231ps ymm0,ymm6,ymm9
vfmadd231ps ymm1,ymm10,ymm7
vfmadd231ps ymm1,ymm8,ymm9
vbroadcastss ymm7,[r8+rdi+0Ch]
vpand ymm9,ymm7,[rel 20h]
vpslld ymm7,ymm7,10h
vfmadd231ps ymm2,ymm11,ymm9
vfmadd231ps ymm2,ymm6,ymm7
vfmadd231ps ymm3,ymm10,ymm9
vfmadd231ps ymm3,ymm8,ymm7
vbroadcastss ymm9,[r8+rdi*2+0Ch]
vpand ymm7,ymm9,[rel 20h]
vpslld ymm9,ymm9,10h
vfmadd231ps ymm4,ymm11,ymm7
vfmadd231ps ymm4,ymm6,ymm9
vfmadd231ps ymm5,ymm10,ymm7
vfmadd231ps ymm5,ymm8,ymm9
add r8,10h
lea r9,[r9+r10*4]
prefetcht1 [rcx]
prefetcht1 [rcx+40h]
add rcx,[rax+78h]
add rbx,0FFFFFFFFFFFFFFFCh
cmp rbx,4
jae near 0000000000000140h
cmp rbx,0
je near 000000000000049Bh
vmovups ymm6,[r9]
vpand ymm7,ymm6,[rel 20h]
vpslld ymm6,ymm6,10h
vmovups ymm8,[r9+20h]
vpand ymm9,ymm8,[rel 20h]
vpslld ymm8,ymm8,10h
vbroadcastss ymm10,[r8]
vpand ymm11,ymm10,[rel 20h]
vpslld ymm10,ymm10,10h
vfmadd231ps ymm0,ymm7,ymm11
vfmadd231ps ymm0,ymm6,ymm10
vfmadd231ps ymm1,ymm9,ymm11
vfmadd231ps ymm1,ymm8,ymm10
vbroadcastss ymm11,[r8+rdi]
vpand ymm10,ymm11,[rel 20h]
vpslld ymm11,ymm11,10h
vfmadd231ps ymm2,ymm7,ymm10
vfmadd231ps ymm2,ymm6,ymm11
vfmadd231ps ymm3,ymm9,ymm10
vfmadd231ps ymm3,ymm8,ymm11
vbroadcastss ymm10,[r8+rdi*2]
vpand ymm11,ymm10,[rel 20h]
vpslld ymm10,ymm10,10h
vfmadd231ps ymm4,ymm7,ymm11
vfmadd231ps ymm4,ymm6,ymm10
vfmadd231ps ymm5,ymm9,ymm11
vfmadd231ps ymm5,ymm8,ymm10
add r8,4
lea r9,[r9+r10]
add rbx,0FFFFFFFFFFFFFFFFh
jne near 00000000000003ECh
add rsi,10h
add rdx,0FFFFFFFFFFFFFFFFh
jne near 00000000000000EFh
vldmxcsr [rsp]
mov rbx,[rax+10h]
mov rax,[rax+38h]
vmovups [rbx],ymm0
vmovups [rbx+20h],ymm1
vmovups [rbx+rax],ymm2
vmovups [rbx+rax+20h],ymm3
vmovups [rbx+rax*2],ymm4
vmovups [rbx+rax*2+20h],ymm5
vzeroupper
add rsp,40h
pop rbx
ret
