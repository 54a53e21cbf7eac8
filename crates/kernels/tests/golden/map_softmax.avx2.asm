mov rax,rdi
vmovups ymm0,[rel 0]
mov rcx,[rax+30h]
cmp rcx,0
je near 0000000000000FB6h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
vmovups ymm1,[rel 20h]
vpxor xmm2,xmm2,xmm2
vmovups ymm3,[rel 20h]
vpxor xmm4,xmm4,xmm4
vmovups ymm5,[rel 20h]
vpxor xmm6,xmm6,xmm6
vmovups ymm7,[rel 20h]
vpxor xmm8,xmm8,xmm8
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFE0h
je near 0000000000000580h
nop word [rax+rax]
nop dword [rax]
vmovups ymm9,[rcx+r8*4]
vmovups ymm10,[rcx+r8*4+20h]
vmovups ymm11,[rel 40h]
vpandn ymm11,ymm11,ymm9
vmovups ymm12,[rel 40h]
vpandn ymm12,ymm12,ymm10
vmaxps ymm1,ymm9,ymm1
vpmaxsd ymm2,ymm2,ymm11
vmaxps ymm3,ymm10,ymm3
vpmaxsd ymm4,ymm4,ymm12
vmovups ymm12,[rcx+r8*4+40h]
vmovups ymm11,[rcx+r8*4+60h]
vmovups ymm10,[rel 40h]
vpandn ymm10,ymm10,ymm12
vmovups ymm9,[rel 40h]
vpandn ymm9,ymm9,ymm11
vmaxps ymm5,ymm12,ymm5
vpmaxsd ymm6,ymm6,ymm10
vmaxps ymm7,ymm11,ymm7
vpmaxsd ymm8,ymm8,ymm9
add r8,20h
cmp r8,r9
jb near 0000000000000500h
mov r9,[rax+38h]
sub r9,r8
je near 00000000000006C6h
mov r10,0
sub r10,r9
lea r11,[rel 80h]
vmovups ymm9,[r11+r10*4+200h]
vmaskmovps ymm10,ymm9,[rcx+r8*4]
vmovups ymm11,[rel 40h]
vpandn ymm11,ymm11,ymm10
vmaxps ymm10,ymm10,ymm1
vpmaxsd ymm11,ymm2,ymm11
vblendvps ymm1,ymm1,ymm10,ymm9
vblendvps ymm2,ymm2,ymm11,ymm9
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jl near 00000000000006C6h
mov r11,0
sub r11,r9
lea r10,[rel 80h]
vmovups ymm11,[r10+r11*4+200h]
vmaskmovps ymm10,ymm11,[rcx+r8*4+20h]
vmovups ymm9,[rel 40h]
vpandn ymm9,ymm9,ymm10
vmaxps ymm10,ymm10,ymm3
vpmaxsd ymm9,ymm4,ymm9
vblendvps ymm3,ymm3,ymm10,ymm11
vblendvps ymm4,ymm4,ymm9,ymm11
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jl near 00000000000006C6h
mov r10,0
sub r10,r9
lea r11,[rel 80h]
vmovups ymm9,[r11+r10*4+200h]
vmaskmovps ymm10,ymm9,[rcx+r8*4+40h]
vmovups ymm11,[rel 40h]
vpandn ymm11,ymm11,ymm10
vmaxps ymm10,ymm10,ymm5
vpmaxsd ymm11,ymm6,ymm11
vblendvps ymm5,ymm5,ymm10,ymm9
vblendvps ymm6,ymm6,ymm11,ymm9
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jl near 00000000000006C6h
mov r11,0
sub r11,r9
lea r9,[rel 80h]
vmovups ymm11,[r9+r11*4+200h]
vmaskmovps ymm10,ymm11,[rcx+r8*4+60h]
vmovups ymm9,[rel 40h]
vpandn ymm9,ymm9,ymm10
vmaxps ymm10,ymm10,ymm7
vpmaxsd ymm9,ymm8,ymm9
vblendvps ymm7,ymm7,ymm10,ymm11
vblendvps ymm8,ymm8,ymm9,ymm11
vmaxps ymm9,ymm5,ymm1
vpmaxsd ymm6,ymm2,ymm6
vmaxps ymm7,ymm7,ymm3
vpmaxsd ymm8,ymm4,ymm8
vmaxps ymm7,ymm7,ymm9
vpmaxsd ymm8,ymm6,ymm8
vextractf128 xmm6,ymm7,1
vextractf128 xmm9,ymm8,1
vmaxps ymm6,ymm6,ymm7
vpmaxsd ymm9,ymm8,ymm9
vpermilps xmm8,xmm6,4Eh
vpermilps xmm7,xmm9,4Eh
vmaxps ymm8,ymm8,ymm6
vpmaxsd ymm7,ymm9,ymm7
vpermilps xmm9,xmm8,0B1h
vpermilps xmm6,xmm7,0B1h
vmaxps ymm9,ymm9,ymm8
vpmaxsd ymm6,ymm7,ymm6
vpcmpgtd ymm6,ymm6,[rel 2A0h]
vblendvps ymm6,ymm9,[rel 2C0h],ymm6
vbroadcastss ymm6,xmm6
vpxor xmm9,xmm9,xmm9
vpxor xmm7,xmm7,xmm7
vpxor xmm8,xmm8,xmm8
vpxor xmm4,xmm4,xmm4
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFE0h
je near 0000000000000ABEh
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
xchg ax,ax
vmovups ymm3,[rcx+r8*4]
vmovups ymm2,[rcx+r8*4+20h]
vsubps ymm3,ymm3,ymm6
vsubps ymm2,ymm2,ymm6
vmovups ymm10,[rel 2E0h]
vminps ymm10,ymm10,ymm3
vmovups ymm3,[rel 2E0h]
vminps ymm3,ymm3,ymm2
vmovups ymm2,[rel 300h]
vmaxps ymm2,ymm2,ymm10
vmovups ymm10,[rel 300h]
vmaxps ymm10,ymm10,ymm3
vmulps ymm3,ymm2,[rel 320h]
vmulps ymm11,ymm10,[rel 320h]
vroundps ymm3,ymm3,8
vroundps ymm11,ymm11,8
vfmadd231ps ymm2,ymm3,[rel 340h]
vfmadd231ps ymm10,ymm11,[rel 340h]
vfmadd231ps ymm2,ymm3,[rel 360h]
vfmadd231ps ymm10,ymm11,[rel 360h]
vmovups ymm5,ymm0
vfmadd213ps ymm5,ymm2,[rel 380h]
vmovups ymm1,ymm0
vfmadd213ps ymm1,ymm10,[rel 380h]
vfmadd213ps ymm5,ymm2,[rel 3A0h]
vfmadd213ps ymm1,ymm10,[rel 3A0h]
vfmadd213ps ymm5,ymm2,[rel 3C0h]
vfmadd213ps ymm1,ymm10,[rel 3C0h]
vfmadd213ps ymm5,ymm2,[rel 3E0h]
vfmadd213ps ymm1,ymm10,[rel 3E0h]
vfmadd213ps ymm5,ymm2,[rel 400h]
vfmadd213ps ymm1,ymm10,[rel 400h]
vfmadd213ps ymm5,ymm2,[rel 400h]
vfmadd213ps ymm1,ymm10,[rel 400h]
vcvtps2dq ymm3,ymm3
vpminsd ymm3,ymm3,[rel 420h]
vpmaxsd ymm3,ymm3,[rel 440h]
vpsrad ymm10,ymm3,1
vpsubd ymm3,ymm3,ymm10
vpslld ymm10,ymm10,17h
vpaddd ymm10,ymm10,[rel 400h]
vpslld ymm3,ymm3,17h
vpaddd ymm3,ymm3,[rel 400h]
vmulps ymm10,ymm5,ymm10
vmulps ymm10,ymm10,ymm3
vcvtps2dq ymm11,ymm11
vpminsd ymm11,ymm11,[rel 420h]
vpmaxsd ymm11,ymm11,[rel 440h]
vpsrad ymm3,ymm11,1
vpsubd ymm11,ymm11,ymm3
vpslld ymm3,ymm3,17h
vpaddd ymm3,ymm3,[rel 400h]
vpslld ymm11,ymm11,17h
vpaddd ymm11,ymm11,[rel 400h]
vmulps ymm3,ymm1,ymm3
vmulps ymm3,ymm3,ymm11
vmovups [rdx+r8*4],ymm10
vmovups [rdx+r8*4+20h],ymm3
vaddps ymm9,ymm9,ymm10
vaddps ymm7,ymm7,ymm3
vmovups ymm3,[rcx+r8*4+40h]
vmovups ymm10,[rcx+r8*4+60h]
vsubps ymm3,ymm3,ymm6
vsubps ymm10,ymm10,ymm6
vmovups ymm11,[rel 2E0h]
vminps ymm11,ymm11,ymm3
vmovups ymm3,[rel 2E0h]
vminps ymm3,ymm3,ymm10
vmovups ymm10,[rel 300h]
vmaxps ymm10,ymm10,ymm11
vmovups ymm11,[rel 300h]
vmaxps ymm11,ymm11,ymm3
vmulps ymm3,ymm10,[rel 320h]
vmulps ymm1,ymm11,[rel 320h]
vroundps ymm3,ymm3,8
vroundps ymm1,ymm1,8
vfmadd231ps ymm10,ymm3,[rel 340h]
vfmadd231ps ymm11,ymm1,[rel 340h]
vfmadd231ps ymm10,ymm3,[rel 360h]
vfmadd231ps ymm11,ymm1,[rel 360h]
vmovups ymm5,ymm0
vfmadd213ps ymm5,ymm10,[rel 380h]
vmovups ymm2,ymm0
vfmadd213ps ymm2,ymm11,[rel 380h]
vfmadd213ps ymm5,ymm10,[rel 3A0h]
vfmadd213ps ymm2,ymm11,[rel 3A0h]
vfmadd213ps ymm5,ymm10,[rel 3C0h]
vfmadd213ps ymm2,ymm11,[rel 3C0h]
vfmadd213ps ymm5,ymm10,[rel 3E0h]
vfmadd213ps ymm2,ymm11,[rel 3E0h]
vfmadd213ps ymm5,ymm10,[rel 400h]
vfmadd213ps ymm2,ymm11,[rel 400h]
vfmadd213ps ymm5,ymm10,[rel 400h]
vfmadd213ps ymm2,ymm11,[rel 400h]
vcvtps2dq ymm3,ymm3
vpminsd ymm3,ymm3,[rel 420h]
vpmaxsd ymm3,ymm3,[rel 440h]
vpsrad ymm11,ymm3,1
vpsubd ymm3,ymm3,ymm11
vpslld ymm11,ymm11,17h
vpaddd ymm11,ymm11,[rel 400h]
vpslld ymm3,ymm3,17h
vpaddd ymm3,ymm3,[rel 400h]
vmulps ymm11,ymm5,ymm11
vmulps ymm11,ymm11,ymm3
vcvtps2dq ymm1,ymm1
vpminsd ymm1,ymm1,[rel 420h]
vpmaxsd ymm1,ymm1,[rel 440h]
vpsrad ymm3,ymm1,1
vpsubd ymm1,ymm1,ymm3
vpslld ymm3,ymm3,17h
vpaddd ymm3,ymm3,[rel 400h]
vpslld ymm1,ymm1,17h
vpaddd ymm1,ymm1,[rel 400h]
vmulps ymm3,ymm2,ymm3
vmulps ymm3,ymm3,ymm1
vmovups [rdx+r8*4+40h],ymm11
vmovups [rdx+r8*4+60h],ymm3
vaddps ymm8,ymm8,ymm11
vaddps ymm4,ymm4,ymm3
add r8,20h
cmp r8,r9
jb near 0000000000000780h
mov r9,[rax+38h]
sub r9,r8
je near 0000000000000EA5h
mov r11,0
sub r11,r9
lea r10,[rel 80h]
vmovups ymm3,[r10+r11*4+200h]
vmaskmovps ymm11,ymm3,[rcx+r8*4]
vsubps ymm11,ymm11,ymm6
vmovups ymm1,[rel 2E0h]
vminps ymm1,ymm1,ymm11
vmovups ymm11,[rel 300h]
vmaxps ymm11,ymm11,ymm1
vmulps ymm1,ymm11,[rel 320h]
vroundps ymm1,ymm1,8
vfmadd231ps ymm11,ymm1,[rel 340h]
vfmadd231ps ymm11,ymm1,[rel 360h]
vmovups ymm2,ymm0
vfmadd213ps ymm2,ymm11,[rel 380h]
vfmadd213ps ymm2,ymm11,[rel 3A0h]
vfmadd213ps ymm2,ymm11,[rel 3C0h]
vfmadd213ps ymm2,ymm11,[rel 3E0h]
vfmadd213ps ymm2,ymm11,[rel 400h]
vfmadd213ps ymm2,ymm11,[rel 400h]
vcvtps2dq ymm1,ymm1
vpminsd ymm1,ymm1,[rel 420h]
vpmaxsd ymm1,ymm1,[rel 440h]
vpsrad ymm11,ymm1,1
vpsubd ymm1,ymm1,ymm11
vpslld ymm11,ymm11,17h
vpaddd ymm11,ymm11,[rel 400h]
vpslld ymm1,ymm1,17h
vpaddd ymm1,ymm1,[rel 400h]
vmulps ymm11,ymm2,ymm11
vmulps ymm11,ymm11,ymm1
vmaskmovps [rdx+r8*4],ymm3,ymm11
vaddps ymm11,ymm9,ymm11
vblendvps ymm9,ymm9,ymm11,ymm3
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jl near 0000000000000EA5h
mov r10,0
sub r10,r9
lea r11,[rel 80h]
vmovups ymm11,[r11+r10*4+200h]
vmaskmovps ymm3,ymm11,[rcx+r8*4+20h]
vsubps ymm3,ymm3,ymm6
vmovups ymm1,[rel 2E0h]
vminps ymm1,ymm1,ymm3
vmovups ymm3,[rel 300h]
vmaxps ymm3,ymm3,ymm1
vmulps ymm1,ymm3,[rel 320h]
vroundps ymm1,ymm1,8
vfmadd231ps ymm3,ymm1,[rel 340h]
vfmadd231ps ymm3,ymm1,[rel 360h]
vmovups ymm2,ymm0
vfmadd213ps ymm2,ymm3,[rel 380h]
vfmadd213ps ymm2,ymm3,[rel 3A0h]
vfmadd213ps ymm2,ymm3,[rel 3C0h]
vfmadd213ps ymm2,ymm3,[rel 3E0h]
vfmadd213ps ymm2,ymm3,[rel 400h]
vfmadd213ps ymm2,ymm3,[rel 400h]
vcvtps2dq ymm1,ymm1
vpminsd ymm1,ymm1,[rel 420h]
vpmaxsd ymm1,ymm1,[rel 440h]
vpsrad ymm3,ymm1,1
vpsubd ymm1,ymm1,ymm3
vpslld ymm3,ymm3,17h
vpaddd ymm3,ymm3,[rel 400h]
vpslld ymm1,ymm1,17h
vpaddd ymm1,ymm1,[rel 400h]
vmulps ymm3,ymm2,ymm3
vmulps ymm3,ymm3,ymm1
vmaskmovps [rdx+r8*4+20h],ymm11,ymm3
vaddps ymm3,ymm7,ymm3
vblendvps ymm7,ymm7,ymm3,ymm11
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jl near 0000000000000EA5h
mov r11,0
sub r11,r9
lea r10,[rel 80h]
vmovups ymm3,[r10+r11*4+200h]
vmaskmovps ymm11,ymm3,[rcx+r8*4+40h]
vsubps ymm11,ymm11,ymm6
vmovups ymm1,[rel 2E0h]
vminps ymm1,ymm1,ymm11
vmovups ymm11,[rel 300h]
vmaxps ymm11,ymm11,ymm1
vmulps ymm1,ymm11,[rel 320h]
vroundps ymm1,ymm1,8
vfmadd231ps ymm11,ymm1,[rel 340h]
vfmadd231ps ymm11,ymm1,[rel 360h]
vmovups ymm2,ymm0
vfmadd213ps ymm2,ymm11,[rel 380h]
vfmadd213ps ymm2,ymm11,[rel 3A0h]
vfmadd213ps ymm2,ymm11,[rel 3C0h]
vfmadd213ps ymm2,ymm11,[rel 3E0h]
vfmadd213ps ymm2,ymm11,[rel 400h]
vfmadd213ps ymm2,ymm11,[rel 400h]
vcvtps2dq ymm1,ymm1
vpminsd ymm1,ymm1,[rel 420h]
vpmaxsd ymm1,ymm1,[rel 440h]
vpsrad ymm11,ymm1,1
vpsubd ymm1,ymm1,ymm11
vpslld ymm11,ymm11,17h
vpaddd ymm11,ymm11,[rel 400h]
vpslld ymm1,ymm1,17h
vpaddd ymm1,ymm1,[rel 400h]
vmulps ymm11,ymm2,ymm11
vmulps ymm11,ymm11,ymm1
vmaskmovps [rdx+r8*4+40h],ymm3,ymm11
vaddps ymm11,ymm8,ymm11
vblendvps ymm8,ymm8,ymm11,ymm3
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jl near 0000000000000EA5h
mov r10,0
sub r10,r9
lea r9,[rel 80h]
vmovups ymm11,[r9+r10*4+200h]
vmaskmovps ymm3,ymm11,[rcx+r8*4+60h]
vsubps ymm3,ymm3,ymm6
vmovups ymm6,[rel 2E0h]
vminps ymm6,ymm6,ymm3
vmovups ymm3,[rel 300h]
vmaxps ymm3,ymm3,ymm6
vmulps ymm6,ymm3,[rel 320h]
vroundps ymm6,ymm6,8
vfmadd231ps ymm3,ymm6,[rel 340h]
vfmadd231ps ymm3,ymm6,[rel 360h]
vmovups ymm1,ymm0
vfmadd213ps ymm1,ymm3,[rel 380h]
vfmadd213ps ymm1,ymm3,[rel 3A0h]
vfmadd213ps ymm1,ymm3,[rel 3C0h]
vfmadd213ps ymm1,ymm3,[rel 3E0h]
vfmadd213ps ymm1,ymm3,[rel 400h]
vfmadd213ps ymm1,ymm3,[rel 400h]
vcvtps2dq ymm6,ymm6
vpminsd ymm6,ymm6,[rel 420h]
vpmaxsd ymm6,ymm6,[rel 440h]
vpsrad ymm3,ymm6,1
vpsubd ymm6,ymm6,ymm3
vpslld ymm3,ymm3,17h
vpaddd ymm3,ymm3,[rel 400h]
vpslld ymm6,ymm6,17h
vpaddd ymm6,ymm6,[rel 400h]
vmulps ymm3,ymm1,ymm3
vmulps ymm3,ymm3,ymm6
vmaskmovps [rdx+r8*4+60h],ymm11,ymm3
vaddps ymm3,ymm4,ymm3
vblendvps ymm4,ymm4,ymm3,ymm11
vaddps ymm3,ymm9,ymm8
vaddps ymm4,ymm7,ymm4
vaddps ymm4,ymm3,ymm4
vextractf128 xmm3,ymm4,1
vaddps ymm3,ymm4,ymm3
vpermilps xmm4,xmm3,4Eh
vaddps ymm4,ymm3,ymm4
vpermilps xmm3,xmm4,0B1h
vaddps ymm3,ymm4,ymm3
vbroadcastss ymm3,xmm3
vmovups ymm4,[rel 400h]
vdivps ymm4,ymm4,ymm3
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFE0h
je near 0000000000000F53h
nop dword [rax]
vmovups ymm3,[rdx+r8*4]
vmovups ymm7,[rdx+r8*4+20h]
vmulps ymm3,ymm3,ymm4
vmulps ymm7,ymm7,ymm4
vmovups [rdx+r8*4],ymm3
vmovups [rdx+r8*4+20h],ymm7
vmovups ymm7,[rdx+r8*4+40h]
vmovups ymm3,[rdx+r8*4+60h]
vmulps ymm7,ymm7,ymm4
vmulps ymm3,ymm3,ymm4
vmovups [rdx+r8*4+40h],ymm7
vmovups [rdx+r8*4+60h],ymm3
add r8,20h
cmp r8,r9
jb near 0000000000000F00h
mov r9,[rax+38h]
sub r9,r8
je near 0000000000000F9Dh
mov r10,0
sub r10,r9
lea r11,[rel 80h]
vmovups ymm3,[r11+r10*4+200h]
vmaskmovps ymm7,ymm3,[rdx+r8*4]
vmulps ymm7,ymm7,ymm4
vmaskmovps [rdx+r8*4],ymm3,ymm7
add r8,8
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jge near 0000000000000F60h
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea r11,[rsi]
cmp r11,[rax+30h]
jb near 00000000000004A7h
vzeroupper
ret
