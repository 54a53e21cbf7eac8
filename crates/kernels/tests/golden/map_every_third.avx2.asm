sub rsp,80h
mov rax,rdi
vmovups ymm0,[rel 0]
vpxor xmm1,xmm1,xmm1
vmovups ymm2,[rel 20h]
vmovups ymm3,[rel 40h]
mov rcx,[rax+30h]
cmp rcx,0
je near 00000000000004C5h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
vbroadcastss ymm4,[rax+40h]
vpmulld ymm5,ymm4,ymm0
vbroadcastss ymm6,[rax+48h]
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFF0h
je near 0000000000000429h
nop word [rax+rax]
nop word [rax+rax]
nop dword [rax]
mov [rsp+40h],r8d
vbroadcastss ymm7,[rsp+40h]
vpaddd ymm7,ymm7,[rel 60h]
mov [rsp+40h],r8d
vbroadcastss ymm8,[rsp+40h]
vpaddd ymm8,ymm8,[rel 80h]
vpmulld ymm9,ymm7,ymm3
vpmulld ymm10,ymm8,ymm3
vpaddd ymm9,ymm9,ymm5
vpaddd ymm10,ymm10,ymm5
vpaddd ymm9,ymm9,ymm6
vpaddd ymm10,ymm10,ymm6
vpaddd ymm9,ymm9,ymm0
vpaddd ymm10,ymm10,ymm0
vpcmpgtd ymm9,ymm9,ymm0
vpcmpgtd ymm10,ymm10,ymm0
vpmulld ymm7,ymm7,ymm2
vpmulld ymm8,ymm8,ymm2
vpaddd ymm7,ymm7,ymm4
vpaddd ymm8,ymm8,ymm4
vmovups ymm11,ymm9
vpxor xmm12,xmm12,xmm12
vgatherdps ymm12,[rcx+ymm7*4],ymm11
vmovups ymm11,ymm10
vpxor xmm7,xmm7,xmm7
vgatherdps ymm7,[rcx+ymm8*4],ymm11
vblendvps ymm11,ymm1,ymm12,ymm9
vblendvps ymm7,ymm1,ymm7,ymm10
vmovups [rdx+r8*4],ymm11
vmovups [rdx+r8*4+20h],ymm7
add r8,10h
cmp r8,r9
jb near 0000000000000380h
mov r9,[rax+38h]
sub r9,r8
je near 00000000000004B0h
mov r10,0
sub r10,r9
lea r11,[rel 0C0h]
vmovups ymm7,[r11+r10*4+200h]
mov [rsp+40h],r8d
vbroadcastss ymm11,[rsp+40h]
vpaddd ymm11,ymm11,[rel 60h]
vpmulld ymm10,ymm11,ymm3
vpaddd ymm10,ymm10,ymm5
vpaddd ymm10,ymm10,ymm6
vpaddd ymm10,ymm10,ymm0
vpcmpgtd ymm10,ymm10,ymm0
vpmulld ymm11,ymm11,ymm2
vpaddd ymm11,ymm11,ymm4
vpand ymm12,ymm10,ymm7
vpxor xmm8,xmm8,xmm8
vgatherdps ymm8,[rcx+ymm11*4],ymm12
vblendvps ymm8,ymm1,ymm8,ymm10
vmaskmovps [rdx+r8*4],ymm7,ymm8
add r8,8
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jge near 0000000000000436h
add rsi,1
add rdx,[rax+18h]
lea r11,[rsi]
cmp r11,[rax+30h]
jb near 0000000000000353h
vzeroupper
add rsp,80h
ret
