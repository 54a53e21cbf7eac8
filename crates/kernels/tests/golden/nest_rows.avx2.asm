mov rax,rdi
mov rcx,[rax+90h]
cmp rcx,0
jge near 000000000000025Bh
mov rcx,0
cmp rcx,[rax+98h]
jl near 000000000000026Fh
mov rcx,[rax+98h]
mov [rax+60h],rcx
vpxor xmm0,xmm0,xmm0
mov rcx,[rax+60h]
cmp rcx,0
je near 00000000000003BFh
mov rcx,[rax+18h]
mov rdx,[rax+20h]
mov rsi,[rax+28h]
mov r8,0
mov r9,0
mov r10,[rax+68h]
and r10,0FFFFFFFFFFFFFFE0h
je near 000000000000034Eh
nop word [rax+rax]
nop dword [rax]
vmovups ymm1,[rcx+r9*4]
vmovups ymm2,[rcx+r9*4+20h]
vmovups ymm3,[rdx+r9*4]
vmovups ymm4,[rdx+r9*4+20h]
vaddps ymm3,ymm1,ymm3
vaddps ymm4,ymm2,ymm4
vmaxps ymm3,ymm0,ymm3
vmaxps ymm4,ymm0,ymm4
vaddps ymm3,ymm3,ymm0
vaddps ymm4,ymm4,ymm0
vmovups [rsi+r9*4],ymm3
vmovups [rsi+r9*4+20h],ymm4
vmovups ymm4,[rcx+r9*4+40h]
vmovups ymm3,[rcx+r9*4+60h]
vmovups ymm2,[rdx+r9*4+40h]
vmovups ymm1,[rdx+r9*4+60h]
vaddps ymm2,ymm4,ymm2
vaddps ymm1,ymm3,ymm1
vmaxps ymm2,ymm0,ymm2
vmaxps ymm1,ymm0,ymm1
vaddps ymm2,ymm2,ymm0
vaddps ymm1,ymm1,ymm0
vmovups [rsi+r9*4+40h],ymm2
vmovups [rsi+r9*4+60h],ymm1
add r9,20h
cmp r9,r10
jb near 00000000000002C0h
mov r10,[rax+68h]
sub r10,r9
je near 00000000000003A6h
mov r11,0
sub r11,r10
lea rdi,[rel 0]
vmovups ymm1,[rdi+r11*4+200h]
vmaskmovps ymm2,ymm1,[rcx+r9*4]
vmaskmovps ymm3,ymm1,[rdx+r9*4]
vaddps ymm3,ymm2,ymm3
vmaxps ymm3,ymm0,ymm3
vaddps ymm3,ymm3,ymm0
vmaskmovps [rsi+r9*4],ymm1,ymm3
add r9,8
add r10,0FFFFFFFFFFFFFFF8h
cmp r10,1
jge near 000000000000035Bh
add r8,1
add rcx,[rax+30h]
add rsi,[rax+40h]
lea rdi,[r8]
cmp rdi,[rax+60h]
jb near 0000000000000298h
mov rdi,[rax]
add rdi,0FFFFFFFFFFFFFFFFh
mov [rax],rdi
je near 0000000000000449h
mov rdi,[rax+70h]
add rdi,[rax+18h]
mov [rax+18h],rdi
mov rdi,[rax+80h]
add rdi,[rax+28h]
mov [rax+28h],rdi
mov rdi,[rax+0A0h]
add rdi,[rax+90h]
mov [rax+90h],rdi
mov rdi,[rax+8]
add rdi,0FFFFFFFFFFFFFFFFh
mov [rax+8],rdi
jne near 0000000000000243h
mov rdi,[rax+78h]
add rdi,[rax+18h]
mov [rax+18h],rdi
mov rdi,[rax+88h]
add rdi,[rax+28h]
mov [rax+28h],rdi
mov rdi,[rax+0A8h]
add rdi,[rax+90h]
mov [rax+90h],rdi
mov rdi,[rax+10h]
mov [rax+8],rdi
vzeroupper
ret
