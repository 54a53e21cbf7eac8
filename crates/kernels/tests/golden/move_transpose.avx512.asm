push rbx
push rbp
push r12
push r13
push r14
sub rsp,0C0h
mov rax,rdi
mov rcx,[rax+20h]
cmp rcx,0
je near 00000000000005FCh
mov rdx,[rax]
mov rsi,[rax+8]
mov r8,[rax+28h]
cmp r8,4
jb near 00000000000001A4h
cmp rcx,10h
jb near 00000000000001A4h
mov r8,rdx
mov r9,rsi
mov r10,[rax+28h]
cmp r10,4
jb near 0000000000000152h
mov r11,[rax+10h]
mov rdi,[rax+18h]
mov rbx,r8
vmovups xmm0,[rbx]
vmovups xmm1,[rbx+r11]
lea rbx,[rbx+r11*2]
vmovups xmm2,[rbx]
vmovups xmm3,[rbx+r11]
lea rbx,[rbx+r11*2]
vinsertf32x4 zmm0,zmm0,[rbx],1
vinsertf32x4 zmm1,zmm1,[rbx+r11],1
lea rbx,[rbx+r11*2]
vinsertf32x4 zmm2,zmm2,[rbx],1
vinsertf32x4 zmm3,zmm3,[rbx+r11],1
lea rbx,[rbx+r11*2]
vinsertf32x4 zmm0,zmm0,[rbx],2
vinsertf32x4 zmm1,zmm1,[rbx+r11],2
lea rbx,[rbx+r11*2]
vinsertf32x4 zmm2,zmm2,[rbx],2
vinsertf32x4 zmm3,zmm3,[rbx+r11],2
lea rbx,[rbx+r11*2]
vinsertf32x4 zmm0,zmm0,[rbx],3
vinsertf32x4 zmm1,zmm1,[rbx+r11],3
lea rbx,[rbx+r11*2]
vinsertf32x4 zmm2,zmm2,[rbx],3
vinsertf32x4 zmm3,zmm3,[rbx+r11],3
vunpcklps zmm4,zmm0,zmm2
vunpckhps zmm2,zmm0,zmm2
vunpcklps zmm0,zmm1,zmm3
vunpckhps zmm3,zmm1,zmm3
vunpcklps zmm1,zmm4,zmm0
vunpckhps zmm0,zmm4,zmm0
vunpcklps zmm4,zmm2,zmm3
vunpckhps zmm3,zmm2,zmm3
vmovups [r9],zmm1
vmovups [r9+rdi],zmm0
lea r9,[r9+rdi*2]
vmovups [r9],zmm4
vmovups [r9+rdi],zmm3
add r8,10h
lea r9,[r9+rdi*2]
add r10,0FFFFFFFFFFFFFFFCh
cmp r10,4
jae near 000000000000005Bh
cmp r10,0
je near 0000000000000184h
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
jb near 00000000000002D5h
cmp rcx,8
jb near 00000000000002D5h
mov rbx,rdx
mov r10,rsi
mov r9,[rax+28h]
cmp r9,4
jb near 0000000000000283h
mov r8,[rax+10h]
mov rdi,[rax+18h]
mov r11,rbx
vmovups xmm3,[r11]
vmovups xmm4,[r11+r8]
lea r11,[r11+r8*2]
vmovups xmm0,[r11]
vmovups xmm1,[r11+r8]
lea r11,[r11+r8*2]
vinsertf32x4 ymm3,ymm3,[r11],1
vinsertf32x4 ymm4,ymm4,[r11+r8],1
lea r11,[r11+r8*2]
vinsertf32x4 ymm0,ymm0,[r11],1
vinsertf32x4 ymm1,ymm1,[r11+r8],1
vunpcklps ymm2,ymm3,ymm0
vunpckhps ymm0,ymm3,ymm0
vunpcklps ymm3,ymm4,ymm1
vunpckhps ymm1,ymm4,ymm1
vunpcklps ymm4,ymm2,ymm3
vunpckhps ymm3,ymm2,ymm3
vunpcklps ymm2,ymm0,ymm1
vunpckhps ymm1,ymm0,ymm1
vmovups [r10],ymm4
vmovups [r10+rdi],ymm3
lea r10,[r10+rdi*2]
vmovups [r10],ymm2
vmovups [r10+rdi],ymm1
add rbx,10h
lea r10,[r10+rdi*2]
add r9,0FFFFFFFFFFFFFFFCh
cmp r9,4
jae near 00000000000001D8h
cmp r9,0
je near 00000000000002B5h
add r9,0FFFFFFFFFFFFFFFCh
mov r11,r9
imul r11,4
add rbx,r11
mov r11,r9
imul r11,[rax+18h]
add r10,r11
mov r9,4
jmp 00000000000001C6h
mov r11,[rax+10h]
imul r11,8
add rdx,r11
add rsi,20h
add rcx,0FFFFFFFFFFFFFFF8h
cmp rcx,8
jae near 00000000000001BCh
mov r11,[rax+28h]
cmp r11,4
jb near 00000000000003E0h
cmp rcx,4
jb near 00000000000003E0h
mov r11,rdx
mov r9,rsi
mov r10,[rax+28h]
cmp r10,4
jb near 000000000000038Eh
mov rbx,[rax+10h]
mov rdi,[rax+18h]
mov r8,r11
vmovups xmm1,[r8]
vmovups xmm2,[r8+rbx]
lea r8,[r8+rbx*2]
vmovups xmm3,[r8]
vmovups xmm4,[r8+rbx]
vunpcklps xmm0,xmm1,xmm3
vunpckhps xmm3,xmm1,xmm3
vunpcklps xmm1,xmm2,xmm4
vunpckhps xmm4,xmm2,xmm4
vunpcklps xmm2,xmm0,xmm1
vunpckhps xmm1,xmm0,xmm1
vunpcklps xmm0,xmm3,xmm4
vunpckhps xmm4,xmm3,xmm4
vmovups [r9],xmm2
vmovups [r9+rdi],xmm1
lea r9,[r9+rdi*2]
vmovups [r9],xmm0
vmovups [r9+rdi],xmm4
add r11,10h
lea r9,[r9+rdi*2]
add r10,0FFFFFFFFFFFFFFFCh
cmp r10,4
jae near 0000000000000309h
cmp r10,0
je near 00000000000003C0h
add r10,0FFFFFFFFFFFFFFFCh
mov r8,r10
imul r8,4
add r11,r8
mov r8,r10
imul r8,[rax+18h]
add r9,r8
mov r10,4
jmp 00000000000002F7h
mov r8,[rax+10h]
imul r8,4
add rdx,r8
add rsi,10h
add rcx,0FFFFFFFFFFFFFFFCh
cmp rcx,4
jae near 00000000000002EDh
cmp rcx,0
je near 00000000000005FCh
mov r8,rdx
mov r10,rsi
mov r9,[rax+28h]
cmp r9,0
je near 00000000000005DCh
mov r11,r9
cmp r11,4
jb near 0000000000000412h
mov r11,4
imul r11,4
mov rdi,rcx
cmp rdi,4
jb near 000000000000042Dh
mov rdi,4
mov rbx,r8
lea rbp,[rsp]
mov r12,r11
mov r13,0
cmp r12,40h
jb near 0000000000000469h
vmovups zmm4,[rbx+r13]
vmovups [rbp+r13],zmm4
add r13,40h
add r12,0FFFFFFFFFFFFFFC0h
cmp r12,40h
jae near 0000000000000448h
cmp r12,0
je near 0000000000000493h
mov r14,0FFFFFFFFFFFFFFFFh
bzhi r14,r14,r12
kmovq k1,r14
vmovdqu8 zmm4{k1}{z},[rbx+r13]
vmovdqu8 [rbp+r13]{k1},zmm4
add rbp,10h
add rbx,[rax+10h]
add rdi,0FFFFFFFFFFFFFFFFh
jne near 0000000000000434h
vmovups xmm4,[rsp]
vmovups xmm0,[rsp+10h]
vmovups xmm1,[rsp+20h]
vmovups xmm2,[rsp+30h]
vunpcklps xmm3,xmm4,xmm1
vunpckhps xmm1,xmm4,xmm1
vunpcklps xmm4,xmm0,xmm2
vunpckhps xmm2,xmm0,xmm2
vunpcklps xmm0,xmm3,xmm4
vunpckhps xmm4,xmm3,xmm4
vunpcklps xmm3,xmm1,xmm2
vunpckhps xmm2,xmm1,xmm2
vmovups [rsp+40h],xmm0
vmovups [rsp+50h],xmm4
vmovups [rsp+60h],xmm3
vmovups [rsp+70h],xmm2
mov r14,rcx
cmp r14,4
jb near 0000000000000528h
mov r14,4
imul r14,4
mov r13,r9
cmp r13,4
jb near 0000000000000543h
mov r13,4
mov r12,r10
lea rbp,[rsp+40h]
mov rbx,r14
mov rdi,0
cmp rbx,40h
jb near 0000000000000580h
vmovups zmm2,[rbp+rdi]
vmovups [r12+rdi],zmm2
add rdi,40h
add rbx,0FFFFFFFFFFFFFFC0h
cmp rbx,40h
jae near 000000000000055Fh
cmp rbx,0
je near 00000000000005AAh
mov r11,0FFFFFFFFFFFFFFFFh
bzhi r11,r11,rbx
kmovq k1,r11
vmovdqu8 zmm2{k1}{z},[rbp+rdi]
vmovdqu8 [r12+rdi]{k1},zmm2
add rbp,10h
add r12,[rax+18h]
add r13,0FFFFFFFFFFFFFFFFh
jne near 000000000000054Bh
add r8,10h
mov r11,[rax+18h]
imul r11,4
add r10,r11
add r9,0FFFFFFFFFFFFFFFCh
cmp r9,1
jge near 00000000000003FEh
mov r11,[rax+10h]
imul r11,4
add rdx,r11
add rsi,10h
add rcx,0FFFFFFFFFFFFFFFCh
cmp rcx,1
jge near 00000000000003EAh
vzeroupper
add rsp,0C0h
pop r14
pop r13
pop r12
pop rbp
pop rbx
ret
