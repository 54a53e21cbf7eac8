mov rax,rdi
vbroadcastss zmm0,[rel 0]
vbroadcastss zmm1,[rel 4]
vbroadcastss zmm2,[rel 8]
vbroadcastss zmm3,[rel 0Ch]
vbroadcastss zmm4,[rel 10h]
vbroadcastss zmm5,[rel 14h]
vbroadcastss zmm6,[rel 18h]
vbroadcastss zmm7,[rel 1Ch]
vbroadcastss zmm8,[rel 20h]
vbroadcastss zmm9,[rel 24h]
vbroadcastss zmm10,[rel 28h]
mov rcx,[rax+30h]
cmp rcx,0
je near 0000000000000281h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFE0h
je near 00000000000001D5h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
vmovups zmm11,[rcx+r8*4]
vmovups zmm12,[rcx+r8*4+40h]
vminps zmm11,zmm2,zmm11
vminps zmm12,zmm2,zmm12
vmaxps zmm11,zmm3,zmm11
vmaxps zmm12,zmm3,zmm12
vmulps zmm13,zmm11,zmm9
vmulps zmm14,zmm12,zmm9
vrndscaleps zmm13,zmm13,8
vrndscaleps zmm14,zmm14,8
vfmadd231ps zmm11,zmm13,zmm10
vfmadd231ps zmm12,zmm14,zmm10
vfmadd231ps zmm11,zmm13,zmm4
vfmadd231ps zmm12,zmm14,zmm4
vmovups zmm15,zmm5
vfmadd231ps zmm15,zmm0,zmm11
vmovups zmm16,zmm5
vfmadd231ps zmm16,zmm0,zmm12
vfmadd213ps zmm15,zmm11,zmm6
vfmadd213ps zmm16,zmm12,zmm6
vfmadd213ps zmm15,zmm11,zmm7
vfmadd213ps zmm16,zmm12,zmm7
vfmadd213ps zmm15,zmm11,zmm8
vfmadd213ps zmm16,zmm12,zmm8
vfmadd213ps zmm15,zmm11,zmm1
vfmadd213ps zmm16,zmm12,zmm1
vfmadd213ps zmm15,zmm11,zmm1
vfmadd213ps zmm16,zmm12,zmm1
vscalefps zmm15,zmm15,zmm13
vscalefps zmm16,zmm16,zmm14
vmovups [rdx+r8*4],zmm15
vmovups [rdx+r8*4+40h],zmm16
add r8,20h
cmp r8,r9
jb near 0000000000000100h
mov r9,[rax+38h]
sub r9,r8
je near 0000000000000268h
mov r10,0FFFFFFFFFFFFFFFFh
bzhi r10,r10,r9
kmovq k1,r10
vmovups zmm16{k1}{z},[rcx+r8*4]
vminps zmm16,zmm2,zmm16
vmaxps zmm16,zmm3,zmm16
vmulps zmm15,zmm16,zmm9
vrndscaleps zmm15,zmm15,8
vfmadd231ps zmm16,zmm15,zmm10
vfmadd231ps zmm16,zmm15,zmm4
vmovups zmm14,zmm5
vfmadd231ps zmm14,zmm0,zmm16
vfmadd213ps zmm14,zmm16,zmm6
vfmadd213ps zmm14,zmm16,zmm7
vfmadd213ps zmm14,zmm16,zmm8
vfmadd213ps zmm14,zmm16,zmm1
vfmadd213ps zmm14,zmm16,zmm1
vscalefps zmm14,zmm14,zmm15
vmovups [rdx+r8*4]{k1},zmm14
add r8,10h
add r9,0FFFFFFFFFFFFFFF0h
cmp r9,1
jge near 00000000000001E2h
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea r10,[rsi]
cmp r10,[rax+30h]
jb near 00000000000000CDh
vzeroupper
ret
