push rbx
mov rax,rdi
mov rcx,[rax+68h]
cmp rcx,0
je near 000000000000004Ah
mov rcx,[rax+10h]
mov rdx,[rax+38h]
vmovups zmm0,[rcx]
vmovups zmm1,[rcx+40h]
vmovups zmm2,[rcx+rdx]
vmovups zmm3,[rcx+rdx+40h]
vmovups zmm4,[rcx+rdx*2]
vmovups zmm5,[rcx+rdx*2+40h]
jmp 000000000000009Dh
mov rdx,[rax+48h]
cmp rdx,41h
jb near 0000000000000079h
mov rdx,[rax+10h]
mov rcx,[rax+38h]
prefetcht1 [rdx]
prefetcht1 [rdx+40h]
prefetcht1 [rdx+rcx]
prefetcht1 [rdx+rcx+40h]
prefetcht1 [rdx+rcx*2]
prefetcht1 [rdx+rcx*2+40h]
vpxord xmm0,xmm0,xmm0
vpxord xmm1,xmm1,xmm1
vpxord xmm2,xmm2,xmm2
vpxord xmm3,xmm3,xmm3
vpxord xmm4,xmm4,xmm4
vpxord xmm5,xmm5,xmm5
mov rcx,[rax+70h]
mov rdx,[rax+50h]
mov rsi,[rax+58h]
cmp rdx,0
je near 00000000000002B3h
mov r8,[rsi]
add r8,[rax]
mov r9,[rsi+8]
add r9,[rax+8]
mov r10,[rax+30h]
lea r11,[r10+r10*2]
mov rdi,[rax+18h]
mov rbx,[rax+48h]
cmp rbx,4
jb near 0000000000000244h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
nop
vmovups zmm6,[r9]
vmovups zmm7,[r9+40h]
vbroadcastss zmm8,[r8]
vdpbf16ps zmm0,zmm6,zmm8
vdpbf16ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi]
vdpbf16ps zmm2,zmm6,zmm8
vdpbf16ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2]
vdpbf16ps zmm4,zmm6,zmm8
vdpbf16ps zmm5,zmm7,zmm8
vmovups zmm6,[r9+r10]
vmovups zmm7,[r9+r10+40h]
vbroadcastss zmm8,[r8+4]
vdpbf16ps zmm0,zmm6,zmm8
vdpbf16ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi+4]
vdpbf16ps zmm2,zmm6,zmm8
vdpbf16ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2+4]
vdpbf16ps zmm4,zmm6,zmm8
vdpbf16ps zmm5,zmm7,zmm8
vmovups zmm6,[r9+r10*2]
vmovups zmm7,[r9+r10*2+40h]
vbroadcastss zmm8,[r8+8]
vdpbf16ps zmm0,zmm6,zmm8
vdpbf16ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi+8]
vdpbf16ps zmm2,zmm6,zmm8
vdpbf16ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2+8]
vdpbf16ps zmm4,zmm6,zmm8
vdpbf16ps zmm5,zmm7,zmm8
vmovups zmm6,[r9+r11]
vmovups zmm7,[r9+r11+40h]
vbroadcastss zmm8,[r8+0Ch]
vdpbf16ps zmm0,zmm6,zmm8
vdpbf16ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi+0Ch]
vdpbf16ps zmm2,zmm6,zmm8
vdpbf16ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2+0Ch]
vdpbf16ps zmm4,zmm6,zmm8
vdpbf16ps zmm5,zmm7,zmm8
add r8,10h
lea r9,[r9+r10*4]
prefetcht1 [rcx]
prefetcht1 [rcx+40h]
add rcx,[rax+78h]
add rbx,0FFFFFFFFFFFFFFFCh
cmp rbx,4
jae near 0000000000000100h
cmp rbx,0
je near 00000000000002A5h
vmovups zmm6,[r9]
vmovups zmm7,[r9+40h]
vbroadcastss zmm8,[r8]
vdpbf16ps zmm0,zmm6,zmm8
vdpbf16ps zmm1,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi]
vdpbf16ps zmm2,zmm6,zmm8
vdpbf16ps zmm3,zmm7,zmm8
vbroadcastss zmm8,[r8+rdi*2]
vdpbf16ps zmm4,zmm6,zmm8
vdpbf16ps zmm5,zmm7,zmm8
add r8,4
lea r9,[r9+r10]
add rbx,0FFFFFFFFFFFFFFFFh
jne near 000000000000024Eh
add rsi,10h
add rdx,0FFFFFFFFFFFFFFFFh
jne near 00000000000000B3h
mov rbx,[rax+10h]
mov rax,[rax+38h]
vmovups [rbx],zmm0
vmovups [rbx+40h],zmm1
vmovups [rbx+rax],zmm2
vmovups [rbx+rax+40h],zmm3
vmovups [rbx+rax*2],zmm4
vmovups [rbx+rax*2+40h],zmm5
vzeroupper
pop rbx
ret
