mov rax,rdi
vpxord xmm0,xmm0,xmm0
vbroadcastss zmm1,[rel 0]
vbroadcastss zmm2,[rel 4]
vbroadcastss zmm3,[rel 8]
vbroadcastss zmm4,[rel 0Ch]
mov rcx,[rax+30h]
cmp rcx,0
je near 0000000000000214h
mov rcx,[rax]
mov rdx,[rax+8]
mov rsi,0
mov r8,0
mov r9,[rax+38h]
and r9,0FFFFFFFFFFFFFFE0h
je near 0000000000000177h
nop word [rax+rax]
nop word [rax+rax]
nop word [rax+rax]
vpmovzxwd zmm5,[rcx+r8*2]
vpmovzxwd zmm6,[rcx+r8*2+20h]
vpslld zmm5,zmm5,10h
vpslld zmm6,zmm6,10h
vmaxps zmm5,zmm0,zmm5
vmaxps zmm6,zmm0,zmm6
vaddps zmm5,zmm5,zmm0
vaddps zmm6,zmm6,zmm0
vpsrld zmm7,zmm5,10h
vpsrld zmm8,zmm6,10h
vpandd zmm7,zmm7,zmm1
vpandd zmm8,zmm8,zmm1
vpaddd zmm9,zmm5,zmm2
vpaddd zmm10,zmm6,zmm2
vpaddd zmm9,zmm9,zmm7
vpaddd zmm10,zmm10,zmm8
vpandd zmm9,zmm9,zmm4
vpandd zmm10,zmm10,zmm4
vcmpunordps k1,zmm5,zmm5
vcmpunordps k2,zmm6,zmm6
vpblendmd zmm9{k1},zmm9,zmm3
vpblendmd zmm10{k2},zmm10,zmm3
vpsrld zmm9,zmm9,10h
vpsrld zmm10,zmm10,10h
vpmovdw [rdx+r8*2],zmm9
vpmovdw [rdx+r8*2+20h],zmm10
add r8,20h
cmp r8,r9
jb near 00000000000000C0h
mov r9,[rax+38h]
sub r9,r8
je near 00000000000001FBh
mov r10,0FFFFFFFFFFFFFFFFh
bzhi r10,r10,r9
kmovq k2,r10
vpmovzxwd zmm10{k2}{z},[rcx+r8*2]
vpslld zmm10,zmm10,10h
vmaxps zmm10,zmm0,zmm10
vaddps zmm10,zmm10,zmm0
vpsrld zmm9,zmm10,10h
vpandd zmm9,zmm9,zmm1
vpaddd zmm6,zmm10,zmm2
vpaddd zmm6,zmm6,zmm9
vpandd zmm6,zmm6,zmm4
vcmpunordps k1,zmm10,zmm10
vpblendmd zmm6{k1},zmm6,zmm3
vpsrld zmm6,zmm6,10h
vpmovdw [rdx+r8*2]{k2},zmm6
add r8,10h
add r9,0FFFFFFFFFFFFFFF0h
cmp r9,1
jge near 0000000000000184h
add rsi,1
add rcx,[rax+10h]
add rdx,[rax+18h]
lea r10,[rsi]
cmp r10,[rax+30h]
jb near 000000000000008Dh
vzeroupper
ret
