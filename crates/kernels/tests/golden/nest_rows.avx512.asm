mov rax,rdi
mov rcx,[rax+90h]
cmp rcx,0
jge near 000000000000001Bh
mov rcx,0
cmp rcx,[rax+98h]
jl near 000000000000002Fh
mov rcx,[rax+98h]
mov [rax+60h],rcx
vpxord xmm0,xmm0,xmm0
mov rcx,[rax+60h]
cmp rcx,0
je near 00000000000001A2h
mov rcx,[rax+18h]
mov rdx,[rax+20h]
mov rsi,[rax+28h]
mov r8,0
mov r9,0
mov r10,[rax+68h]
and r10,0FFFFFFFFFFFFFFC0h
je near 0000000000000132h
nop word [rax+rax]
nop dword [rax+rax]
vmovups zmm1,[rcx+r9*4]
vmovups zmm2,[rcx+r9*4+40h]
vmovups zmm3,[rdx+r9*4]
vmovups zmm4,[rdx+r9*4+40h]
vaddps zmm3,zmm1,zmm3
vaddps zmm4,zmm2,zmm4
vmaxps zmm3,zmm0,zmm3
vmaxps zmm4,zmm0,zmm4
vaddps zmm3,zmm3,zmm0
vaddps zmm4,zmm4,zmm0
vmovups [rsi+r9*4],zmm3
vmovups [rsi+r9*4+40h],zmm4
vmovups zmm4,[rcx+r9*4+80h]
vmovups zmm3,[rcx+r9*4+0C0h]
vmovups zmm2,[rdx+r9*4+80h]
vmovups zmm1,[rdx+r9*4+0C0h]
vaddps zmm2,zmm4,zmm2
vaddps zmm1,zmm3,zmm1
vmaxps zmm2,zmm0,zmm2
vmaxps zmm1,zmm0,zmm1
vaddps zmm2,zmm2,zmm0
vaddps zmm1,zmm1,zmm0
vmovups [rsi+r9*4+80h],zmm2
vmovups [rsi+r9*4+0C0h],zmm1
add r9,40h
cmp r9,r10
jb near 0000000000000080h
mov r10,[rax+68h]
sub r10,r9
je near 0000000000000189h
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,r10
kmovq k1,r11
vmovups zmm1{k1}{z},[rcx+r9*4]
vmovups zmm2{k1}{z},[rdx+r9*4]
vaddps zmm2,zmm1,zmm2
vmaxps zmm2,zmm0,zmm2
vaddps zmm2,zmm2,zmm0
vmovups [rsi+r9*4]{k1},zmm2
add r9,10h
add r10,0FFFFFFFFFFFFFFF0h
cmp r10,1
jge near 000000000000013Fh
add r8,1
add rcx,[rax+30h]
add rsi,[rax+40h]
lea r11,[r8]
cmp r11,[rax+60h]
jb near 000000000000005Ah
mov r11,[rax]
add r11,0FFFFFFFFFFFFFFFFh
mov [rax],r11
je near 000000000000022Ch
mov r11,[rax+70h]
add r11,[rax+18h]
mov [rax+18h],r11
mov r11,[rax+80h]
add r11,[rax+28h]
mov [rax+28h],r11
mov r11,[rax+0A0h]
add r11,[rax+90h]
mov [rax+90h],r11
mov r11,[rax+8]
add r11,0FFFFFFFFFFFFFFFFh
mov [rax+8],r11
jne near 3
mov r11,[rax+78h]
add r11,[rax+18h]
mov [rax+18h],r11
mov r11,[rax+88h]
add r11,[rax+28h]
mov [rax+28h],r11
mov r11,[rax+0A8h]
add r11,[rax+90h]
mov [rax+90h],r11
mov r11,[rax+10h]
mov [rax+8],r11
vzeroupper
ret
