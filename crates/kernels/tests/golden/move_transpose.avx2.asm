push rbx
push rbp
push r12
push r13
push r14
sub rsp,0C0h
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 00000000000006A2h
mov rdx,[rax]
mov rsi,[rax+8]
mov r8,[rax+28h]
cmp r8,4
jb near 00000000000001B2h
cmp rcx,10h
jb near 00000000000001B2h
mov r8,rdx
mov r9,rsi
mov r10,[rax+28h]
cmp r10,4
jb near 0000000000000160h
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
lea rbx,[rbx+r11*2]
vmovups xmm2,[rbx]
vmovups xmm5,[rbx+r11]
lea rbx,[rbx+r11*2]
vmovups xmm6,[rbx]
vmovups xmm7,[rbx+r11]
lea rbx,[rbx+r11*2]
vinsertf128 ymm2,ymm2,[rbx],1
vinsertf128 ymm5,ymm5,[rbx+r11],1
lea rbx,[rbx+r11*2]
vinsertf128 ymm6,ymm6,[rbx],1
vinsertf128 ymm7,ymm7,[rbx+r11],1
vunpcklps ymm8,ymm2,ymm6
vunpckhps ymm6,ymm2,ymm6
vunpcklps ymm2,ymm5,ymm7
vunpckhps ymm7,ymm5,ymm7
vunpcklps ymm5,ymm8,ymm2
vunpckhps ymm2,ymm8,ymm2
vunpcklps ymm8,ymm6,ymm7
vunpckhps ymm7,ymm6,ymm7
vmovups [r9],ymm1
vmovups [r9+20h],ymm5
vmovups [r9+rdi],ymm0
vmovups [r9+rdi+20h],ymm2
lea r9,[r9+rdi*2]
vmovups [r9],ymm4
vmovups [r9+20h],ymm8
vmovups [r9+rdi],ymm3
vmovups [r9+rdi+20h],ymm7
add r8,10h
lea r9,[r9+rdi*2]
add r10,0FFFFFFFFFFFFFFFCh
cmp r10,4
jae near 000000000000005Bh
cmp r10,0
je near 0000000000000192h
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
imul rbx,10h
add rdx,rbx
add rsi,40h
add rcx,0FFFFFFFFFFFFFFF0h
cmp rcx,10h
jae near 000000000000003Fh
mov rbx,[rax+28h]
cmp rbx,4
jb near 00000000000002C7h
cmp rcx,8
jb near 00000000000002C7h
mov rbx,rdx
mov r10,rsi
mov r9,[rax+28h]
cmp r9,4
jb near 0000000000000275h
mov r8,[rax+10h]
mov rdi,[rax+18h]
mov r11,rbx
vmovups xmm7,[r11]
vmovups xmm8,[r11+r8]
lea r11,[r11+r8*2]
vmovups xmm2,[r11]
vmovups xmm5,[r11+r8]
lea r11,[r11+r8*2]
vinsertf128 ymm7,ymm7,[r11],1
vinsertf128 ymm8,ymm8,[r11+r8],1
lea r11,[r11+r8*2]
vinsertf128 ymm2,ymm2,[r11],1
vinsertf128 ymm5,ymm5,[r11+r8],1
vunpcklps ymm3,ymm7,ymm2
vunpckhps ymm2,ymm7,ymm2
vunpcklps ymm7,ymm8,ymm5
vunpckhps ymm5,ymm8,ymm5
vunpcklps ymm8,ymm3,ymm7
vunpckhps ymm7,ymm3,ymm7
vunpcklps ymm3,ymm2,ymm5
vunpckhps ymm5,ymm2,ymm5
vmovups [r10],ymm8
vmovups [r10+rdi],ymm7
lea r10,[r10+rdi*2]
vmovups [r10],ymm3
vmovups [r10+rdi],ymm5
add rbx,10h
lea r10,[r10+rdi*2]
add r9,0FFFFFFFFFFFFFFFCh
cmp r9,4
jae near 00000000000001E6h
cmp r9,0
je near 00000000000002A7h
add r9,0FFFFFFFFFFFFFFFCh
mov r11,r9
imul r11,4
add rbx,r11
mov r11,r9
imul r11,[rax+18h]
add r10,r11
mov r9,4
jmp 00000000000001D4h
mov r11,[rax+10h]
imul r11,8
add rdx,r11
add rsi,20h
add rcx,0FFFFFFFFFFFFFFF8h
cmp rcx,8
jae near 00000000000001CAh
mov r11,[rax+28h]
cmp r11,4
jb near 00000000000003BEh
cmp rcx,4
jb near 00000000000003BEh
mov r11,rdx
mov r9,rsi
mov r10,[rax+28h]
cmp r10,4
jb near 000000000000036Ch
mov rbx,[rax+10h]
mov rdi,[rax+18h]
mov r8,r11
vmovups xmm5,[r8]
vmovups xmm3,[r8+rbx]
lea r8,[r8+rbx*2]
vmovups xmm7,[r8]
vmovups xmm8,[r8+rbx]
vunpcklps xmm2,xmm5,xmm7
vunpckhps xmm7,xmm5,xmm7
vunpcklps xmm5,xmm3,xmm8
vunpckhps xmm8,xmm3,xmm8
vunpcklps xmm3,xmm2,xmm5
vunpckhps xmm5,xmm2,xmm5
vunpcklps xmm2,xmm7,xmm8
vunpckhps xmm8,xmm7,xmm8
vmovups [r9],xmm3
vmovups [r9+rdi],xmm5
lea r9,[r9+rdi*2]
vmovups [r9],xmm2
vmovups [r9+rdi],xmm8
add r11,10h
lea r9,[r9+rdi*2]
add r10,0FFFFFFFFFFFFFFFCh
cmp r10,4
jae near 00000000000002FBh
cmp r10,0
je near 000000000000039Eh
add r10,0FFFFFFFFFFFFFFFCh
mov r8,r10
imul r8,4
add r11,r8
mov r8,r10
imul r8,[rax+18h]
add r9,r8
mov r10,4
jmp 00000000000002E9h
mov r8,[rax+10h]
imul r8,4
add rdx,r8
add rsi,10h
add rcx,0FFFFFFFFFFFFFFFCh
cmp rcx,4
jae near 00000000000002DFh
cmp rcx,0
je near 00000000000006A2h
mov r8,rdx
mov r10,rsi
mov r9,[rax+28h]
cmp r9,0
je near 0000000000000682h
mov r11,r9
cmp r11,4
jb near 00000000000003F0h
mov r11,4
imul r11,4
mov rdi,rcx
cmp rdi,4
jb near 000000000000040Bh
mov rdi,4
mov rbx,r8
lea rbp,[rsp]
mov r12,r11
mov r13,0
cmp r12,20h
jb near 0000000000000445h
vmovups ymm8,[rbx+r13]
vmovups [rbp+r13],ymm8
add r13,20h
add r12,0FFFFFFFFFFFFFFE0h
cmp r12,20h
jae near 0000000000000426h
cmp r12,0
je near 00000000000004E4h
mov r14,r12
and r14,10h
je near 0000000000000470h
vmovups xmm8,[rbx+r13]
vmovups [rbp+r13],xmm8
add r13,10h
mov r14,r12
and r14,8
je near 000000000000048Dh
mov r14,[rbx+r13]
mov [rbp+r13],r14
add r13,8
mov r14,r12
and r14,4
je near 00000000000004AAh
mov r14d,[rbx+r13]
mov [rbp+r13],r14d
add r13,4
mov r14,r12
and r14,2
je near 00000000000004C9h
movzx r14d,word [rbx+r13]
mov [rbp+r13],r14w
add r13,2
and r12,1
je near 00000000000004E4h
movzx r12d,byte [rbx+r13]
mov [rbp+r13],r12b
add r13,1
add rbp,10h
add rbx,[rax+10h]
add rdi,0FFFFFFFFFFFFFFFFh
jne near 0000000000000412h
vmovups xmm8,[rsp]
vmovups xmm2,[rsp+10h]
vmovups xmm5,[rsp+20h]
vmovups xmm3,[rsp+30h]
vunpcklps xmm7,xmm8,xmm5
vunpckhps xmm5,xmm8,xmm5
vunpcklps xmm8,xmm2,xmm3
vunpckhps xmm3,xmm2,xmm3
vunpcklps xmm2,xmm7,xmm8
vunpckhps xmm8,xmm7,xmm8
vunpcklps xmm7,xmm5,xmm3
vunpckhps xmm3,xmm5,xmm3
vmovups [rsp+40h],xmm2
vmovups [rsp+50h],xmm8
vmovups [rsp+60h],xmm7
vmovups [rsp+70h],xmm3
mov r12,rcx
cmp r12,4
jb near 000000000000055Bh
mov r12,4
imul r12,4
mov r13,r9
cmp r13,4
jb near 0000000000000576h
mov r13,4
mov rbp,r10
lea rbx,[rsp+40h]
mov rdi,r12
mov r11,0
cmp rdi,20h
jb near 00000000000005B1h
vmovups ymm3,[rbx+r11]
vmovups [rbp+r11],ymm3
add r11,20h
add rdi,0FFFFFFFFFFFFFFE0h
cmp rdi,20h
jae near 0000000000000592h
cmp rdi,0
je near 0000000000000650h
mov r14,rdi
and r14,10h
je near 00000000000005DCh
vmovups xmm3,[rbx+r11]
vmovups [rbp+r11],xmm3
add r11,10h
mov r14,rdi
and r14,8
je near 00000000000005F9h
mov r14,[rbx+r11]
mov [rbp+r11],r14
add r11,8
mov r14,rdi
and r14,4
je near 0000000000000616h
mov r14d,[rbx+r11]
mov [rbp+r11],r14d
add r11,4
mov r14,rdi
and r14,2
je near 0000000000000635h
movzx r14d,word [rbx+r11]
mov [rbp+r11],r14w
add r11,2
and rdi,1
je near 0000000000000650h
movzx edi,byte [rbx+r11]
mov [rbp+r11],dil
add r11,1
add rbx,10h
add rbp,[rax+18h]
add r13,0FFFFFFFFFFFFFFFFh
jne near 000000000000057Eh
add r8,10h
mov rdi,[rax+18h]
imul rdi,4
add r10,rdi
add r9,0FFFFFFFFFFFFFFFCh
cmp r9,1
jge near 00000000000003DCh
mov rdi,[rax+10h]
imul rdi,4
add rdx,rdi
add rsi,10h
add rcx,0FFFFFFFFFFFFFFFCh
cmp rcx,1
jge near 00000000000003C8h
vzeroupper
add rsp,0C0h
pop r14
pop r13
pop r12
pop rbp
pop rbx
ret
