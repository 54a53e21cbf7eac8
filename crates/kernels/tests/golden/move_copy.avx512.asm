push rbx
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 0000000000000347h
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
cmp r9,0
jne near 00000000000001DFh
cmp r8,40h
jne near 0000000000000092h
mov r10,[rax+10h]
mov r11,[rax+18h]
mov rdi,r10
imul rdi,18h
prefetcht1 [rdx+rdi]
vmovups zmm0,[rdx]
vmovups [rsi],zmm0
add rdx,r10
add rsi,r11
add rcx,0FFFFFFFFFFFFFFFFh
jne near 000000000000006Dh
jmp 0000000000000347h
cmp r8,80h
jne near 00000000000000EBh
mov rdi,[rax+10h]
mov r11,[rax+18h]
mov r10,rdi
imul r10,18h
prefetcht1 [rdx+r10]
prefetcht1 [rdx+r10+40h]
vmovups zmm0,[rdx]
vmovups zmm1,[rdx+40h]
vmovups [rsi],zmm0
vmovups [rsi+40h],zmm1
add rdx,rdi
add rsi,r11
add rcx,0FFFFFFFFFFFFFFFFh
jne near 00000000000000B1h
jmp 0000000000000347h
cmp r8,0C0h
jne near 0000000000000158h
mov r10,[rax+10h]
mov r11,[rax+18h]
mov rdi,r10
imul rdi,18h
prefetcht1 [rdx+rdi]
prefetcht1 [rdx+rdi+40h]
prefetcht1 [rdx+rdi+80h]
vmovups zmm1,[rdx]
vmovups zmm0,[rdx+40h]
vmovups zmm2,[rdx+80h]
vmovups [rsi],zmm1
vmovups [rsi+40h],zmm0
vmovups [rsi+80h],zmm2
add rdx,r10
add rsi,r11
add rcx,0FFFFFFFFFFFFFFFFh
jne near 000000000000010Ah
jmp 0000000000000347h
cmp r8,100h
jne near 00000000000001DFh
mov rdi,[rax+10h]
mov r11,[rax+18h]
mov r10,rdi
imul r10,18h
prefetcht1 [rdx+r10]
prefetcht1 [rdx+r10+40h]
prefetcht1 [rdx+r10+80h]
prefetcht1 [rdx+r10+0C0h]
vmovups zmm2,[rdx]
vmovups zmm0,[rdx+40h]
vmovups zmm1,[rdx+80h]
vmovups zmm3,[rdx+0C0h]
vmovups [rsi],zmm2
vmovups [rsi+40h],zmm0
vmovups [rsi+80h],zmm1
vmovups [rsi+0C0h],zmm3
add rdx,rdi
add rsi,r11
add rcx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000177h
jmp 0000000000000347h
mov r10,[rax+10h]
imul r10,18h
add r10,rdx
mov r11,r8
mov rdi,0
cmp r11,100h
jb near 000000000000027Ah
vmovups zmm3,[rdx+rdi]
vmovups zmm1,[rdx+rdi+40h]
vmovups zmm0,[rdx+rdi+80h]
vmovups zmm2,[rdx+rdi+0C0h]
vmovups [rsi+rdi],zmm3
vmovups [rsi+rdi+40h],zmm1
vmovups [rsi+rdi+80h],zmm0
vmovups [rsi+rdi+0C0h],zmm2
prefetcht1 [r10+rdi]
prefetcht1 [r10+rdi+40h]
prefetcht1 [r10+rdi+80h]
prefetcht1 [r10+rdi+0C0h]
add rdi,100h
add r11,0FFFFFFFFFFFFFF00h
cmp r11,100h
jae near 0000000000000204h
cmp r11,40h
jb near 00000000000002A9h
vmovups zmm2,[rdx+rdi]
vmovups [rsi+rdi],zmm2
prefetcht1 [r10+rdi]
add rdi,40h
add r11,0FFFFFFFFFFFFFFC0h
cmp r11,40h
jae near 0000000000000284h
cmp r11,0
je near 00000000000002D2h
mov r10,0FFFFFFFFFFFFFFFFh
bzhi r10,r10,r11
kmovq k1,r10
vmovdqu8 zmm2{k1}{z},[rdx+rdi]
vmovdqu8 [rsi+rdi]{k1},zmm2
cmp r9,0
je near 0000000000000335h
lea r10,[rsi+r8]
mov rdi,r9
mov r11,0
vpxord xmm2,xmm2,xmm2
cmp rdi,40h
jb near 0000000000000313h
vmovups [r10+r11],zmm2
add r11,40h
add rdi,0FFFFFFFFFFFFFFC0h
cmp rdi,40h
jae near 00000000000002FAh
cmp rdi,0
je near 0000000000000335h
mov rbx,0FFFFFFFFFFFFFFFFh
bzhi rbx,rbx,rdi
kmovq k1,rbx
vmovdqu8 [r10+r11]{k1},zmm2
add rdx,[rax+10h]
add rsi,[rax+18h]
add rcx,0FFFFFFFFFFFFFFFFh
jne near 00000000000001DFh
vzeroupper
pop rbx
ret
