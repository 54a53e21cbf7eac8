push rbx
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 00000000000001AFh
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
mov r10,[rax+10h]
imul r10,18h
add r10,rdx
mov r11,r8
mov rdi,0
cmp r11,100h
jb near 00000000000000E2h
vmovups zmm0,[rdx+rdi]
vmovups zmm1,[rdx+rdi+40h]
vmovups zmm2,[rdx+rdi+80h]
vmovups zmm3,[rdx+rdi+0C0h]
vmovups [rsi+rdi],zmm0
vmovups [rsi+rdi+40h],zmm1
vmovups [rsi+rdi+80h],zmm2
vmovups [rsi+rdi+0C0h],zmm3
prefetcht1 [r10+rdi]
prefetcht1 [r10+rdi+40h]
prefetcht1 [r10+rdi+80h]
prefetcht1 [r10+rdi+0C0h]
add rdi,100h
add r11,0FFFFFFFFFFFFFF00h
cmp r11,100h
jae near 000000000000006Ch
cmp r11,40h
jb near 0000000000000111h
vmovups zmm3,[rdx+rdi]
vmovups [rsi+rdi],zmm3
prefetcht1 [r10+rdi]
add rdi,40h
add r11,0FFFFFFFFFFFFFFC0h
cmp r11,40h
jae near 00000000000000ECh
cmp r11,0
je near 000000000000013Ah
mov r10,0FFFFFFFFFFFFFFFFh
bzhi r10,r10,r11
kmovq k1,r10
vmovdqu8 zmm3{k1}{z},[rdx+rdi]
vmovdqu8 [rsi+rdi]{k1},zmm3
cmp r9,0
je near 000000000000019Dh
lea r10,[rsi+r8]
mov rdi,r9
mov r11,0
vpxord xmm3,xmm3,xmm3
cmp rdi,40h
jb near 000000000000017Bh
vmovups [r10+r11],zmm3
add r11,40h
add rdi,0FFFFFFFFFFFFFFC0h
cmp rdi,40h
jae near 0000000000000162h
cmp rdi,0
je near 000000000000019Dh
mov rbx,0FFFFFFFFFFFFFFFFh
bzhi rbx,rbx,rdi
kmovq k1,rbx
vmovdqu8 [r10+r11]{k1},zmm3
add rdx,[rax+10h]
add rsi,[rax+18h]
add rcx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000047h
vzeroupper
pop rbx
ret
