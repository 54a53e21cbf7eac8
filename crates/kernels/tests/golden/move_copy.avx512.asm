push rbx
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 000000000000017Fh
mov rdx,[rax]
mov rsi,[rax+8]
mov r8,[rax+38h]
mov r8,[rax+28h]
mov r9,[rax+30h]
sub r9,r8
cmp r9,0
jge near 0000000000000039h
mov r9,0
imul r9,4
imul r8,4
mov r10,r8
mov r11,0
cmp r10,100h
jb near 00000000000000B7h
vmovups zmm0,[rdx+r11]
vmovups zmm1,[rdx+r11+40h]
vmovups zmm2,[rdx+r11+80h]
vmovups zmm3,[rdx+r11+0C0h]
vmovups [rsi+r11],zmm0
vmovups [rsi+r11+40h],zmm1
vmovups [rsi+r11+80h],zmm2
vmovups [rsi+r11+0C0h],zmm3
add r11,100h
add r10,0FFFFFFFFFFFFFF00h
cmp r10,100h
jae near 000000000000005Eh
cmp r10,40h
jb near 00000000000000E1h
vmovups zmm3,[rdx+r11]
vmovups [rsi+r11],zmm3
add r11,40h
add r10,0FFFFFFFFFFFFFFC0h
cmp r10,40h
jae near 00000000000000C1h
cmp r10,0
je near 000000000000010Ah
mov rdi,0FFFFFFFFFFFFFFFFh
bzhi rdi,rdi,r10
kmovq k1,rdi
vmovdqu8 zmm3{k1}{z},[rdx+r11]
vmovdqu8 [rsi+r11]{k1},zmm3
cmp r9,0
je near 000000000000016Dh
lea rdi,[rsi+r8]
mov r11,r9
mov r10,0
vpxord xmm3,xmm3,xmm3
cmp r11,40h
jb near 000000000000014Bh
vmovups [rdi+r10],zmm3
add r10,40h
add r11,0FFFFFFFFFFFFFFC0h
cmp r11,40h
jae near 0000000000000132h
cmp r11,0
je near 000000000000016Dh
mov rbx,0FFFFFFFFFFFFFFFFh
bzhi rbx,rbx,r11
kmovq k1,rbx
vmovdqu8 [rdi+r10]{k1},zmm3
add rdx,[rax+10h]
add rsi,[rax+18h]
add rcx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000047h
vzeroupper
pop rbx
ret
