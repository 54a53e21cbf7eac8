push rbx
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 0000000000000466h
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
jne near 000000000000023Fh
cmp r8,40h
jne near 0000000000000098h
mov r10,[rax+10h]
mov r11,[rax+18h]
mov rdi,r10
imul rdi,18h
prefetcht1 [rdx+rdi]
vmovups ymm0,[rdx]
vmovups ymm1,[rdx+20h]
vmovups [rsi],ymm0
vmovups [rsi+20h],ymm1
add rdx,r10
add rsi,r11
add rcx,0FFFFFFFFFFFFFFFFh
jne near 000000000000006Dh
jmp 0000000000000466h
cmp r8,80h
jne near 00000000000000FDh
mov rdi,[rax+10h]
mov r11,[rax+18h]
mov r10,rdi
imul r10,18h
prefetcht1 [rdx+r10]
prefetcht1 [rdx+r10+40h]
vmovups ymm1,[rdx]
vmovups ymm0,[rdx+20h]
vmovups ymm2,[rdx+40h]
vmovups ymm3,[rdx+60h]
vmovups [rsi],ymm1
vmovups [rsi+20h],ymm0
vmovups [rsi+40h],ymm2
vmovups [rsi+60h],ymm3
add rdx,rdi
add rsi,r11
add rcx,0FFFFFFFFFFFFFFFFh
jne near 00000000000000B7h
jmp 0000000000000466h
cmp r8,0C0h
jne near 0000000000000188h
mov r10,[rax+10h]
mov r11,[rax+18h]
mov rdi,r10
imul rdi,18h
prefetcht1 [rdx+rdi]
prefetcht1 [rdx+rdi+40h]
prefetcht1 [rdx+rdi+80h]
vmovups ymm3,[rdx]
vmovups ymm2,[rdx+20h]
vmovups ymm0,[rdx+40h]
vmovups ymm1,[rdx+60h]
vmovups ymm4,[rdx+80h]
vmovups ymm5,[rdx+0A0h]
vmovups [rsi],ymm3
vmovups [rsi+20h],ymm2
vmovups [rsi+40h],ymm0
vmovups [rsi+60h],ymm1
vmovups [rsi+80h],ymm4
vmovups [rsi+0A0h],ymm5
add rdx,r10
add rsi,r11
add rcx,0FFFFFFFFFFFFFFFFh
jne near 000000000000011Ch
jmp 0000000000000466h
cmp r8,100h
jne near 000000000000023Fh
mov rdi,[rax+10h]
mov r11,[rax+18h]
mov r10,rdi
imul r10,18h
prefetcht1 [rdx+r10]
prefetcht1 [rdx+r10+40h]
prefetcht1 [rdx+r10+80h]
prefetcht1 [rdx+r10+0C0h]
vmovups ymm5,[rdx]
vmovups ymm4,[rdx+20h]
vmovups ymm1,[rdx+40h]
vmovups ymm0,[rdx+60h]
vmovups ymm2,[rdx+80h]
vmovups ymm3,[rdx+0A0h]
vmovups ymm6,[rdx+0C0h]
vmovups ymm7,[rdx+0E0h]
vmovups [rsi],ymm5
vmovups [rsi+20h],ymm4
vmovups [rsi+40h],ymm1
vmovups [rsi+60h],ymm0
vmovups [rsi+80h],ymm2
vmovups [rsi+0A0h],ymm3
vmovups [rsi+0C0h],ymm6
vmovups [rsi+0E0h],ymm7
add rdx,rdi
add rsi,r11
add rcx,0FFFFFFFFFFFFFFFFh
jne near 00000000000001A7h
jmp 0000000000000466h
mov r10,[rax+10h]
imul r10,18h
add r10,rdx
mov r11,r8
mov rdi,0
cmp r11,80h
jb near 00000000000002B5h
vmovups ymm7,[rdx+rdi]
vmovups ymm6,[rdx+rdi+20h]
vmovups ymm3,[rdx+rdi+40h]
vmovups ymm2,[rdx+rdi+60h]
vmovups [rsi+rdi],ymm7
vmovups [rsi+rdi+20h],ymm6
vmovups [rsi+rdi+40h],ymm3
vmovups [rsi+rdi+60h],ymm2
prefetcht1 [r10+rdi]
prefetcht1 [r10+rdi+40h]
add rdi,80h
add r11,0FFFFFFFFFFFFFF80h
cmp r11,80h
jae near 0000000000000264h
cmp r11,20h
jb near 00000000000002E0h
vmovups ymm2,[rdx+rdi]
vmovups [rsi+rdi],ymm2
prefetcht1 [r10+rdi]
add rdi,20h
add r11,0FFFFFFFFFFFFFFE0h
cmp r11,20h
jae near 00000000000002BFh
cmp r11,0
je near 0000000000000378h
mov r10,r11
and r10,10h
je near 0000000000000308h
vmovups xmm2,[rdx+rdi]
vmovups [rsi+rdi],xmm2
add rdi,10h
mov r10,r11
and r10,8
je near 0000000000000324h
mov r10,[rdx+rdi]
mov [rsi+rdi],r10
add rdi,8
mov r10,r11
and r10,4
je near 0000000000000340h
mov r10d,[rdx+rdi]
mov [rsi+rdi],r10d
add rdi,4
mov r10,r11
and r10,2
je near 000000000000035Eh
movzx r10d,word [rdx+rdi]
mov [rsi+rdi],r10w
add rdi,2
and r11,1
je near 0000000000000378h
movzx r11d,byte [rdx+rdi]
mov [rsi+rdi],r11b
add rdi,1
cmp r9,0
je near 0000000000000454h
lea r11,[rsi+r8]
mov rdi,r9
mov r10,0
vpxor xmm2,xmm2,xmm2
cmp rdi,20h
jb near 00000000000003B6h
vmovups [r11+r10],ymm2
add r10,20h
add rdi,0FFFFFFFFFFFFFFE0h
cmp rdi,20h
jae near 000000000000039Eh
cmp rdi,0
je near 0000000000000454h
mov rbx,rdi
and rbx,10h
je near 00000000000003DAh
vmovups [r11+r10],xmm2
add r10,10h
mov rbx,rdi
and rbx,8
je near 00000000000003F9h
mov rbx,0
mov [r11+r10],rbx
add r10,8
mov rbx,rdi
and rbx,4
je near 0000000000000418h
mov rbx,0
mov [r11+r10],ebx
add r10,4
mov rbx,rdi
and rbx,2
je near 0000000000000438h
mov rbx,0
mov [r11+r10],bx
add r10,2
and rdi,1
je near 0000000000000454h
mov rdi,0
mov [r11+r10],dil
add r10,1
add rdx,[rax+10h]
add rsi,[rax+18h]
add rcx,0FFFFFFFFFFFFFFFFh
jne near 000000000000023Fh
vzeroupper
pop rbx
ret
