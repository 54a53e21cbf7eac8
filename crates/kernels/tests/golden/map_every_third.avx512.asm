sub rsp,80h
mov rax,rdi
vbroadcastss zmm0,[rel 0]
vpxord xmm1,xmm1,xmm1
vbroadcastss zmm2,[rel 4]
vbroadcastss zmm3,[rel 8]
mov rcx,[rax+30h]
cmp rcx,0
je near 00000000000002B3h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
vbroadcastss zmm4,[rax+40h]
vpmulld zmm5,zmm4,zmm0
vbroadcastss zmm6,[rax+48h]
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFE0h
je near 000000000000020Eh
nop word [rax+rax]
nop
mov [rsp+40h],r8d
vbroadcastss zmm7,[rsp+40h]
vpaddd zmm7,zmm7,[rel 40h]
mov [rsp+40h],r8d
vbroadcastss zmm8,[rsp+40h]
vpaddd zmm8,zmm8,[rel 80h]
vpmulld zmm9,zmm7,zmm3
vpmulld zmm10,zmm8,zmm3
vpaddd zmm9,zmm9,zmm5
vpaddd zmm10,zmm10,zmm5
vpaddd zmm9,zmm9,zmm6
vpaddd zmm10,zmm10,zmm6
vpaddd zmm9,zmm9,zmm0
vpaddd zmm10,zmm10,zmm0
vpcmpgtd k1,zmm9,zmm0
vpcmpgtd k2,zmm10,zmm0
vpmulld zmm10,zmm7,zmm2
vpmulld zmm8,zmm8,zmm2
vpaddd zmm10,zmm10,zmm4
vpaddd zmm8,zmm8,zmm4
kmovq k3,k1
vpxord xmm9,xmm9,xmm9
vgatherdps zmm9{k3},[rcx+zmm10*4]
kmovq k3,k2
vpxord xmm10,xmm10,xmm10
vgatherdps zmm10{k3},[rcx+zmm8*4]
vpblendmd zmm9{k1},zmm1,zmm9
vpblendmd zmm10{k2},zmm1,zmm10
vmovups [rdx+r8*4],zmm9
vmovups [rdx+r8*4+40h],zmm10
add r8,20h
cmp r8,r9
jb near 0000000000000140h
mov r9,[rax+38h]
sub r9,r8
je near 000000000000029Eh
mov r10,0FFFFFFFFFFFFFFFFh
bzhi r10,r10,r9
kmovq k3,r10
mov [rsp+40h],r8d
vbroadcastss zmm10,[rsp+40h]
vpaddd zmm10,zmm10,[rel 40h]
vpmulld zmm9,zmm10,zmm3
vpaddd zmm9,zmm9,zmm5
vpaddd zmm9,zmm9,zmm6
vpaddd zmm9,zmm9,zmm0
vpcmpgtd k2,zmm9,zmm0
vpmulld zmm9,zmm10,zmm2
vpaddd zmm9,zmm9,zmm4
kandq k1,k2,k3
vpxord xmm10,xmm10,xmm10
vgatherdps zmm10{k1},[rcx+zmm9*4]
vpblendmd zmm10{k2},zmm1,zmm10
vmovups [rdx+r8*4]{k3},zmm10
add r8,10h
add r9,0FFFFFFFFFFFFFFF0h
cmp r9,1
jge near 000000000000021Bh
add rsi,1
add rdx,[rax+18h]
lea r10,[rsi]
cmp r10,[rax+30h]
jb near 000000000000011Eh
vzeroupper
add rsp,80h
ret
