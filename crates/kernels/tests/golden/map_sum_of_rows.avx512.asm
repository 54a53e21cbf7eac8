mov rax,rdi
mov rcx,[rax+30h]
cmp rcx,0
je near 0000000000000383h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
lea r8,[rsi+1]
cmp r8,[rax+30h]
jb near 0000000000000032h
jmp 0000000000000242h
mov r8,rcx
add r8,[rax+10h]
mov r9,rdx
add r9,[rax+18h]
vpxord xmm0,xmm0,xmm0
vpxord xmm1,xmm1,xmm1
vpxord xmm2,xmm2,xmm2
vpxord xmm3,xmm3,xmm3
mov r10,0
mov r11,[rax+38h]
and r11,0FFFFFFFFFFFFFFE0h
je near 00000000000000C3h
nop word [rax+rax]
nop dword [rax]
vmovups zmm4,[rcx+r10*4]
vmovups zmm5,[r8+r10*4]
vaddps zmm0,zmm0,zmm4
vaddps zmm2,zmm2,zmm5
vmovups zmm5,[rcx+r10*4+40h]
vmovups zmm4,[r8+r10*4+40h]
vaddps zmm1,zmm1,zmm5
vaddps zmm3,zmm3,zmm4
add r10,20h
cmp r10,r11
jb near 0000000000000080h
mov r11,[rax+38h]
sub r11,r10
je near 000000000000014Eh
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups zmm4{k1}{z},[rcx+r10*4]
vmovups zmm5{k1}{z},[r8+r10*4]
vaddps zmm4,zmm0,zmm4
vmovups zmm0{k1},zmm4
vaddps zmm4,zmm2,zmm5
vmovups zmm2{k1},zmm4
add r11,0FFFFFFFFFFFFFFF0h
cmp r11,1
jl near 000000000000014Eh
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups zmm4{k1}{z},[rcx+r10*4+40h]
vmovups zmm5{k1}{z},[r8+r10*4+40h]
vaddps zmm4,zmm1,zmm4
vmovups zmm1{k1},zmm4
vaddps zmm4,zmm3,zmm5
vmovups zmm3{k1},zmm4
vaddps zmm4,zmm0,zmm1
vextractf64x4 ymm1,zmm4,1
vaddps zmm1,zmm4,zmm1
vextractf32x4 xmm4,ymm1,1
vaddps zmm4,zmm1,zmm4
vpermilps xmm1,xmm4,4Eh
vaddps zmm1,zmm4,zmm1
vpermilps xmm4,xmm1,0B1h
vaddps zmm4,zmm1,zmm4
vbroadcastss zmm4,xmm4
vaddps zmm3,zmm2,zmm3
vextractf64x4 ymm2,zmm3,1
vaddps zmm2,zmm3,zmm2
vextractf32x4 xmm3,ymm2,1
vaddps zmm3,zmm2,zmm3
vpermilps xmm2,xmm3,4Eh
vaddps zmm2,zmm3,zmm2
vpermilps xmm3,xmm2,0B1h
vaddps zmm3,zmm2,zmm3
vbroadcastss zmm3,xmm3
mov rdi,1
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rdi
kmovq k1,r11
vmovups [rdx]{k1},zmm4
mov r11,1
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups [r9]{k1},zmm3
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea rdi,[rsi+1]
cmp rdi,[rax+30h]
jb near 0000000000000032h
lea rdi,[rsi]
cmp rdi,[rax+30h]
jb near 0000000000000242h
jmp 0000000000000383h
vpxord xmm3,xmm3,xmm3
vpxord xmm4,xmm4,xmm4
mov r10,0
mov rdi,[rax+38h]
and rdi,0FFFFFFFFFFFFFFE0h
je near 00000000000002A8h
nop word [rax+rax]
nop word [rax+rax]
nop dword [rax+rax]
vmovups zmm2,[rcx+r10*4]
vmovups zmm1,[rcx+r10*4+40h]
vaddps zmm3,zmm3,zmm2
vaddps zmm4,zmm4,zmm1
add r10,20h
cmp r10,rdi
jb near 0000000000000280h
mov rdi,[rax+38h]
sub rdi,r10
je near 000000000000030Ch
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rdi
kmovq k1,r11
vmovups zmm1{k1}{z},[rcx+r10*4]
vaddps zmm1,zmm3,zmm1
vmovups zmm3{k1},zmm1
add rdi,0FFFFFFFFFFFFFFF0h
cmp rdi,1
jl near 000000000000030Ch
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rdi
kmovq k1,r11
vmovups zmm1{k1}{z},[rcx+r10*4+40h]
vaddps zmm1,zmm4,zmm1
vmovups zmm4{k1},zmm1
vaddps zmm1,zmm3,zmm4
vextractf64x4 ymm4,zmm1,1
vaddps zmm4,zmm1,zmm4
vextractf32x4 xmm1,ymm4,1
vaddps zmm1,zmm4,zmm1
vpermilps xmm4,xmm1,4Eh
vaddps zmm4,zmm1,zmm4
vpermilps xmm1,xmm4,0B1h
vaddps zmm1,zmm4,zmm1
vbroadcastss zmm1,xmm1
mov r11,1
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r11
kmovq k1,rdi
vmovups [rdx]{k1},zmm1
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea rdi,[rsi]
cmp rdi,[rax+30h]
jb near 0000000000000242h
vzeroupper
ret
