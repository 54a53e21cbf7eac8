push rbx
mov rax,rdi
mov rcx,[rax+30h]
cmp rcx,0
je near 000000000000070Eh
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
lea r8,[rsi+1]
cmp r8,[rax+30h]
jb near 0000000000000273h
jmp 000000000000053Fh
mov r8,rcx
add r8,[rax+10h]
mov r9,rdx
add r9,[rax+18h]
vpxor xmm0,xmm0,xmm0
vpxor xmm1,xmm1,xmm1
vpxor xmm2,xmm2,xmm2
vpxor xmm3,xmm3,xmm3
vpxor xmm4,xmm4,xmm4
vpxor xmm5,xmm5,xmm5
vpxor xmm6,xmm6,xmm6
vpxor xmm7,xmm7,xmm7
mov r10,0
mov r11,[rax+38h]
and r11,0FFFFFFFFFFFFFFE0h
je near 000000000000032Bh
nop dword [rax]
vmovups ymm8,[rcx+r10*4]
vmovups ymm9,[r8+r10*4]
vaddps ymm0,ymm0,ymm8
vaddps ymm4,ymm4,ymm9
vmovups ymm9,[rcx+r10*4+20h]
vmovups ymm8,[r8+r10*4+20h]
vaddps ymm1,ymm1,ymm9
vaddps ymm5,ymm5,ymm8
vmovups ymm8,[rcx+r10*4+40h]
vmovups ymm9,[r8+r10*4+40h]
vaddps ymm2,ymm2,ymm8
vaddps ymm6,ymm6,ymm9
vmovups ymm9,[rcx+r10*4+60h]
vmovups ymm8,[r8+r10*4+60h]
vaddps ymm3,ymm3,ymm9
vaddps ymm7,ymm7,ymm8
add r10,20h
cmp r10,r11
jb near 00000000000002C0h
mov r11,[rax+38h]
sub r11,r10
je near 0000000000000459h
mov rdi,0
sub rdi,r11
lea rbx,[rel 0]
vmovups ymm8,[rbx+rdi*4+200h]
vmaskmovps ymm9,ymm8,[rcx+r10*4]
vmaskmovps ymm10,ymm8,[r8+r10*4]
vaddps ymm9,ymm0,ymm9
vblendvps ymm0,ymm0,ymm9,ymm8
vaddps ymm9,ymm4,ymm10
vblendvps ymm4,ymm4,ymm9,ymm8
add r11,0FFFFFFFFFFFFFFF8h
cmp r11,1
jl near 0000000000000459h
mov rbx,0
sub rbx,r11
lea rdi,[rel 0]
vmovups ymm9,[rdi+rbx*4+200h]
vmaskmovps ymm8,ymm9,[rcx+r10*4+20h]
vmaskmovps ymm10,ymm9,[r8+r10*4+20h]
vaddps ymm8,ymm1,ymm8
vblendvps ymm1,ymm1,ymm8,ymm9
vaddps ymm8,ymm5,ymm10
vblendvps ymm5,ymm5,ymm8,ymm9
add r11,0FFFFFFFFFFFFFFF8h
cmp r11,1
jl near 0000000000000459h
mov rdi,0
sub rdi,r11
lea rbx,[rel 0]
vmovups ymm8,[rbx+rdi*4+200h]
vmaskmovps ymm9,ymm8,[rcx+r10*4+40h]
vmaskmovps ymm10,ymm8,[r8+r10*4+40h]
vaddps ymm9,ymm2,ymm9
vblendvps ymm2,ymm2,ymm9,ymm8
vaddps ymm9,ymm6,ymm10
vblendvps ymm6,ymm6,ymm9,ymm8
add r11,0FFFFFFFFFFFFFFF8h
cmp r11,1
jl near 0000000000000459h
mov rbx,0
sub rbx,r11
lea r11,[rel 0]
vmovups ymm9,[r11+rbx*4+200h]
vmaskmovps ymm8,ymm9,[rcx+r10*4+60h]
vmaskmovps ymm10,ymm9,[r8+r10*4+60h]
vaddps ymm8,ymm3,ymm8
vblendvps ymm3,ymm3,ymm8,ymm9
vaddps ymm8,ymm7,ymm10
vblendvps ymm7,ymm7,ymm8,ymm9
vaddps ymm8,ymm0,ymm2
vaddps ymm3,ymm1,ymm3
vaddps ymm3,ymm8,ymm3
vextractf128 xmm8,ymm3,1
vaddps ymm8,ymm3,ymm8
vpermilps xmm3,xmm8,4Eh
vaddps ymm3,ymm8,ymm3
vpermilps xmm8,xmm3,0B1h
vaddps ymm8,ymm3,ymm8
vbroadcastss ymm8,xmm8
vaddps ymm6,ymm4,ymm6
vaddps ymm7,ymm5,ymm7
vaddps ymm7,ymm6,ymm7
vextractf128 xmm6,ymm7,1
vaddps ymm6,ymm7,ymm6
vpermilps xmm7,xmm6,4Eh
vaddps ymm7,ymm6,ymm7
vpermilps xmm6,xmm7,0B1h
vaddps ymm6,ymm7,ymm6
vbroadcastss ymm6,xmm6
mov r11,1
mov rbx,0
sub rbx,r11
lea r11,[rel 0]
vmovups ymm7,[r11+rbx*4+200h]
vmaskmovps [rdx],ymm7,ymm8
mov r11,1
mov rbx,0
sub rbx,r11
lea r11,[rel 0]
vmovups ymm7,[r11+rbx*4+200h]
vmaskmovps [r9],ymm7,ymm6
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea r11,[rsi+1]
cmp r11,[rax+30h]
jb near 0000000000000273h
lea r11,[rsi]
cmp r11,[rax+30h]
jb near 000000000000053Fh
jmp 000000000000070Eh
vpxor xmm7,xmm7,xmm7
vpxor xmm6,xmm6,xmm6
vpxor xmm8,xmm8,xmm8
vpxor xmm5,xmm5,xmm5
mov r10,0
mov r11,[rax+38h]
and r11,0FFFFFFFFFFFFFFE0h
je near 00000000000005B8h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
vmovups ymm4,[rcx+r10*4]
vmovups ymm3,[rcx+r10*4+20h]
vaddps ymm7,ymm7,ymm4
vaddps ymm6,ymm6,ymm3
vmovups ymm3,[rcx+r10*4+40h]
vmovups ymm4,[rcx+r10*4+60h]
vaddps ymm8,ymm8,ymm3
vaddps ymm5,ymm5,ymm4
add r10,20h
cmp r10,r11
jb near 0000000000000580h
mov r11,[rax+38h]
sub r11,r10
je near 000000000000069Eh
mov rbx,0
sub rbx,r11
lea r9,[rel 0]
vmovups ymm4,[r9+rbx*4+200h]
vmaskmovps ymm3,ymm4,[rcx+r10*4]
vaddps ymm3,ymm7,ymm3
vblendvps ymm7,ymm7,ymm3,ymm4
add r11,0FFFFFFFFFFFFFFF8h
cmp r11,1
jl near 000000000000069Eh
mov r9,0
sub r9,r11
lea rbx,[rel 0]
vmovups ymm3,[rbx+r9*4+200h]
vmaskmovps ymm4,ymm3,[rcx+r10*4+20h]
vaddps ymm4,ymm6,ymm4
vblendvps ymm6,ymm6,ymm4,ymm3
add r11,0FFFFFFFFFFFFFFF8h
cmp r11,1
jl near 000000000000069Eh
mov rbx,0
sub rbx,r11
lea r9,[rel 0]
vmovups ymm4,[r9+rbx*4+200h]
vmaskmovps ymm3,ymm4,[rcx+r10*4+40h]
vaddps ymm3,ymm8,ymm3
vblendvps ymm8,ymm8,ymm3,ymm4
add r11,0FFFFFFFFFFFFFFF8h
cmp r11,1
jl near 000000000000069Eh
mov r9,0
sub r9,r11
lea r11,[rel 0]
vmovups ymm3,[r11+r9*4+200h]
vmaskmovps ymm4,ymm3,[rcx+r10*4+60h]
vaddps ymm4,ymm5,ymm4
vblendvps ymm5,ymm5,ymm4,ymm3
vaddps ymm4,ymm7,ymm8
vaddps ymm5,ymm6,ymm5
vaddps ymm5,ymm4,ymm5
vextractf128 xmm4,ymm5,1
vaddps ymm4,ymm5,ymm4
vpermilps xmm5,xmm4,4Eh
vaddps ymm5,ymm4,ymm5
vpermilps xmm4,xmm5,0B1h
vaddps ymm4,ymm5,ymm4
vbroadcastss ymm4,xmm4
mov r11,1
mov r9,0
sub r9,r11
lea r11,[rel 0]
vmovups ymm5,[r11+r9*4+200h]
vmaskmovps [rdx],ymm5,ymm4
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea r11,[rsi]
cmp r11,[rax+30h]
jb near 000000000000053Fh
vzeroupper
pop rbx
ret
