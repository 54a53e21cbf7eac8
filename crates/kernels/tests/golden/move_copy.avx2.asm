push rbx
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 000000000000025Ch
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
cmp r10,80h
jb near 00000000000000ACh
vmovups ymm0,[rdx+r11]
vmovups ymm1,[rdx+r11+20h]
vmovups ymm2,[rdx+r11+40h]
vmovups ymm3,[rdx+r11+60h]
vmovups [rsi+r11],ymm0
vmovups [rsi+r11+20h],ymm1
vmovups [rsi+r11+40h],ymm2
vmovups [rsi+r11+60h],ymm3
add r11,80h
add r10,0FFFFFFFFFFFFFF80h
cmp r10,80h
jae near 000000000000005Eh
cmp r10,20h
jb near 00000000000000D4h
vmovups ymm3,[rdx+r11]
vmovups [rsi+r11],ymm3
add r11,20h
add r10,0FFFFFFFFFFFFFFE0h
cmp r10,20h
jae near 00000000000000B6h
cmp r10,0
je near 000000000000016Eh
mov rdi,r10
and rdi,10h
je near 00000000000000FEh
vmovups xmm3,[rdx+r11]
vmovups [rsi+r11],xmm3
add r11,10h
mov rdi,r10
and rdi,8
je near 000000000000011Ah
mov rdi,[rdx+r11]
mov [rsi+r11],rdi
add r11,8
mov rdi,r10
and rdi,4
je near 0000000000000136h
mov edi,[rdx+r11]
mov [rsi+r11],edi
add r11,4
mov rdi,r10
and rdi,2
je near 0000000000000154h
movzx edi,word [rdx+r11]
mov [rsi+r11],di
add r11,2
and r10,1
je near 000000000000016Eh
movzx r10d,byte [rdx+r11]
mov [rsi+r11],r10b
add r11,1
cmp r9,0
je near 000000000000024Ah
lea r10,[rsi+r8]
mov r11,r9
mov rdi,0
vpxor xmm3,xmm3,xmm3
cmp r11,20h
jb near 00000000000001ACh
vmovups [r10+rdi],ymm3
add rdi,20h
add r11,0FFFFFFFFFFFFFFE0h
cmp r11,20h
jae near 0000000000000194h
cmp r11,0
je near 000000000000024Ah
mov rbx,r11
and rbx,10h
je near 00000000000001D0h
vmovups [r10+rdi],xmm3
add rdi,10h
mov rbx,r11
and rbx,8
je near 00000000000001EFh
mov rbx,0
mov [r10+rdi],rbx
add rdi,8
mov rbx,r11
and rbx,4
je near 000000000000020Eh
mov rbx,0
mov [r10+rdi],ebx
add rdi,4
mov rbx,r11
and rbx,2
je near 000000000000022Eh
mov rbx,0
mov [r10+rdi],bx
add rdi,2
and r11,1
je near 000000000000024Ah
mov r11,0
mov [r10+rdi],r11b
add rdi,1
add rdx,[rax+10h]
add rsi,[rax+18h]
add rcx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000047h
vzeroupper
pop rbx
ret
