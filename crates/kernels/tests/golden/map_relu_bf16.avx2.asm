push rbx
sub rsp,80h
mov rax,rdi
vpxor xmm0,xmm0,xmm0
vmovups ymm1,[rel 0]
vmovups ymm2,[rel 20h]
vmovups ymm3,[rel 40h]
vmovups ymm4,[rel 60h]
mov rcx,[rax+30h]
cmp rcx,0
je near 0000000000000548h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFF0h
je near 0000000000000433h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
xchg ax,ax
vpmovzxwd ymm5,[rcx+r8*2]
vpmovzxwd ymm6,[rcx+r8*2+10h]
vpslld ymm5,ymm5,10h
vpslld ymm6,ymm6,10h
vmaxps ymm5,ymm0,ymm5
vmaxps ymm6,ymm0,ymm6
vaddps ymm5,ymm5,ymm0
vaddps ymm6,ymm6,ymm0
vpsrld ymm7,ymm5,10h
vpsrld ymm8,ymm6,10h
vpand ymm7,ymm7,ymm1
vpand ymm8,ymm8,ymm1
vpaddd ymm9,ymm5,ymm2
vpaddd ymm10,ymm6,ymm2
vpaddd ymm9,ymm9,ymm7
vpaddd ymm10,ymm10,ymm8
vpand ymm9,ymm9,ymm4
vpand ymm10,ymm10,ymm4
vcmpunordps ymm5,ymm5,ymm5
vcmpunordps ymm6,ymm6,ymm6
vblendvps ymm5,ymm9,ymm3,ymm5
vblendvps ymm6,ymm10,ymm3,ymm6
vpsrld ymm5,ymm5,10h
vpsrld ymm6,ymm6,10h
vpshufb ymm5,ymm5,[rel 80h]
vextractf128 xmm10,ymm5,1
vunpcklpd xmm10,xmm5,xmm10
vmovups [rdx+r8*2],xmm10
vpshufb ymm10,ymm6,[rel 80h]
vextractf128 xmm6,ymm10,1
vunpcklpd xmm6,xmm10,xmm6
vmovups [rdx+r8*2+10h],xmm6
add r8,10h
cmp r8,r9
jb near 0000000000000380h
mov r9,[rax+38h]
sub r9,r8
je near 000000000000052Fh
mov r10,0
sub r10,r9
lea r11,[rel 0C0h]
vmovups ymm6,[r11+r10*4+200h]
mov r11,8
cmp r9,8
jae near 000000000000046Fh
mov r11,r9
lea r10,[rcx+r8*2]
mov rdi,0
movzx ebx,word [r10]
mov [rsp+rdi*2],bx
add r10,2
add rdi,1
cmp rdi,r11
jb near 000000000000047Ah
vpmovzxwd ymm6,[rsp]
vpslld ymm6,ymm6,10h
vmaxps ymm6,ymm0,ymm6
vaddps ymm6,ymm6,ymm0
vpsrld ymm10,ymm6,10h
vpand ymm10,ymm10,ymm1
vpaddd ymm5,ymm6,ymm2
vpaddd ymm5,ymm5,ymm10
vpand ymm5,ymm5,ymm4
vcmpunordps ymm6,ymm6,ymm6
vblendvps ymm6,ymm5,ymm3,ymm6
vpsrld ymm6,ymm6,10h
vpshufb ymm6,ymm6,[rel 80h]
vextractf128 xmm5,ymm6,1
vunpcklpd xmm5,xmm6,xmm5
vmovups [rsp],xmm5
mov rbx,8
cmp r9,8
jae near 00000000000004F8h
mov rbx,r9
lea rdi,[rdx+r8*2]
mov r10,0
movzx r11d,word [rsp+r10*2]
mov [rdi],r11w
add rdi,2
add r10,1
cmp r10,rbx
jb near 0000000000000503h
add r8,8
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jge near 0000000000000440h
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea r11,[rsi]
cmp r11,[rax+30h]
jb near 000000000000034Bh
vzeroupper
add rsp,80h
pop rbx
ret
