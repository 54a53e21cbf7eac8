mov rax,rdi
vmovups ymm0,[rel 0]
vmovups ymm1,[rel 20h]
vmovups ymm2,[rel 40h]
vmovups ymm3,[rel 60h]
vmovups ymm4,[rel 80h]
vmovups ymm5,[rel 0A0h]
vmovups ymm6,[rel 0C0h]
mov rcx,[rax+30h]
cmp rcx,0
je near 00000000000006B4h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFF0h
je near 00000000000005C5h
nop word [rax+rax]
nop dword [rax+rax]
vmovups ymm7,[rcx+r8*4]
vmovups ymm8,[rcx+r8*4+20h]
vminps ymm7,ymm2,ymm7
vminps ymm8,ymm2,ymm8
vmaxps ymm7,ymm3,ymm7
vmaxps ymm8,ymm3,ymm8
vmulps ymm9,ymm7,[rel 0E0h]
vmulps ymm10,ymm8,[rel 0E0h]
vroundps ymm9,ymm9,8
vroundps ymm10,ymm10,8
vfmadd231ps ymm7,ymm9,[rel 100h]
vfmadd231ps ymm8,ymm10,[rel 100h]
vfmadd231ps ymm7,ymm9,ymm4
vfmadd231ps ymm8,ymm10,ymm4
vmovups ymm11,ymm5
vfmadd231ps ymm11,ymm0,ymm7
vmovups ymm12,ymm5
vfmadd231ps ymm12,ymm0,ymm8
vfmadd213ps ymm11,ymm7,ymm6
vfmadd213ps ymm12,ymm8,ymm6
vfmadd213ps ymm11,ymm7,[rel 120h]
vfmadd213ps ymm12,ymm8,[rel 120h]
vfmadd213ps ymm11,ymm7,[rel 140h]
vfmadd213ps ymm12,ymm8,[rel 140h]
vfmadd213ps ymm11,ymm7,ymm1
vfmadd213ps ymm12,ymm8,ymm1
vfmadd213ps ymm11,ymm7,ymm1
vfmadd213ps ymm12,ymm8,ymm1
vcvtps2dq ymm9,ymm9
vpminsd ymm9,ymm9,[rel 160h]
vpmaxsd ymm9,ymm9,[rel 180h]
vpsrad ymm8,ymm9,1
vpsubd ymm9,ymm9,ymm8
vpslld ymm8,ymm8,17h
vpaddd ymm8,ymm8,ymm1
vpslld ymm9,ymm9,17h
vpaddd ymm9,ymm9,ymm1
vmulps ymm8,ymm11,ymm8
vmulps ymm8,ymm8,ymm9
vcvtps2dq ymm10,ymm10
vpminsd ymm10,ymm10,[rel 160h]
vpmaxsd ymm10,ymm10,[rel 180h]
vpsrad ymm9,ymm10,1
vpsubd ymm10,ymm10,ymm9
vpslld ymm9,ymm9,17h
vpaddd ymm9,ymm9,ymm1
vpslld ymm10,ymm10,17h
vpaddd ymm10,ymm10,ymm1
vmulps ymm9,ymm12,ymm9
vmulps ymm9,ymm9,ymm10
vmovups [rdx+r8*4],ymm8
vmovups [rdx+r8*4+20h],ymm9
add r8,10h
cmp r8,r9
jb near 0000000000000480h
mov r9,[rax+38h]
sub r9,r8
je near 000000000000069Bh
mov r10,0
sub r10,r9
lea r11,[rel 1C0h]
vmovups ymm9,[r11+r10*4+200h]
vmaskmovps ymm8,ymm9,[rcx+r8*4]
vminps ymm8,ymm2,ymm8
vmaxps ymm8,ymm3,ymm8
vmulps ymm10,ymm8,[rel 0E0h]
vroundps ymm10,ymm10,8
vfmadd231ps ymm8,ymm10,[rel 100h]
vfmadd231ps ymm8,ymm10,ymm4
vmovups ymm12,ymm5
vfmadd231ps ymm12,ymm0,ymm8
vfmadd213ps ymm12,ymm8,ymm6
vfmadd213ps ymm12,ymm8,[rel 120h]
vfmadd213ps ymm12,ymm8,[rel 140h]
vfmadd213ps ymm12,ymm8,ymm1
vfmadd213ps ymm12,ymm8,ymm1
vcvtps2dq ymm10,ymm10
vpminsd ymm10,ymm10,[rel 160h]
vpmaxsd ymm10,ymm10,[rel 180h]
vpsrad ymm8,ymm10,1
vpsubd ymm10,ymm10,ymm8
vpslld ymm8,ymm8,17h
vpaddd ymm8,ymm8,ymm1
vpslld ymm10,ymm10,17h
vpaddd ymm10,ymm10,ymm1
vmulps ymm8,ymm12,ymm8
vmulps ymm8,ymm8,ymm10
vmaskmovps [rdx+r8*4],ymm9,ymm8
add r8,8
add r9,0FFFFFFFFFFFFFFF8h
cmp r9,1
jge near 00000000000005D2h
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea r11,[rsi]
cmp r11,[rax+30h]
jb near 0000000000000457h
vzeroupper
ret
