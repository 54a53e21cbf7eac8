push rbx
push rbp
push r12
push r13
push r14
sub rsp,0C0h
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 000000000000050Dh
mov rdx,[rax]
mov rsi,[rax+8]
mov r8,[rax+28h]
cmp r8,4
jb near 000000000000013Ah
cmp rcx,8
jb near 000000000000013Ah
mov r8,rdx
mov r9,rsi
mov r10,[rax+28h]
cmp r10,4
jb near 00000000000000E8h
mov r11,[rax+10h]
mov rdi,[rax+18h]
mov rbx,r8
vmovups xmm0,[rbx]
vmovups xmm1,[rbx+r11]
lea rbx,[rbx+r11*2]
vmovups xmm2,[rbx]
vmovups xmm3,[rbx+r11]
lea rbx,[rbx+r11*2]
vinsertf128 ymm0,ymm0,[rbx],1
vinsertf128 ymm1,ymm1,[rbx+r11],1
lea rbx,[rbx+r11*2]
vinsertf128 ymm2,ymm2,[rbx],1
vinsertf128 ymm3,ymm3,[rbx+r11],1
vunpcklps ymm4,ymm0,ymm2
vunpckhps ymm2,ymm0,ymm2
vunpcklps ymm0,ymm1,ymm3
vunpckhps ymm3,ymm1,ymm3
vunpcklps ymm1,ymm4,ymm0
vunpckhps ymm0,ymm4,ymm0
vunpcklps ymm4,ymm2,ymm3
vunpckhps ymm3,ymm2,ymm3
vmovups [r9],ymm1
vmovups [r9+rdi],ymm0
lea r9,[r9+rdi*2]
vmovups [r9],ymm4
vmovups [r9+rdi],ymm3
add r8,10h
lea r9,[r9+rdi*2]
add r10,0FFFFFFFFFFFFFFFCh
cmp r10,4
jae near 000000000000005Bh
cmp r10,0
je near 000000000000011Ah
add r10,0FFFFFFFFFFFFFFFCh
mov rbx,r10
imul rbx,4
add r8,rbx
mov rbx,r10
imul rbx,[rax+18h]
add r9,rbx
mov r10,4
jmp 0000000000000049h
mov rbx,[rax+10h]
imul rbx,8
add rdx,rbx
add rsi,20h
add rcx,0FFFFFFFFFFFFFFF8h
cmp rcx,8
jae near 000000000000003Fh
mov rbx,[rax+28h]
cmp rbx,4
jb near 000000000000022Dh
cmp rcx,4
jb near 000000000000022Dh
mov rbx,rdx
mov r10,rsi
mov r9,[rax+28h]
cmp r9,4
jb near 00000000000001DBh
mov r8,[rax+10h]
mov rdi,[rax+18h]
mov r11,rbx
vmovups xmm3,[r11]
vmovups xmm4,[r11+r8]
lea r11,[r11+r8*2]
vmovups xmm0,[r11]
vmovups xmm1,[r11+r8]
vunpcklps xmm2,xmm3,xmm0
vunpckhps xmm0,xmm3,xmm0
vunpcklps xmm3,xmm4,xmm1
vunpckhps xmm1,xmm4,xmm1
vunpcklps xmm4,xmm2,xmm3
vunpckhps xmm3,xmm2,xmm3
vunpcklps xmm2,xmm0,xmm1
vunpckhps xmm1,xmm0,xmm1
vmovups [r10],xmm4
vmovups [r10+rdi],xmm3
lea r10,[r10+rdi*2]
vmovups [r10],xmm2
vmovups [r10+rdi],xmm1
add rbx,10h
lea r10,[r10+rdi*2]
add r9,0FFFFFFFFFFFFFFFCh
cmp r9,4
jae near 000000000000016Eh
cmp r9,0
je near 000000000000020Dh
add r9,0FFFFFFFFFFFFFFFCh
mov r11,r9
imul r11,4
add rbx,r11
mov r11,r9
imul r11,[rax+18h]
add r10,r11
mov r9,4
jmp 000000000000015Ch
mov r11,[rax+10h]
imul r11,4
add rdx,r11
add rsi,10h
add rcx,0FFFFFFFFFFFFFFFCh
cmp rcx,4
jae near 0000000000000152h
cmp rcx,0
je near 000000000000050Dh
mov r11,rdx
mov r9,rsi
mov r10,[rax+28h]
cmp r10,0
je near 00000000000004EDh
mov rbx,r10
cmp rbx,4
jb near 000000000000025Fh
mov rbx,4
imul rbx,4
mov rdi,rcx
cmp rdi,4
jb near 000000000000027Ah
mov rdi,4
mov r8,r11
lea rbp,[rsp]
mov r12,rbx
mov r13,0
cmp r12,20h
jb near 00000000000002B4h
vmovups ymm1,[r8+r13]
vmovups [rbp+r13],ymm1
add r13,20h
add r12,0FFFFFFFFFFFFFFE0h
cmp r12,20h
jae near 0000000000000295h
cmp r12,0
je near 0000000000000353h
mov r14,r12
and r14,10h
je near 00000000000002DFh
vmovups xmm1,[r8+r13]
vmovups [rbp+r13],xmm1
add r13,10h
mov r14,r12
and r14,8
je near 00000000000002FCh
mov r14,[r8+r13]
mov [rbp+r13],r14
add r13,8
mov r14,r12
and r14,4
je near 0000000000000319h
mov r14d,[r8+r13]
mov [rbp+r13],r14d
add r13,4
mov r14,r12
and r14,2
je near 0000000000000338h
movzx r14d,word [r8+r13]
mov [rbp+r13],r14w
add r13,2
and r12,1
je near 0000000000000353h
movzx r12d,byte [r8+r13]
mov [rbp+r13],r12b
add r13,1
add rbp,10h
add r8,[rax+10h]
add rdi,0FFFFFFFFFFFFFFFFh
jne near 0000000000000281h
vmovups xmm1,[rsp]
vmovups xmm2,[rsp+10h]
vmovups xmm3,[rsp+20h]
vmovups xmm4,[rsp+30h]
vunpcklps xmm0,xmm1,xmm3
vunpckhps xmm3,xmm1,xmm3
vunpcklps xmm1,xmm2,xmm4
vunpckhps xmm4,xmm2,xmm4
vunpcklps xmm2,xmm0,xmm1
vunpckhps xmm1,xmm0,xmm1
vunpcklps xmm0,xmm3,xmm4
vunpckhps xmm4,xmm3,xmm4
vmovups [rsp+40h],xmm2
vmovups [rsp+50h],xmm1
vmovups [rsp+60h],xmm0
vmovups [rsp+70h],xmm4
mov r12,rcx
cmp r12,4
jb near 00000000000003C8h
mov r12,4
imul r12,4
mov r13,r10
cmp r13,4
jb near 00000000000003E3h
mov r13,4
mov rbp,r9
lea r8,[rsp+40h]
mov rdi,r12
mov rbx,0
cmp rdi,20h
jb near 000000000000041Dh
vmovups ymm4,[r8+rbx]
vmovups [rbp+rbx],ymm4
add rbx,20h
add rdi,0FFFFFFFFFFFFFFE0h
cmp rdi,20h
jae near 00000000000003FFh
cmp rdi,0
je near 00000000000004BBh
mov r14,rdi
and r14,10h
je near 0000000000000447h
vmovups xmm4,[r8+rbx]
vmovups [rbp+rbx],xmm4
add rbx,10h
mov r14,rdi
and r14,8
je near 0000000000000464h
mov r14,[r8+rbx]
mov [rbp+rbx],r14
add rbx,8
mov r14,rdi
and r14,4
je near 0000000000000481h
mov r14d,[r8+rbx]
mov [rbp+rbx],r14d
add rbx,4
mov r14,rdi
and r14,2
je near 00000000000004A0h
movzx r14d,word [r8+rbx]
mov [rbp+rbx],r14w
add rbx,2
and rdi,1
je near 00000000000004BBh
movzx edi,byte [r8+rbx]
mov [rbp+rbx],dil
add rbx,1
add r8,10h
add rbp,[rax+18h]
add r13,0FFFFFFFFFFFFFFFFh
jne near 00000000000003EBh
add r11,10h
mov rdi,[rax+18h]
imul rdi,4
add r9,rdi
add r10,0FFFFFFFFFFFFFFFCh
cmp r10,1
jge near 000000000000024Bh
mov rdi,[rax+10h]
imul rdi,4
add rdx,rdi
add rsi,10h
add rcx,0FFFFFFFFFFFFFFFCh
cmp rcx,1
jge near 0000000000000237h
vzeroupper
add rsp,0C0h
pop r14
pop r13
pop r12
pop rbp
pop rbx
ret
