mov rax,rdi
vbroadcastss zmm0,[rel 0]
vbroadcastss zmm1,[rel 4]
vbroadcastss zmm2,[rel 8]
vbroadcastss zmm3,[rel 0Ch]
vbroadcastss zmm4,[rel 10h]
vbroadcastss zmm5,[rel 14h]
vbroadcastss zmm6,[rel 18h]
vbroadcastss zmm7,[rel 1Ch]
vbroadcastss zmm8,[rel 20h]
vbroadcastss zmm9,[rel 24h]
vbroadcastss zmm10,[rel 28h]
vbroadcastss zmm11,[rel 2Ch]
mov rcx,[rax+30h]
cmp rcx,0
je near 0000000000000F00h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
lea r8,[rsi+1]
cmp r8,[rax+30h]
jb near 00000000000000EAh
jmp 00000000000009E9h
mov r8,rcx
add r8,[rax+10h]
mov r9,rdx
add r9,[rax+18h]
vbroadcastss zmm12,[rel 30h]
vpxord xmm13,xmm13,xmm13
vbroadcastss zmm14,[rel 30h]
vpxord xmm15,xmm15,xmm15
vbroadcastss zmm16,[rel 30h]
vpxord xmm17,xmm17,xmm17
vbroadcastss zmm18,[rel 30h]
vpxord xmm19,xmm19,xmm19
mov r10,0
mov r11,[rax+38h]
and r11,0FFFFFFFFFFFFFFE0h
je near 00000000000001D3h
nop word [rax+rax]
nop dword [rax]
vmovups zmm20,[rcx+r10*4]
vmovups zmm21,[r8+r10*4]
vpandnd zmm22,zmm3,zmm20
vpandnd zmm23,zmm3,zmm21
vmaxps zmm12,zmm20,zmm12
vpmaxsd zmm13,zmm13,zmm22
vmaxps zmm16,zmm21,zmm16
vpmaxsd zmm17,zmm17,zmm23
vmovups zmm23,[rcx+r10*4+40h]
vmovups zmm22,[r8+r10*4+40h]
vpandnd zmm21,zmm3,zmm23
vpandnd zmm20,zmm3,zmm22
vmaxps zmm14,zmm23,zmm14
vpmaxsd zmm15,zmm15,zmm21
vmaxps zmm18,zmm22,zmm18
vpmaxsd zmm19,zmm19,zmm20
add r10,20h
cmp r10,r11
jb near 0000000000000160h
mov r11,[rax+38h]
sub r11,r10
je near 00000000000002A6h
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups zmm20{k1}{z},[rcx+r10*4]
vmovups zmm21{k1}{z},[r8+r10*4]
vpandnd zmm22,zmm3,zmm20
vpandnd zmm23,zmm3,zmm21
vmaxps zmm20,zmm20,zmm12
vpmaxsd zmm22,zmm13,zmm22
vmovups zmm12{k1},zmm20
vmovups zmm13{k1},zmm22
vmaxps zmm22,zmm21,zmm16
vpmaxsd zmm23,zmm17,zmm23
vmovups zmm16{k1},zmm22
vmovups zmm17{k1},zmm23
add r11,0FFFFFFFFFFFFFFF0h
cmp r11,1
jl near 00000000000002A6h
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups zmm23{k1}{z},[rcx+r10*4+40h]
vmovups zmm22{k1}{z},[r8+r10*4+40h]
vpandnd zmm20,zmm3,zmm23
vpandnd zmm21,zmm3,zmm22
vmaxps zmm23,zmm23,zmm14
vpmaxsd zmm20,zmm15,zmm20
vmovups zmm14{k1},zmm23
vmovups zmm15{k1},zmm20
vmaxps zmm20,zmm22,zmm18
vpmaxsd zmm21,zmm19,zmm21
vmovups zmm18{k1},zmm20
vmovups zmm19{k1},zmm21
vmaxps zmm21,zmm14,zmm12
vpmaxsd zmm15,zmm13,zmm15
vextractf64x4 ymm13,zmm21,1
vextractf64x4 ymm20,zmm15,1
vmaxps zmm13,zmm13,zmm21
vpmaxsd zmm20,zmm15,zmm20
vextractf32x4 xmm15,ymm13,1
vextractf32x4 xmm21,ymm20,1
vmaxps zmm15,zmm15,zmm13
vpmaxsd zmm21,zmm20,zmm21
vpermilps xmm20,xmm15,4Eh
vpermilps xmm13,xmm21,4Eh
vmaxps zmm20,zmm20,zmm15
vpmaxsd zmm13,zmm21,zmm13
vpermilps xmm21,xmm20,0B1h
vpermilps xmm15,xmm13,0B1h
vmaxps zmm21,zmm21,zmm20
vpmaxsd zmm15,zmm13,zmm15
vpcmpgtd k1,zmm15,[rel 34h]{1to16}
vpblendmd zmm15{k1},zmm21,[rel 38h]{1to16}
vbroadcastss zmm15,xmm15
vmaxps zmm18,zmm18,zmm16
vpmaxsd zmm19,zmm17,zmm19
vextractf64x4 ymm17,zmm18,1
vextractf64x4 ymm16,zmm19,1
vmaxps zmm17,zmm17,zmm18
vpmaxsd zmm16,zmm19,zmm16
vextractf32x4 xmm19,ymm17,1
vextractf32x4 xmm18,ymm16,1
vmaxps zmm19,zmm19,zmm17
vpmaxsd zmm18,zmm16,zmm18
vpermilps xmm16,xmm19,4Eh
vpermilps xmm17,xmm18,4Eh
vmaxps zmm16,zmm16,zmm19
vpmaxsd zmm17,zmm18,zmm17
vpermilps xmm18,xmm16,0B1h
vpermilps xmm19,xmm17,0B1h
vmaxps zmm18,zmm18,zmm16
vpmaxsd zmm19,zmm17,zmm19
vpcmpgtd k1,zmm19,[rel 34h]{1to16}
vpblendmd zmm19{k1},zmm18,[rel 38h]{1to16}
vbroadcastss zmm19,xmm19
vpxord xmm18,xmm18,xmm18
vpxord xmm17,xmm17,xmm17
vpxord xmm16,xmm16,xmm16
vpxord xmm21,xmm21,xmm21
mov r10,0
mov rdi,[rax+38h]
and rdi,0FFFFFFFFFFFFFFE0h
je near 00000000000005CDh
nop word [rax+rax]
nop dword [rax+rax]
vmovups zmm13,[rcx+r10*4]
vmovups zmm20,[r8+r10*4]
vsubps zmm13,zmm13,zmm15
vsubps zmm20,zmm20,zmm19
vminps zmm13,zmm2,zmm13
vminps zmm20,zmm2,zmm20
vmaxps zmm13,zmm4,zmm13
vmaxps zmm20,zmm4,zmm20
vmulps zmm14,zmm13,zmm10
vmulps zmm12,zmm20,zmm10
vrndscaleps zmm14,zmm14,8
vrndscaleps zmm12,zmm12,8
vfmadd231ps zmm13,zmm14,zmm11
vfmadd231ps zmm20,zmm12,zmm11
vfmadd231ps zmm13,zmm14,zmm5
vfmadd231ps zmm20,zmm12,zmm5
vmovups zmm23,zmm6
vfmadd231ps zmm23,zmm0,zmm13
vmovups zmm22,zmm6
vfmadd231ps zmm22,zmm0,zmm20
vfmadd213ps zmm23,zmm13,zmm7
vfmadd213ps zmm22,zmm20,zmm7
vfmadd213ps zmm23,zmm13,zmm8
vfmadd213ps zmm22,zmm20,zmm8
vfmadd213ps zmm23,zmm13,zmm9
vfmadd213ps zmm22,zmm20,zmm9
vfmadd213ps zmm23,zmm13,zmm1
vfmadd213ps zmm22,zmm20,zmm1
vfmadd213ps zmm23,zmm13,zmm1
vfmadd213ps zmm22,zmm20,zmm1
vscalefps zmm23,zmm23,zmm14
vscalefps zmm22,zmm22,zmm12
vmovups [rdx+r10*4],zmm23
vmovups [r9+r10*4],zmm22
vaddps zmm18,zmm18,zmm23
vaddps zmm16,zmm16,zmm22
vmovups zmm22,[rcx+r10*4+40h]
vmovups zmm23,[r8+r10*4+40h]
vsubps zmm22,zmm22,zmm15
vsubps zmm23,zmm23,zmm19
vminps zmm22,zmm2,zmm22
vminps zmm23,zmm2,zmm23
vmaxps zmm22,zmm4,zmm22
vmaxps zmm23,zmm4,zmm23
vmulps zmm12,zmm22,zmm10
vmulps zmm14,zmm23,zmm10
vrndscaleps zmm12,zmm12,8
vrndscaleps zmm14,zmm14,8
vfmadd231ps zmm22,zmm12,zmm11
vfmadd231ps zmm23,zmm14,zmm11
vfmadd231ps zmm22,zmm12,zmm5
vfmadd231ps zmm23,zmm14,zmm5
vmovups zmm20,zmm6
vfmadd231ps zmm20,zmm0,zmm22
vmovups zmm13,zmm6
vfmadd231ps zmm13,zmm0,zmm23
vfmadd213ps zmm20,zmm22,zmm7
vfmadd213ps zmm13,zmm23,zmm7
vfmadd213ps zmm20,zmm22,zmm8
vfmadd213ps zmm13,zmm23,zmm8
vfmadd213ps zmm20,zmm22,zmm9
vfmadd213ps zmm13,zmm23,zmm9
vfmadd213ps zmm20,zmm22,zmm1
vfmadd213ps zmm13,zmm23,zmm1
vfmadd213ps zmm20,zmm22,zmm1
vfmadd213ps zmm13,zmm23,zmm1
vscalefps zmm20,zmm20,zmm12
vscalefps zmm13,zmm13,zmm14
vmovups [rdx+r10*4+40h],zmm20
vmovups [r9+r10*4+40h],zmm13
vaddps zmm17,zmm17,zmm20
vaddps zmm21,zmm21,zmm13
add r10,20h
cmp r10,rdi
jb near 0000000000000400h
mov rdi,[rax+38h]
sub rdi,r10
je near 00000000000007E2h
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rdi
kmovq k1,r11
vmovups zmm13{k1}{z},[rcx+r10*4]
vmovups zmm20{k1}{z},[r8+r10*4]
vsubps zmm13,zmm13,zmm15
vsubps zmm20,zmm20,zmm19
vminps zmm13,zmm2,zmm13
vminps zmm20,zmm2,zmm20
vmaxps zmm13,zmm4,zmm13
vmaxps zmm20,zmm4,zmm20
vmulps zmm14,zmm13,zmm10
vmulps zmm12,zmm20,zmm10
vrndscaleps zmm14,zmm14,8
vrndscaleps zmm12,zmm12,8
vfmadd231ps zmm13,zmm14,zmm11
vfmadd231ps zmm20,zmm12,zmm11
vfmadd231ps zmm13,zmm14,zmm5
vfmadd231ps zmm20,zmm12,zmm5
vmovups zmm23,zmm6
vfmadd231ps zmm23,zmm0,zmm13
vmovups zmm22,zmm6
vfmadd231ps zmm22,zmm0,zmm20
vfmadd213ps zmm23,zmm13,zmm7
vfmadd213ps zmm22,zmm20,zmm7
vfmadd213ps zmm23,zmm13,zmm8
vfmadd213ps zmm22,zmm20,zmm8
vfmadd213ps zmm23,zmm13,zmm9
vfmadd213ps zmm22,zmm20,zmm9
vfmadd213ps zmm23,zmm13,zmm1
vfmadd213ps zmm22,zmm20,zmm1
vfmadd213ps zmm23,zmm13,zmm1
vfmadd213ps zmm22,zmm20,zmm1
vscalefps zmm23,zmm23,zmm14
vscalefps zmm22,zmm22,zmm12
vmovups [rdx+r10*4]{k1},zmm23
vmovups [r9+r10*4]{k1},zmm22
vaddps zmm23,zmm18,zmm23
vmovups zmm18{k1},zmm23
vaddps zmm23,zmm16,zmm22
vmovups zmm16{k1},zmm23
add rdi,0FFFFFFFFFFFFFFF0h
cmp rdi,1
jl near 00000000000007E2h
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rdi
kmovq k1,r11
vmovups zmm23{k1}{z},[rcx+r10*4+40h]
vmovups zmm22{k1}{z},[r8+r10*4+40h]
vsubps zmm23,zmm23,zmm15
vsubps zmm22,zmm22,zmm19
vminps zmm23,zmm2,zmm23
vminps zmm22,zmm2,zmm22
vmaxps zmm23,zmm4,zmm23
vmaxps zmm22,zmm4,zmm22
vmulps zmm19,zmm23,zmm10
vmulps zmm15,zmm22,zmm10
vrndscaleps zmm19,zmm19,8
vrndscaleps zmm15,zmm15,8
vfmadd231ps zmm23,zmm19,zmm11
vfmadd231ps zmm22,zmm15,zmm11
vfmadd231ps zmm23,zmm19,zmm5
vfmadd231ps zmm22,zmm15,zmm5
vmovups zmm12,zmm6
vfmadd231ps zmm12,zmm0,zmm23
vmovups zmm14,zmm6
vfmadd231ps zmm14,zmm0,zmm22
vfmadd213ps zmm12,zmm23,zmm7
vfmadd213ps zmm14,zmm22,zmm7
vfmadd213ps zmm12,zmm23,zmm8
vfmadd213ps zmm14,zmm22,zmm8
vfmadd213ps zmm12,zmm23,zmm9
vfmadd213ps zmm14,zmm22,zmm9
vfmadd213ps zmm12,zmm23,zmm1
vfmadd213ps zmm14,zmm22,zmm1
vfmadd213ps zmm12,zmm23,zmm1
vfmadd213ps zmm14,zmm22,zmm1
vscalefps zmm12,zmm12,zmm19
vscalefps zmm14,zmm14,zmm15
vmovups [rdx+r10*4+40h]{k1},zmm12
vmovups [r9+r10*4+40h]{k1},zmm14
vaddps zmm12,zmm17,zmm12
vmovups zmm17{k1},zmm12
vaddps zmm12,zmm21,zmm14
vmovups zmm21{k1},zmm12
vaddps zmm12,zmm18,zmm17
vextractf64x4 ymm17,zmm12,1
vaddps zmm17,zmm12,zmm17
vextractf32x4 xmm12,ymm17,1
vaddps zmm12,zmm17,zmm12
vpermilps xmm17,xmm12,4Eh
vaddps zmm17,zmm12,zmm17
vpermilps xmm12,xmm17,0B1h
vaddps zmm12,zmm17,zmm12
vbroadcastss zmm12,xmm12
vaddps zmm21,zmm16,zmm21
vextractf64x4 ymm16,zmm21,1
vaddps zmm16,zmm21,zmm16
vextractf32x4 xmm21,ymm16,1
vaddps zmm21,zmm16,zmm21
vpermilps xmm16,xmm21,4Eh
vaddps zmm16,zmm21,zmm16
vpermilps xmm21,xmm16,0B1h
vaddps zmm21,zmm16,zmm21
vbroadcastss zmm21,xmm21
vdivps zmm12,zmm1,zmm12
vdivps zmm21,zmm1,zmm21
mov r10,0
mov r11,[rax+38h]
and r11,0FFFFFFFFFFFFFFC0h
je near 0000000000000959h
nop word [rax+rax]
nop word [rax+rax]
nop dword [rax+rax]
vmovups zmm16,[rdx+r10*4]
vmovups zmm17,[r9+r10*4]
vmulps zmm16,zmm16,zmm12
vmulps zmm17,zmm17,zmm21
vmovups [rdx+r10*4],zmm16
vmovups [r9+r10*4],zmm17
vmovups zmm17,[rdx+r10*4+40h]
vmovups zmm16,[r9+r10*4+40h]
vmulps zmm17,zmm17,zmm12
vmulps zmm16,zmm16,zmm21
vmovups [rdx+r10*4+40h],zmm17
vmovups [r9+r10*4+40h],zmm16
vmovups zmm16,[rdx+r10*4+80h]
vmovups zmm17,[r9+r10*4+80h]
vmulps zmm16,zmm16,zmm12
vmulps zmm17,zmm17,zmm21
vmovups [rdx+r10*4+80h],zmm16
vmovups [r9+r10*4+80h],zmm17
vmovups zmm17,[rdx+r10*4+0C0h]
vmovups zmm16,[r9+r10*4+0C0h]
vmulps zmm17,zmm17,zmm12
vmulps zmm16,zmm16,zmm21
vmovups [rdx+r10*4+0C0h],zmm17
vmovups [r9+r10*4+0C0h],zmm16
add r10,40h
cmp r10,r11
jb near 00000000000008A0h
mov r11,[rax+38h]
sub r11,r10
je near 00000000000009B1h
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups zmm16{k1}{z},[rdx+r10*4]
vmovups zmm17{k1}{z},[r9+r10*4]
vmulps zmm16,zmm16,zmm12
vmulps zmm17,zmm17,zmm21
vmovups [rdx+r10*4]{k1},zmm16
vmovups [r9+r10*4]{k1},zmm17
add r10,10h
add r11,0FFFFFFFFFFFFFFF0h
cmp r11,1
jge near 0000000000000966h
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea rdi,[rsi+1]
cmp rdi,[rax+30h]
jb near 00000000000000EAh
lea rdi,[rsi]
cmp rdi,[rax+30h]
jb near 00000000000009E9h
jmp 0000000000000F00h
vbroadcastss zmm17,[rel 30h]
vpxord xmm16,xmm16,xmm16
vbroadcastss zmm21,[rel 30h]
vpxord xmm12,xmm12,xmm12
mov r10,0
mov rdi,[rax+38h]
and rdi,0FFFFFFFFFFFFFFE0h
je near 0000000000000A80h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop dword [rax]
vmovups zmm18,[rcx+r10*4]
vmovups zmm14,[rcx+r10*4+40h]
vpandnd zmm15,zmm3,zmm18
vpandnd zmm19,zmm3,zmm14
vmaxps zmm17,zmm18,zmm17
vpmaxsd zmm16,zmm16,zmm15
vmaxps zmm21,zmm14,zmm21
vpmaxsd zmm12,zmm12,zmm19
add r10,20h
cmp r10,rdi
jb near 0000000000000A40h
mov rdi,[rax+38h]
sub rdi,r10
je near 0000000000000B08h
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rdi
kmovq k1,r11
vmovups zmm19{k1}{z},[rcx+r10*4]
vpandnd zmm15,zmm3,zmm19
vmaxps zmm19,zmm19,zmm17
vpmaxsd zmm15,zmm16,zmm15
vmovups zmm17{k1},zmm19
vmovups zmm16{k1},zmm15
add rdi,0FFFFFFFFFFFFFFF0h
cmp rdi,1
jl near 0000000000000B08h
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rdi
kmovq k1,r11
vmovups zmm15{k1}{z},[rcx+r10*4+40h]
vpandnd zmm19,zmm3,zmm15
vmaxps zmm15,zmm15,zmm21
vpmaxsd zmm19,zmm12,zmm19
vmovups zmm21{k1},zmm15
vmovups zmm12{k1},zmm19
vmaxps zmm19,zmm21,zmm17
vpmaxsd zmm12,zmm16,zmm12
vextractf64x4 ymm16,zmm19,1
vextractf64x4 ymm15,zmm12,1
vmaxps zmm16,zmm16,zmm19
vpmaxsd zmm15,zmm12,zmm15
vextractf32x4 xmm12,ymm16,1
vextractf32x4 xmm19,ymm15,1
vmaxps zmm12,zmm12,zmm16
vpmaxsd zmm19,zmm15,zmm19
vpermilps xmm15,xmm12,4Eh
vpermilps xmm16,xmm19,4Eh
vmaxps zmm15,zmm15,zmm12
vpmaxsd zmm16,zmm19,zmm16
vpermilps xmm19,xmm15,0B1h
vpermilps xmm12,xmm16,0B1h
vmaxps zmm19,zmm19,zmm15
vpmaxsd zmm12,zmm16,zmm12
vpcmpgtd k1,zmm12,[rel 34h]{1to16}
vpblendmd zmm12{k1},zmm19,[rel 38h]{1to16}
vbroadcastss zmm12,xmm12
vpxord xmm19,xmm19,xmm19
vpxord xmm16,xmm16,xmm16
mov r10,0
mov r11,[rax+38h]
and r11,0FFFFFFFFFFFFFFE0h
je near 0000000000000CADh
nop word [rax+rax]
vmovups zmm15,[rcx+r10*4]
vmovups zmm21,[rcx+r10*4+40h]
vsubps zmm15,zmm15,zmm12
vsubps zmm21,zmm21,zmm12
vminps zmm15,zmm2,zmm15
vminps zmm21,zmm2,zmm21
vmaxps zmm15,zmm4,zmm15
vmaxps zmm21,zmm4,zmm21
vmulps zmm17,zmm15,zmm10
vmulps zmm14,zmm21,zmm10
vrndscaleps zmm17,zmm17,8
vrndscaleps zmm14,zmm14,8
vfmadd231ps zmm15,zmm17,zmm11
vfmadd231ps zmm21,zmm14,zmm11
vfmadd231ps zmm15,zmm17,zmm5
vfmadd231ps zmm21,zmm14,zmm5
vmovups zmm18,zmm6
vfmadd231ps zmm18,zmm0,zmm15
vmovups zmm22,zmm6
vfmadd231ps zmm22,zmm0,zmm21
vfmadd213ps zmm18,zmm15,zmm7
vfmadd213ps zmm22,zmm21,zmm7
vfmadd213ps zmm18,zmm15,zmm8
vfmadd213ps zmm22,zmm21,zmm8
vfmadd213ps zmm18,zmm15,zmm9
vfmadd213ps zmm22,zmm21,zmm9
vfmadd213ps zmm18,zmm15,zmm1
vfmadd213ps zmm22,zmm21,zmm1
vfmadd213ps zmm18,zmm15,zmm1
vfmadd213ps zmm22,zmm21,zmm1
vscalefps zmm18,zmm18,zmm17
vscalefps zmm22,zmm22,zmm14
vmovups [rdx+r10*4],zmm18
vmovups [rdx+r10*4+40h],zmm22
vaddps zmm19,zmm19,zmm18
vaddps zmm16,zmm16,zmm22
add r10,20h
cmp r10,r11
jb near 0000000000000BC0h
mov r11,[rax+38h]
sub r11,r10
je near 0000000000000DD6h
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups zmm22{k1}{z},[rcx+r10*4]
vsubps zmm22,zmm22,zmm12
vminps zmm22,zmm2,zmm22
vmaxps zmm22,zmm4,zmm22
vmulps zmm18,zmm22,zmm10
vrndscaleps zmm18,zmm18,8
vfmadd231ps zmm22,zmm18,zmm11
vfmadd231ps zmm22,zmm18,zmm5
vmovups zmm14,zmm6
vfmadd231ps zmm14,zmm0,zmm22
vfmadd213ps zmm14,zmm22,zmm7
vfmadd213ps zmm14,zmm22,zmm8
vfmadd213ps zmm14,zmm22,zmm9
vfmadd213ps zmm14,zmm22,zmm1
vfmadd213ps zmm14,zmm22,zmm1
vscalefps zmm14,zmm14,zmm18
vmovups [rdx+r10*4]{k1},zmm14
vaddps zmm14,zmm19,zmm14
vmovups zmm19{k1},zmm14
add r11,0FFFFFFFFFFFFFFF0h
cmp r11,1
jl near 0000000000000DD6h
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups zmm14{k1}{z},[rcx+r10*4+40h]
vsubps zmm14,zmm14,zmm12
vminps zmm14,zmm2,zmm14
vmaxps zmm14,zmm4,zmm14
vmulps zmm12,zmm14,zmm10
vrndscaleps zmm12,zmm12,8
vfmadd231ps zmm14,zmm12,zmm11
vfmadd231ps zmm14,zmm12,zmm5
vmovups zmm18,zmm6
vfmadd231ps zmm18,zmm0,zmm14
vfmadd213ps zmm18,zmm14,zmm7
vfmadd213ps zmm18,zmm14,zmm8
vfmadd213ps zmm18,zmm14,zmm9
vfmadd213ps zmm18,zmm14,zmm1
vfmadd213ps zmm18,zmm14,zmm1
vscalefps zmm18,zmm18,zmm12
vmovups [rdx+r10*4+40h]{k1},zmm18
vaddps zmm18,zmm16,zmm18
vmovups zmm16{k1},zmm18
vaddps zmm18,zmm19,zmm16
vextractf64x4 ymm16,zmm18,1
vaddps zmm16,zmm18,zmm16
vextractf32x4 xmm18,ymm16,1
vaddps zmm18,zmm16,zmm18
vpermilps xmm16,xmm18,4Eh
vaddps zmm16,zmm18,zmm16
vpermilps xmm18,xmm16,0B1h
vaddps zmm18,zmm16,zmm18
vbroadcastss zmm18,xmm18
vdivps zmm18,zmm1,zmm18
mov r10,0
mov rdi,[rax+38h]
and rdi,0FFFFFFFFFFFFFFC0h
je near 0000000000000EA3h
nop word [rax+rax]
nop dword [rax]
vmovups zmm16,[rdx+r10*4]
vmovups zmm19,[rdx+r10*4+40h]
vmulps zmm16,zmm16,zmm18
vmulps zmm19,zmm19,zmm18
vmovups [rdx+r10*4],zmm16
vmovups [rdx+r10*4+40h],zmm19
vmovups zmm19,[rdx+r10*4+80h]
vmovups zmm16,[rdx+r10*4+0C0h]
vmulps zmm19,zmm19,zmm18
vmulps zmm16,zmm16,zmm18
vmovups [rdx+r10*4+80h],zmm19
vmovups [rdx+r10*4+0C0h],zmm16
add r10,40h
cmp r10,rdi
jb near 0000000000000E40h
mov rdi,[rax+38h]
sub rdi,r10
je near 0000000000000EE7h
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rdi
kmovq k1,r11
vmovups zmm16{k1}{z},[rdx+r10*4]
vmulps zmm16,zmm16,zmm18
vmovups [rdx+r10*4]{k1},zmm16
add r10,10h
add rdi,0FFFFFFFFFFFFFFF0h
cmp rdi,1
jge near 0000000000000EB0h
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea r11,[rsi]
cmp r11,[rax+30h]
jb near 00000000000009E9h
vzeroupper
ret
