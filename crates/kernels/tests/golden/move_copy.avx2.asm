push rbx
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 000000000000026Eh
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
cmp r11,80h
jb near 00000000000000BDh
vmovups ymm0,[rdx+rdi]
vmovups ymm1,[rdx+rdi+20h]
vmovups ymm2,[rdx+rdi+40h]
vmovups ymm3,[rdx+rdi+60h]
vmovups [rsi+rdi],ymm0
vmovups [rsi+rdi+20h],ymm1
vmovups [rsi+rdi+40h],ymm2
vmovups [rsi+rdi+60h],ymm3
prefetcht1 [r10+rdi]
prefetcht1 [r10+rdi+40h]
add rdi,80h
add r11,0FFFFFFFFFFFFFF80h
cmp r11,80h
jae near 000000000000006Ch
cmp r11,20h
jb near 00000000000000E8h
vmovups ymm3,[rdx+rdi]
vmovups [rsi+rdi],ymm3
prefetcht1 [r10+rdi]
add rdi,20h
add r11,0FFFFFFFFFFFFFFE0h
cmp r11,20h
jae near 00000000000000C7h
cmp r11,0
je near 0000000000000180h
mov r10,r11
and r10,10h
je near 0000000000000110h
vmovups xmm3,[rdx+rdi]
vmovups [rsi+rdi],xmm3
add rdi,10h
mov r10,r11
and r10,8
je near 000000000000012Ch
mov r10,[rdx+rdi]
mov [rsi+rdi],r10
add rdi,8
mov r10,r11
and r10,4
je near 0000000000000148h
mov r10d,[rdx+rdi]
mov [rsi+rdi],r10d
add rdi,4
mov r10,r11
and r10,2
je near 0000000000000166h
movzx r10d,word [rdx+rdi]
mov [rsi+rdi],r10w
add rdi,2
and r11,1
je near 0000000000000180h
movzx r11d,byte [rdx+rdi]
mov [rsi+rdi],r11b
add rdi,1
cmp r9,0
je near 000000000000025Ch
lea r11,[rsi+r8]
mov rdi,r9
mov r10,0
vpxor xmm3,xmm3,xmm3
cmp rdi,20h
jb near 00000000000001BEh
vmovups [r11+r10],ymm3
add r10,20h
add rdi,0FFFFFFFFFFFFFFE0h
cmp rdi,20h
jae near 00000000000001A6h
cmp rdi,0
je near 000000000000025Ch
mov rbx,rdi
and rbx,10h
je near 00000000000001E2h
vmovups [r11+r10],xmm3
add r10,10h
mov rbx,rdi
and rbx,8
je near 0000000000000201h
mov rbx,0
mov [r11+r10],rbx
add r10,8
mov rbx,rdi
and rbx,4
je near 0000000000000220h
mov rbx,0
mov [r11+r10],ebx
add r10,4
mov rbx,rdi
and rbx,2
je near 0000000000000240h
mov rbx,0
mov [r11+r10],bx
add r10,2
and rdi,1
je near 000000000000025Ch
mov rdi,0
mov [r11+r10],dil
add r10,1
add rdx,[rax+10h]
add rsi,[rax+18h]
add rcx,0FFFFFFFFFFFFFFFFh
jne near 0000000000000047h
vzeroupper
pop rbx
ret
