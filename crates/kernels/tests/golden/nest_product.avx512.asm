push rbx
push rbp
push r12
push r13
push r14
mov rbx,rdi
mov rax,[rbx+120h]
cmp rax,0
jge near 0000000000000023h
mov rax,0
cmp rax,[rbx+128h]
jl near 0000000000000037h
mov rax,[rbx+128h]
mov [rbx+0B0h],rax
mov rbp,[rbx+0B8h]
cmp rbp,1
jl near 0000000000000182h
mov rax,[rbx+0B0h]
cmp rax,1
jl near 0000000000000182h
mov rax,[rbx+0C0h]
mov [rbx+60h],rax
mov rax,[rbx+0A0h]
mov [rbx+20h],rax
mov r12,[rbx+0A8h]
mov [rbx+28h],r12
mov r13,rbp
cmp r13,[rbx+0D0h]
jl near 0000000000000098h
mov r13,[rbx+0D0h]
add r13,0FFFFFFFFFFFFFFFFh
mov rax,r13
and rax,0Fh
add rax,1
mov [rbx+78h],rax
shr r13,4
shl r13,1
shr rax,4
add r13,rax
shl r13,8
add r13,[rbx+0E8h]
mov rax,[rbx+98h]
mov [rbx+18h],rax
mov rax,[rbx+0F0h]
add rax,[rbx+20h]
mov [rbx+88h],rax
mov r14,[rbx+0B0h]
mov rax,r14
cmp rax,[rbx+0C8h]
jl near 0000000000000103h
mov rax,[rbx+0C8h]
mov rax,[r13+rax*8]
lea rdi,[rbx+18h]
call rax
mov rax,[rbx+0D8h]
add rax,[rbx+18h]
mov [rbx+18h],rax
mov rax,[rbx+0E0h]
add rax,[rbx+28h]
mov [rbx+28h],rax
mov rax,[rbx+0F8h]
add rax,[rbx+88h]
mov [rbx+88h],rax
sub r14,[rbx+0C8h]
cmp r14,1
jge near 00000000000000ECh
mov rax,[rbx+0D0h]
sub rbp,rax
mov r14,rax
imul r14,4
add r14,[rbx+20h]
mov [rbx+20h],r14
imul rax,4
add r12,rax
cmp rbp,1
jge near 000000000000007Dh
mov r14,[rbx]
add r14,0FFFFFFFFFFFFFFFFh
mov [rbx],r14
je near 000000000000022Ah
mov r14,[rbx+100h]
add r14,[rbx+98h]
mov [rbx+98h],r14
mov r14,[rbx+110h]
add r14,[rbx+0A8h]
mov [rbx+0A8h],r14
mov r14,[rbx+130h]
add r14,[rbx+120h]
mov [rbx+120h],r14
mov r14,[rbx+8]
add r14,0FFFFFFFFFFFFFFFFh
mov [rbx+8],r14
jne near 000000000000000Bh
mov r14,[rbx+108h]
add r14,[rbx+98h]
mov [rbx+98h],r14
mov r14,[rbx+118h]
add r14,[rbx+0A8h]
mov [rbx+0A8h],r14
mov r14,[rbx+138h]
add r14,[rbx+120h]
mov [rbx+120h],r14
mov r14,[rbx+10h]
mov [rbx+8],r14
pop r14
pop r13
pop r12
pop rbp
pop rbx
ret
