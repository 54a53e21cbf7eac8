//! Vector operations of x86-64 and their codes: a fact of the instruction set, row by row.

use iced_x86::Code;
use iced_x86::Code::*;

macro_rules! vector_ops {
    ($($(#[doc = $doc:literal])+ $name:ident [$($code:ident)+])*) => {
        /// A vector operation. Operands stand in the order of Intel's manuals, the destination first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum VecOp {
            $($(#[doc = $doc])+ $name,)*
        }

        impl VecOp {
            /// Every operation.
            pub const ALL: &[VecOp] = &[$(VecOp::$name,)*];

            /// The codes: VEX with 128 and 256 bits, EVEX with 128, 256 and 512.
            pub fn codes(self) -> [Code; 5] {
                match self {
                    $(VecOp::$name => [$($code),+],)*
                }
            }
        }
    };
}

vector_ops! {
    /// Sum of f32.
    AddPs [VEX_Vaddps_xmm_xmm_xmmm128 VEX_Vaddps_ymm_ymm_ymmm256 EVEX_Vaddps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32 EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er]
    /// Sum of f64.
    AddPd [VEX_Vaddpd_xmm_xmm_xmmm128 VEX_Vaddpd_ymm_ymm_ymmm256 EVEX_Vaddpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vaddpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er]
    /// Difference of f32.
    SubPs [VEX_Vsubps_xmm_xmm_xmmm128 VEX_Vsubps_ymm_ymm_ymmm256 EVEX_Vsubps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32 EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er]
    /// Difference of f64.
    SubPd [VEX_Vsubpd_xmm_xmm_xmmm128 VEX_Vsubpd_ymm_ymm_ymmm256 EVEX_Vsubpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vsubpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er]
    /// Product of f32.
    MulPs [VEX_Vmulps_xmm_xmm_xmmm128 VEX_Vmulps_ymm_ymm_ymmm256 EVEX_Vmulps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32 EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er]
    /// Product of f64.
    MulPd [VEX_Vmulpd_xmm_xmm_xmmm128 VEX_Vmulpd_ymm_ymm_ymmm256 EVEX_Vmulpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vmulpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er]
    /// Quotient of f32.
    DivPs [VEX_Vdivps_xmm_xmm_xmmm128 VEX_Vdivps_ymm_ymm_ymmm256 EVEX_Vdivps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32 EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er]
    /// Quotient of f64.
    DivPd [VEX_Vdivpd_xmm_xmm_xmmm128 VEX_Vdivpd_ymm_ymm_ymmm256 EVEX_Vdivpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vdivpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er]
    /// `a < b ? a : b` of f32.
    MinPs [VEX_Vminps_xmm_xmm_xmmm128 VEX_Vminps_ymm_ymm_ymmm256 EVEX_Vminps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vminps_ymm_k1z_ymm_ymmm256b32 EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae]
    /// `a < b ? a : b` of f64.
    MinPd [VEX_Vminpd_xmm_xmm_xmmm128 VEX_Vminpd_ymm_ymm_ymmm256 EVEX_Vminpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vminpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae]
    /// `a > b ? a : b` of f32.
    MaxPs [VEX_Vmaxps_xmm_xmm_xmmm128 VEX_Vmaxps_ymm_ymm_ymmm256 EVEX_Vmaxps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vmaxps_ymm_k1z_ymm_ymmm256b32 EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae]
    /// `a > b ? a : b` of f64.
    MaxPd [VEX_Vmaxpd_xmm_xmm_xmmm128 VEX_Vmaxpd_ymm_ymm_ymmm256 EVEX_Vmaxpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vmaxpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae]
    /// Root.
    SqrtPs [VEX_Vsqrtps_xmm_xmmm128 VEX_Vsqrtps_ymm_ymmm256 EVEX_Vsqrtps_xmm_k1z_xmmm128b32
        EVEX_Vsqrtps_ymm_k1z_ymmm256b32 EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er]
    /// Root.
    SqrtPd [VEX_Vsqrtpd_xmm_xmmm128 VEX_Vsqrtpd_ymm_ymmm256 EVEX_Vsqrtpd_xmm_k1z_xmmm128b64
        EVEX_Vsqrtpd_ymm_k1z_ymmm256b64 EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er]
    /// `dst + a * b`, rounded once.
    Fma231Ps [VEX_Vfmadd231ps_xmm_xmm_xmmm128 VEX_Vfmadd231ps_ymm_ymm_ymmm256
        EVEX_Vfmadd231ps_xmm_k1z_xmm_xmmm128b32 EVEX_Vfmadd231ps_ymm_k1z_ymm_ymmm256b32
        EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er]
    /// `dst + a * b`, rounded once.
    Fma231Pd [VEX_Vfmadd231pd_xmm_xmm_xmmm128 VEX_Vfmadd231pd_ymm_ymm_ymmm256
        EVEX_Vfmadd231pd_xmm_k1z_xmm_xmmm128b64 EVEX_Vfmadd231pd_ymm_k1z_ymm_ymmm256b64
        EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er]
    /// `a * dst + b`, rounded once.
    Fma213Ps [VEX_Vfmadd213ps_xmm_xmm_xmmm128 VEX_Vfmadd213ps_ymm_ymm_ymmm256
        EVEX_Vfmadd213ps_xmm_k1z_xmm_xmmm128b32 EVEX_Vfmadd213ps_ymm_k1z_ymm_ymmm256b32
        EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er]
    /// `a * dst + b`, rounded once.
    Fma213Pd [VEX_Vfmadd213pd_xmm_xmm_xmmm128 VEX_Vfmadd213pd_ymm_ymm_ymmm256
        EVEX_Vfmadd213pd_xmm_k1z_xmm_xmmm128b64 EVEX_Vfmadd213pd_ymm_k1z_ymm_ymmm256b64
        EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er]
    /// `dst * b + a`, rounded once.
    Fma132Ps [VEX_Vfmadd132ps_xmm_xmm_xmmm128 VEX_Vfmadd132ps_ymm_ymm_ymmm256
        EVEX_Vfmadd132ps_xmm_k1z_xmm_xmmm128b32 EVEX_Vfmadd132ps_ymm_k1z_ymm_ymmm256b32
        EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er]
    /// `dst * b + a`, rounded once.
    Fma132Pd [VEX_Vfmadd132pd_xmm_xmm_xmmm128 VEX_Vfmadd132pd_ymm_ymm_ymmm256
        EVEX_Vfmadd132pd_xmm_k1z_xmm_xmmm128b64 EVEX_Vfmadd132pd_ymm_k1z_ymm_ymmm256b64
        EVEX_Vfmadd132pd_zmm_k1z_zmm_zmmm512b64_er]
    /// To a whole number, the direction by the immediate.
    RoundPs [VEX_Vroundps_xmm_xmmm128_imm8 VEX_Vroundps_ymm_ymmm256_imm8 EVEX_Vrndscaleps_xmm_k1z_xmmm128b32_imm8
        EVEX_Vrndscaleps_ymm_k1z_ymmm256b32_imm8 EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae]
    /// To a whole number, the direction by the immediate.
    RoundPd [VEX_Vroundpd_xmm_xmmm128_imm8 VEX_Vroundpd_ymm_ymmm256_imm8 EVEX_Vrndscalepd_xmm_k1z_xmmm128b64_imm8
        EVEX_Vrndscalepd_ymm_k1z_ymmm256b64_imm8 EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae]
    /// `a * 2^b`.
    ScalePs [INVALID INVALID EVEX_Vscalefps_xmm_k1z_xmm_xmmm128b32 EVEX_Vscalefps_ymm_k1z_ymm_ymmm256b32
        EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er]
    /// `a * 2^b`.
    ScalePd [INVALID INVALID EVEX_Vscalefpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vscalefpd_ymm_k1z_ymm_ymmm256b64
        EVEX_Vscalefpd_zmm_k1z_zmm_zmmm512b64_er]
    /// Comparison by the immediate; to a mask.
    CmpPs [VEX_Vcmpps_xmm_xmm_xmmm128_imm8 VEX_Vcmpps_ymm_ymm_ymmm256_imm8 EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8
        EVEX_Vcmpps_kr_k1_ymm_ymmm256b32_imm8 EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae]
    /// Comparison by the immediate; to a mask.
    CmpPd [VEX_Vcmppd_xmm_xmm_xmmm128_imm8 VEX_Vcmppd_ymm_ymm_ymmm256_imm8 EVEX_Vcmppd_kr_k1_xmm_xmmm128b64_imm8
        EVEX_Vcmppd_kr_k1_ymm_ymmm256b64_imm8 EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae]
    /// Integer sum.
    IAddD [VEX_Vpaddd_xmm_xmm_xmmm128 VEX_Vpaddd_ymm_ymm_ymmm256 EVEX_Vpaddd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32]
    /// Integer sum.
    IAddQ [VEX_Vpaddq_xmm_xmm_xmmm128 VEX_Vpaddq_ymm_ymm_ymmm256 EVEX_Vpaddq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vpaddq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64]
    /// Integer difference.
    ISubD [VEX_Vpsubd_xmm_xmm_xmmm128 VEX_Vpsubd_ymm_ymm_ymmm256 EVEX_Vpsubd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpsubd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32]
    /// Integer difference.
    ISubQ [VEX_Vpsubq_xmm_xmm_xmmm128 VEX_Vpsubq_ymm_ymm_ymmm256 EVEX_Vpsubq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vpsubq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64]
    /// Low half of the product.
    IMulD [VEX_Vpmulld_xmm_xmm_xmmm128 VEX_Vpmulld_ymm_ymm_ymmm256 EVEX_Vpmulld_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpmulld_ymm_k1z_ymm_ymmm256b32 EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32]
    /// Low half of the product.
    IMulQ [INVALID INVALID EVEX_Vpmullq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpmullq_ymm_k1z_ymm_ymmm256b64
        EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64]
    /// 64-bit products of the even 32-bit lanes.
    MulUdq [VEX_Vpmuludq_xmm_xmm_xmmm128 VEX_Vpmuludq_ymm_ymm_ymmm256 EVEX_Vpmuludq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vpmuludq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64]
    /// Signed choice.
    IMinD [VEX_Vpminsd_xmm_xmm_xmmm128 VEX_Vpminsd_ymm_ymm_ymmm256 EVEX_Vpminsd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpminsd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32]
    /// Signed choice.
    IMinQ [INVALID INVALID EVEX_Vpminsq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpminsq_ymm_k1z_ymm_ymmm256b64
        EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64]
    /// Signed choice.
    IMaxD [VEX_Vpmaxsd_xmm_xmm_xmmm128 VEX_Vpmaxsd_ymm_ymm_ymmm256 EVEX_Vpmaxsd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpmaxsd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32]
    /// Signed choice.
    IMaxQ [INVALID INVALID EVEX_Vpmaxsq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpmaxsq_ymm_k1z_ymm_ymmm256b64
        EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64]
    /// Signed comparison; to a mask.
    CmpEqD [VEX_Vpcmpeqd_xmm_xmm_xmmm128 VEX_Vpcmpeqd_ymm_ymm_ymmm256 EVEX_Vpcmpeqd_kr_k1_xmm_xmmm128b32
        EVEX_Vpcmpeqd_kr_k1_ymm_ymmm256b32 EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32]
    /// Signed comparison; to a mask.
    CmpEqQ [VEX_Vpcmpeqq_xmm_xmm_xmmm128 VEX_Vpcmpeqq_ymm_ymm_ymmm256 EVEX_Vpcmpeqq_kr_k1_xmm_xmmm128b64
        EVEX_Vpcmpeqq_kr_k1_ymm_ymmm256b64 EVEX_Vpcmpeqq_kr_k1_zmm_zmmm512b64]
    /// Signed comparison; to a mask.
    CmpGtD [VEX_Vpcmpgtd_xmm_xmm_xmmm128 VEX_Vpcmpgtd_ymm_ymm_ymmm256 EVEX_Vpcmpgtd_kr_k1_xmm_xmmm128b32
        EVEX_Vpcmpgtd_kr_k1_ymm_ymmm256b32 EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32]
    /// Signed comparison; to a mask.
    CmpGtQ [VEX_Vpcmpgtq_xmm_xmm_xmmm128 VEX_Vpcmpgtq_ymm_ymm_ymmm256 EVEX_Vpcmpgtq_kr_k1_xmm_xmmm128b64
        EVEX_Vpcmpgtq_kr_k1_ymm_ymmm256b64 EVEX_Vpcmpgtq_kr_k1_zmm_zmmm512b64]
    /// Bits.
    AndD [VEX_Vpand_xmm_xmm_xmmm128 VEX_Vpand_ymm_ymm_ymmm256 EVEX_Vpandd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpandd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32]
    /// Bits.
    AndQ [VEX_Vpand_xmm_xmm_xmmm128 VEX_Vpand_ymm_ymm_ymmm256 EVEX_Vpandq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64]
    /// Bits.
    OrD [VEX_Vpor_xmm_xmm_xmmm128 VEX_Vpor_ymm_ymm_ymmm256 EVEX_Vpord_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpord_ymm_k1z_ymm_ymmm256b32 EVEX_Vpord_zmm_k1z_zmm_zmmm512b32]
    /// Bits.
    OrQ [VEX_Vpor_xmm_xmm_xmmm128 VEX_Vpor_ymm_ymm_ymmm256 EVEX_Vporq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vporq_ymm_k1z_ymm_ymmm256b64 EVEX_Vporq_zmm_k1z_zmm_zmmm512b64]
    /// Bits.
    XorD [VEX_Vpxor_xmm_xmm_xmmm128 VEX_Vpxor_ymm_ymm_ymmm256 EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpxord_ymm_k1z_ymm_ymmm256b32 EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32]
    /// Bits.
    XorQ [VEX_Vpxor_xmm_xmm_xmmm128 VEX_Vpxor_ymm_ymm_ymmm256 EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64]
    /// Bits.
    AndNotD [VEX_Vpandn_xmm_xmm_xmmm128 VEX_Vpandn_ymm_ymm_ymmm256 EVEX_Vpandnd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpandnd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32]
    /// Bits.
    AndNotQ [VEX_Vpandn_xmm_xmm_xmmm128 VEX_Vpandn_ymm_ymm_ymmm256 EVEX_Vpandnq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vpandnq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64]
    /// Shift by the immediate.
    ShlD [VEX_Vpslld_xmm_xmm_imm8 VEX_Vpslld_ymm_ymm_imm8 EVEX_Vpslld_xmm_k1z_xmmm128b32_imm8
        EVEX_Vpslld_ymm_k1z_ymmm256b32_imm8 EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8]
    /// Shift by the immediate, zeros follow.
    ShrD [VEX_Vpsrld_xmm_xmm_imm8 VEX_Vpsrld_ymm_ymm_imm8 EVEX_Vpsrld_xmm_k1z_xmmm128b32_imm8
        EVEX_Vpsrld_ymm_k1z_ymmm256b32_imm8 EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8]
    /// Shift by the immediate.
    ShlQ [VEX_Vpsllq_xmm_xmm_imm8 VEX_Vpsllq_ymm_ymm_imm8 EVEX_Vpsllq_xmm_k1z_xmmm128b64_imm8
        EVEX_Vpsllq_ymm_k1z_ymmm256b64_imm8 EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8]
    /// Shift by the immediate, zeros follow.
    ShrQ [VEX_Vpsrlq_xmm_xmm_imm8 VEX_Vpsrlq_ymm_ymm_imm8 EVEX_Vpsrlq_xmm_k1z_xmmm128b64_imm8
        EVEX_Vpsrlq_ymm_k1z_ymmm256b64_imm8 EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8]
    /// Shift by the immediate, sign bits follow.
    SarD [VEX_Vpsrad_xmm_xmm_imm8 VEX_Vpsrad_ymm_ymm_imm8 EVEX_Vpsrad_xmm_k1z_xmmm128b32_imm8
        EVEX_Vpsrad_ymm_k1z_ymmm256b32_imm8 EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8]
    /// Shift by the immediate, sign bits follow.
    SarQ [INVALID INVALID EVEX_Vpsraq_xmm_k1z_xmmm128b64_imm8 EVEX_Vpsraq_ymm_k1z_ymmm256b64_imm8
        EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8]
    /// Shift of 16-bit lanes by the immediate.
    ShlW [VEX_Vpsllw_xmm_xmm_imm8 VEX_Vpsllw_ymm_ymm_imm8 EVEX_Vpsllw_xmm_k1z_xmmm128_imm8
        EVEX_Vpsllw_ymm_k1z_ymmm256_imm8 EVEX_Vpsllw_zmm_k1z_zmmm512_imm8]
    /// Shift of 16-bit lanes by the immediate, zeros follow.
    ShrW [VEX_Vpsrlw_xmm_xmm_imm8 VEX_Vpsrlw_ymm_ymm_imm8 EVEX_Vpsrlw_xmm_k1z_xmmm128_imm8
        EVEX_Vpsrlw_ymm_k1z_ymmm256_imm8 EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8]
    /// Shift of 16-bit lanes by the immediate, sign bits follow.
    SarW [VEX_Vpsraw_xmm_xmm_imm8 VEX_Vpsraw_ymm_ymm_imm8 EVEX_Vpsraw_xmm_k1z_xmmm128_imm8
        EVEX_Vpsraw_ymm_k1z_ymmm256_imm8 EVEX_Vpsraw_zmm_k1z_zmmm512_imm8]
    /// Shift lane by lane.
    ShlByD [VEX_Vpsllvd_xmm_xmm_xmmm128 VEX_Vpsllvd_ymm_ymm_ymmm256 EVEX_Vpsllvd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpsllvd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32]
    /// Shift lane by lane, zeros follow.
    ShrByD [VEX_Vpsrlvd_xmm_xmm_xmmm128 VEX_Vpsrlvd_ymm_ymm_ymmm256 EVEX_Vpsrlvd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpsrlvd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32]
    /// Shift lane by lane.
    ShlByQ [VEX_Vpsllvq_xmm_xmm_xmmm128 VEX_Vpsllvq_ymm_ymm_ymmm256 EVEX_Vpsllvq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vpsllvq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64]
    /// Shift lane by lane, zeros follow.
    ShrByQ [VEX_Vpsrlvq_xmm_xmm_xmmm128 VEX_Vpsrlvq_ymm_ymm_ymmm256 EVEX_Vpsrlvq_xmm_k1z_xmm_xmmm128b64
        EVEX_Vpsrlvq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64]
    /// Shift lane by lane, sign bits follow.
    SarByD [VEX_Vpsravd_xmm_xmm_xmmm128 VEX_Vpsravd_ymm_ymm_ymmm256 EVEX_Vpsravd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpsravd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32]
    /// Shift lane by lane, sign bits follow.
    SarByQ [INVALID INVALID EVEX_Vpsravq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpsravq_ymm_k1z_ymm_ymmm256b64
        EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64]
    /// `mask ? b : a`.
    BlendD [INVALID INVALID EVEX_Vpblendmd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpblendmd_ymm_k1z_ymm_ymmm256b32
        EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32]
    /// `mask ? b : a`.
    BlendQ [INVALID INVALID EVEX_Vpblendmq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpblendmq_ymm_k1z_ymm_ymmm256b64
        EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64]
    /// `c ? b : a` by the sign bits of c.
    BlendVPs [VEX_Vblendvps_xmm_xmm_xmmm128_xmm VEX_Vblendvps_ymm_ymm_ymmm256_ymm INVALID INVALID INVALID]
    /// `c ? b : a` by the sign bits of c.
    BlendVPd [VEX_Vblendvpd_xmm_xmm_xmmm128_xmm VEX_Vblendvpd_ymm_ymm_ymmm256_ymm INVALID INVALID INVALID]
    /// i32 to f32.
    DqToPs [VEX_Vcvtdq2ps_xmm_xmmm128 VEX_Vcvtdq2ps_ymm_ymmm256 EVEX_Vcvtdq2ps_xmm_k1z_xmmm128b32
        EVEX_Vcvtdq2ps_ymm_k1z_ymmm256b32 EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er]
    /// f32 to i32, to nearest.
    PsToDq [VEX_Vcvtps2dq_xmm_xmmm128 VEX_Vcvtps2dq_ymm_ymmm256 EVEX_Vcvtps2dq_xmm_k1z_xmmm128b32
        EVEX_Vcvtps2dq_ymm_k1z_ymmm256b32 EVEX_Vcvtps2dq_zmm_k1z_zmmm512b32_er]
    /// f32 to i32, toward zero.
    PsToDqTrunc [VEX_Vcvttps2dq_xmm_xmmm128 VEX_Vcvttps2dq_ymm_ymmm256 EVEX_Vcvttps2dq_xmm_k1z_xmmm128b32
        EVEX_Vcvttps2dq_ymm_k1z_ymmm256b32 EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae]
    /// f32 to f64.
    PsToPd [VEX_Vcvtps2pd_xmm_xmmm64 VEX_Vcvtps2pd_ymm_xmmm128 EVEX_Vcvtps2pd_xmm_k1z_xmmm64b32
        EVEX_Vcvtps2pd_ymm_k1z_xmmm128b32 EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae]
    /// f64 to f32.
    PdToPs [VEX_Vcvtpd2ps_xmm_xmmm128 VEX_Vcvtpd2ps_xmm_ymmm256 EVEX_Vcvtpd2ps_xmm_k1z_xmmm128b64
        EVEX_Vcvtpd2ps_xmm_k1z_ymmm256b64 EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er]
    /// i64 to f64.
    QqToPd [INVALID INVALID EVEX_Vcvtqq2pd_xmm_k1z_xmmm128b64 EVEX_Vcvtqq2pd_ymm_k1z_ymmm256b64
        EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er]
    /// f64 to i64, to nearest.
    PdToQq [INVALID INVALID EVEX_Vcvtpd2qq_xmm_k1z_xmmm128b64 EVEX_Vcvtpd2qq_ymm_k1z_ymmm256b64
        EVEX_Vcvtpd2qq_zmm_k1z_zmmm512b64_er]
    /// f64 to i64, toward zero.
    PdToQqTrunc [INVALID INVALID EVEX_Vcvttpd2qq_xmm_k1z_xmmm128b64 EVEX_Vcvttpd2qq_ymm_k1z_ymmm256b64
        EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae]
    /// i32 to i64.
    SignDq [VEX_Vpmovsxdq_xmm_xmmm64 VEX_Vpmovsxdq_ymm_xmmm128 EVEX_Vpmovsxdq_xmm_k1z_xmmm64
        EVEX_Vpmovsxdq_ymm_k1z_xmmm128 EVEX_Vpmovsxdq_zmm_k1z_ymmm256]
    /// u32 to i64.
    ZeroDq [VEX_Vpmovzxdq_xmm_xmmm64 VEX_Vpmovzxdq_ymm_xmmm128 EVEX_Vpmovzxdq_xmm_k1z_xmmm64
        EVEX_Vpmovzxdq_ymm_k1z_xmmm128 EVEX_Vpmovzxdq_zmm_k1z_ymmm256]
    /// i8 to i32.
    SignBd [VEX_Vpmovsxbd_xmm_xmmm32 VEX_Vpmovsxbd_ymm_xmmm64 EVEX_Vpmovsxbd_xmm_k1z_xmmm32
        EVEX_Vpmovsxbd_ymm_k1z_xmmm64 EVEX_Vpmovsxbd_zmm_k1z_xmmm128]
    /// u8 to i32.
    ZeroBd [VEX_Vpmovzxbd_xmm_xmmm32 VEX_Vpmovzxbd_ymm_xmmm64 EVEX_Vpmovzxbd_xmm_k1z_xmmm32
        EVEX_Vpmovzxbd_ymm_k1z_xmmm64 EVEX_Vpmovzxbd_zmm_k1z_xmmm128]
    /// i16 to i32.
    SignWd [VEX_Vpmovsxwd_xmm_xmmm64 VEX_Vpmovsxwd_ymm_xmmm128 EVEX_Vpmovsxwd_xmm_k1z_xmmm64
        EVEX_Vpmovsxwd_ymm_k1z_xmmm128 EVEX_Vpmovsxwd_zmm_k1z_ymmm256]
    /// u16 to i32.
    ZeroWd [VEX_Vpmovzxwd_xmm_xmmm64 VEX_Vpmovzxwd_ymm_xmmm128 EVEX_Vpmovzxwd_xmm_k1z_xmmm64
        EVEX_Vpmovzxwd_ymm_k1z_xmmm128 EVEX_Vpmovzxwd_zmm_k1z_ymmm256]
    /// i8 to i16.
    SignBw [VEX_Vpmovsxbw_xmm_xmmm64 VEX_Vpmovsxbw_ymm_xmmm128 EVEX_Vpmovsxbw_xmm_k1z_xmmm64
        EVEX_Vpmovsxbw_ymm_k1z_xmmm128 EVEX_Vpmovsxbw_zmm_k1z_ymmm256]
    /// u8 to i16.
    ZeroBw [VEX_Vpmovzxbw_xmm_xmmm64 VEX_Vpmovzxbw_ymm_xmmm128 EVEX_Vpmovzxbw_xmm_k1z_xmmm64
        EVEX_Vpmovzxbw_ymm_k1z_xmmm128 EVEX_Vpmovzxbw_zmm_k1z_ymmm256]
    /// f16 to f32.
    PhToPs [VEX_Vcvtph2ps_xmm_xmmm64 VEX_Vcvtph2ps_ymm_xmmm128 EVEX_Vcvtph2ps_xmm_k1z_xmmm64
        EVEX_Vcvtph2ps_ymm_k1z_xmmm128 EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae]
    /// f32 to f16, the direction by the immediate; the destination may be memory.
    PsToPh [VEX_Vcvtps2ph_xmmm64_xmm_imm8 VEX_Vcvtps2ph_xmmm128_ymm_imm8 EVEX_Vcvtps2ph_xmmm64_k1z_xmm_imm8
        EVEX_Vcvtps2ph_xmmm128_k1z_ymm_imm8 EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae]
    /// Low bytes of 32-bit lanes; the destination may be memory.
    StoreDb [INVALID INVALID EVEX_Vpmovdb_xmmm32_k1z_xmm EVEX_Vpmovdb_xmmm64_k1z_ymm EVEX_Vpmovdb_xmmm128_k1z_zmm]
    /// Low halves of 32-bit lanes.
    StoreDw [INVALID INVALID EVEX_Vpmovdw_xmmm64_k1z_xmm EVEX_Vpmovdw_xmmm128_k1z_ymm EVEX_Vpmovdw_ymmm256_k1z_zmm]
    /// Low halves of 64-bit lanes.
    StoreQd [INVALID INVALID EVEX_Vpmovqd_xmmm64_k1z_xmm EVEX_Vpmovqd_xmmm128_k1z_ymm EVEX_Vpmovqd_ymmm256_k1z_zmm]
    /// Moves 32-bit lanes.
    Load [VEX_Vmovups_xmm_xmmm128 VEX_Vmovups_ymm_ymmm256 EVEX_Vmovups_xmm_k1z_xmmm128 EVEX_Vmovups_ymm_k1z_ymmm256
        EVEX_Vmovups_zmm_k1z_zmmm512]
    /// Stores 32-bit lanes.
    Store [VEX_Vmovups_xmmm128_xmm VEX_Vmovups_ymmm256_ymm EVEX_Vmovups_xmmm128_k1z_xmm EVEX_Vmovups_ymmm256_k1z_ymm
        EVEX_Vmovups_zmmm512_k1z_zmm]
    /// Stores the lowest 32 bits.
    StoreLowD [VEX_Vmovd_rm32_xmm INVALID INVALID INVALID INVALID]
    /// Stores the lowest 64 bits.
    StoreLowQ [VEX_Vmovq_xmmm64_xmm INVALID INVALID INVALID INVALID]
    /// Moves 64-bit lanes.
    LoadPd [VEX_Vmovupd_xmm_xmmm128 VEX_Vmovupd_ymm_ymmm256 EVEX_Vmovupd_xmm_k1z_xmmm128
        EVEX_Vmovupd_ymm_k1z_ymmm256 EVEX_Vmovupd_zmm_k1z_zmmm512]
    /// Stores 64-bit lanes.
    StorePd [VEX_Vmovupd_xmmm128_xmm VEX_Vmovupd_ymmm256_ymm EVEX_Vmovupd_xmmm128_k1z_xmm
        EVEX_Vmovupd_ymmm256_k1z_ymm EVEX_Vmovupd_zmmm512_k1z_zmm]
    /// Moves bytes.
    LoadB [INVALID INVALID EVEX_Vmovdqu8_xmm_k1z_xmmm128 EVEX_Vmovdqu8_ymm_k1z_ymmm256 EVEX_Vmovdqu8_zmm_k1z_zmmm512]
    /// Stores bytes.
    StoreB [INVALID INVALID EVEX_Vmovdqu8_xmmm128_k1z_xmm EVEX_Vmovdqu8_ymmm256_k1z_ymm EVEX_Vmovdqu8_zmmm512_k1z_zmm]
    /// Stores past the caches.
    StoreNt [VEX_Vmovntps_m128_xmm VEX_Vmovntps_m256_ymm EVEX_Vmovntps_m128_xmm EVEX_Vmovntps_m256_ymm
        EVEX_Vmovntps_m512_zmm]
    /// Loads lanes whose mask has its sign bit.
    MaskLoadPs [VEX_Vmaskmovps_xmm_xmm_m128 VEX_Vmaskmovps_ymm_ymm_m256 INVALID INVALID INVALID]
    /// Loads lanes whose mask has its sign bit.
    MaskLoadPd [VEX_Vmaskmovpd_xmm_xmm_m128 VEX_Vmaskmovpd_ymm_ymm_m256 INVALID INVALID INVALID]
    /// Stores lanes whose mask has its sign bit.
    MaskStorePs [VEX_Vmaskmovps_m128_xmm_xmm VEX_Vmaskmovps_m256_ymm_ymm INVALID INVALID INVALID]
    /// Stores lanes whose mask has its sign bit.
    MaskStorePd [VEX_Vmaskmovpd_m128_xmm_xmm VEX_Vmaskmovpd_m256_ymm_ymm INVALID INVALID INVALID]
    /// A 32-bit element of memory in every lane.
    SplatPs [VEX_Vbroadcastss_xmm_m32 VEX_Vbroadcastss_ymm_m32 EVEX_Vbroadcastss_xmm_k1z_xmmm32
        EVEX_Vbroadcastss_ymm_k1z_xmmm32 EVEX_Vbroadcastss_zmm_k1z_xmmm32]
    /// A 64-bit element of memory in every lane.
    SplatPd [INVALID VEX_Vbroadcastsd_ymm_m64 INVALID EVEX_Vbroadcastsd_ymm_k1z_xmmm64
        EVEX_Vbroadcastsd_zmm_k1z_xmmm64]
    /// A 16-bit element of memory in every lane.
    SplatW [VEX_Vpbroadcastw_xmm_xmmm16 VEX_Vpbroadcastw_ymm_xmmm16 EVEX_Vpbroadcastw_xmm_k1z_xmmm16
        EVEX_Vpbroadcastw_ymm_k1z_xmmm16 EVEX_Vpbroadcastw_zmm_k1z_xmmm16]
    /// The first 32-bit lane in every lane.
    SplatRegPs [VEX_Vbroadcastss_xmm_xmm VEX_Vbroadcastss_ymm_xmm EVEX_Vbroadcastss_xmm_k1z_xmmm32
        EVEX_Vbroadcastss_ymm_k1z_xmmm32 EVEX_Vbroadcastss_zmm_k1z_xmmm32]
    /// The first 64-bit lane in every lane.
    SplatRegPd [INVALID VEX_Vbroadcastsd_ymm_xmm INVALID EVEX_Vbroadcastsd_ymm_k1z_xmmm64
        EVEX_Vbroadcastsd_zmm_k1z_xmmm64]
    /// The low half of a general register in every lane.
    SplatGpr [INVALID INVALID EVEX_Vpbroadcastd_xmm_k1z_r32 EVEX_Vpbroadcastd_ymm_k1z_r32
        EVEX_Vpbroadcastd_zmm_k1z_r32]
    /// A general register in every lane.
    SplatGprQ [INVALID INVALID EVEX_Vpbroadcastq_xmm_k1z_r64 EVEX_Vpbroadcastq_ymm_k1z_r64
        EVEX_Vpbroadcastq_zmm_k1z_r64]
    /// `a` with a byte of memory in the lane that the immediate says.
    InsertB [VEX_Vpinsrb_xmm_xmm_r32m8_imm8 INVALID EVEX_Vpinsrb_xmm_xmm_r32m8_imm8 INVALID INVALID]
    /// `a` with 16 bits of memory in the lane that the immediate says.
    InsertW [VEX_Vpinsrw_xmm_xmm_r32m16_imm8 INVALID EVEX_Vpinsrw_xmm_xmm_r32m16_imm8 INVALID INVALID]
    /// `a` with 32 bits of memory in the lane that the immediate says.
    InsertD [VEX_Vpinsrd_xmm_xmm_rm32_imm8 INVALID EVEX_Vpinsrd_xmm_xmm_rm32_imm8 INVALID INVALID]
    /// `a` with 64 bits of memory in the lane that the immediate says.
    InsertQ [VEX_Vpinsrq_xmm_xmm_rm64_imm8 INVALID EVEX_Vpinsrq_xmm_xmm_rm64_imm8 INVALID INVALID]
    /// `a` with 128 bits, of memory or a register, in the block that the immediate says.
    Insert128 [INVALID VEX_Vinsertf128_ymm_ymm_xmmm128_imm8 INVALID EVEX_Vinsertf32x4_ymm_k1z_ymm_xmmm128_imm8
        EVEX_Vinsertf32x4_zmm_k1z_zmm_xmmm128_imm8]
    /// The upper half of 256 bits.
    Upper [INVALID VEX_Vextractf128_xmmm128_ymm_imm8 INVALID INVALID INVALID]
    /// The upper half of 256 bits.
    UpperX [INVALID INVALID INVALID EVEX_Vextractf32x4_xmmm128_k1z_ymm_imm8 INVALID]
    /// The upper half of 512 bits.
    UpperY [INVALID INVALID INVALID INVALID EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8]
    /// Interleaves lanes of both, within 128 bits.
    UnpackLowPs [VEX_Vunpcklps_xmm_xmm_xmmm128 VEX_Vunpcklps_ymm_ymm_ymmm256 EVEX_Vunpcklps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vunpcklps_ymm_k1z_ymm_ymmm256b32 EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32]
    /// Interleaves lanes of both, within 128 bits.
    UnpackHighPs [VEX_Vunpckhps_xmm_xmm_xmmm128 VEX_Vunpckhps_ymm_ymm_ymmm256 EVEX_Vunpckhps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vunpckhps_ymm_k1z_ymm_ymmm256b32 EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32]
    /// Interleaves lanes of both, within 128 bits.
    UnpackLowPd [VEX_Vunpcklpd_xmm_xmm_xmmm128 VEX_Vunpcklpd_ymm_ymm_ymmm256 EVEX_Vunpcklpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vunpcklpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vunpcklpd_zmm_k1z_zmm_zmmm512b64]
    /// Interleaves lanes of both, within 128 bits.
    UnpackHighPd [VEX_Vunpckhpd_xmm_xmm_xmmm128 VEX_Vunpckhpd_ymm_ymm_ymmm256 EVEX_Vunpckhpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vunpckhpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vunpckhpd_zmm_k1z_zmm_zmmm512b64]
    /// Interleaves lanes of both, within 128 bits.
    UnpackLowBw [VEX_Vpunpcklbw_xmm_xmm_xmmm128 VEX_Vpunpcklbw_ymm_ymm_ymmm256 EVEX_Vpunpcklbw_xmm_k1z_xmm_xmmm128
        EVEX_Vpunpcklbw_ymm_k1z_ymm_ymmm256 EVEX_Vpunpcklbw_zmm_k1z_zmm_zmmm512]
    /// Interleaves lanes of both, within 128 bits.
    UnpackHighBw [VEX_Vpunpckhbw_xmm_xmm_xmmm128 VEX_Vpunpckhbw_ymm_ymm_ymmm256 EVEX_Vpunpckhbw_xmm_k1z_xmm_xmmm128
        EVEX_Vpunpckhbw_ymm_k1z_ymm_ymmm256 EVEX_Vpunpckhbw_zmm_k1z_zmm_zmmm512]
    /// Interleaves lanes of both, within 128 bits.
    UnpackLowWd [VEX_Vpunpcklwd_xmm_xmm_xmmm128 VEX_Vpunpcklwd_ymm_ymm_ymmm256 EVEX_Vpunpcklwd_xmm_k1z_xmm_xmmm128
        EVEX_Vpunpcklwd_ymm_k1z_ymm_ymmm256 EVEX_Vpunpcklwd_zmm_k1z_zmm_zmmm512]
    /// Interleaves lanes of both, within 128 bits.
    UnpackHighWd [VEX_Vpunpckhwd_xmm_xmm_xmmm128 VEX_Vpunpckhwd_ymm_ymm_ymmm256 EVEX_Vpunpckhwd_xmm_k1z_xmm_xmmm128
        EVEX_Vpunpckhwd_ymm_k1z_ymm_ymmm256 EVEX_Vpunpckhwd_zmm_k1z_zmm_zmmm512]
    /// Two lanes of each, by the immediate, within 128 bits.
    ShufflePs [VEX_Vshufps_xmm_xmm_xmmm128_imm8 VEX_Vshufps_ymm_ymm_ymmm256_imm8
        EVEX_Vshufps_xmm_k1z_xmm_xmmm128b32_imm8 EVEX_Vshufps_ymm_k1z_ymm_ymmm256b32_imm8
        EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8]
    /// Lanes by the immediate, within 128 bits.
    PermutePs [VEX_Vpermilps_xmm_xmmm128_imm8 VEX_Vpermilps_ymm_ymmm256_imm8 EVEX_Vpermilps_xmm_k1z_xmmm128b32_imm8
        EVEX_Vpermilps_ymm_k1z_ymmm256b32_imm8 EVEX_Vpermilps_zmm_k1z_zmmm512b32_imm8]
    /// Blocks of 128 bits of both, by the immediate.
    Shuffle128 [INVALID INVALID INVALID EVEX_Vshuff32x4_ymm_k1z_ymm_ymmm256b32_imm8
        EVEX_Vshuff32x4_zmm_k1z_zmm_zmmm512b32_imm8]
    /// Blocks of 128 bits of both, by the immediate.
    Permute128 [INVALID VEX_Vperm2f128_ymm_ymm_ymmm256_imm8 INVALID INVALID INVALID]
    /// Bytes of a by b, within 128 bits.
    ShuffleB [VEX_Vpshufb_xmm_xmm_xmmm128 VEX_Vpshufb_ymm_ymm_ymmm256 EVEX_Vpshufb_xmm_k1z_xmm_xmmm128
        EVEX_Vpshufb_ymm_k1z_ymm_ymmm256 EVEX_Vpshufb_zmm_k1z_zmm_zmmm512]
    /// Lanes of b by a.
    PermuteD [INVALID VEX_Vpermd_ymm_ymm_ymmm256 INVALID EVEX_Vpermd_ymm_k1z_ymm_ymmm256b32
        EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32]
    /// 32-bit elements by 32-bit numbers, where a mask holds.
    GatherDd [VEX_Vgatherdps_xmm_vm32x_xmm VEX_Vgatherdps_ymm_vm32y_ymm EVEX_Vgatherdps_xmm_k1_vm32x
        EVEX_Vgatherdps_ymm_k1_vm32y EVEX_Vgatherdps_zmm_k1_vm32z]
    /// 64-bit elements by 32-bit numbers, where a mask holds.
    GatherDq [VEX_Vgatherdpd_xmm_vm32x_xmm VEX_Vgatherdpd_ymm_vm32x_ymm EVEX_Vgatherdpd_xmm_k1_vm32x
        EVEX_Vgatherdpd_ymm_k1_vm32x EVEX_Vgatherdpd_zmm_k1_vm32y]
    /// 32-bit elements by 64-bit numbers, where a mask holds.
    GatherQd [VEX_Vgatherqps_xmm_vm64x_xmm VEX_Vgatherqps_xmm_vm64y_xmm EVEX_Vgatherqps_xmm_k1_vm64x
        EVEX_Vgatherqps_xmm_k1_vm64y EVEX_Vgatherqps_ymm_k1_vm64z]
    /// 64-bit elements by 64-bit numbers, where a mask holds.
    GatherQq [VEX_Vgatherqpd_xmm_vm64x_xmm VEX_Vgatherqpd_ymm_vm64y_ymm EVEX_Vgatherqpd_xmm_k1_vm64x
        EVEX_Vgatherqpd_ymm_k1_vm64y EVEX_Vgatherqpd_zmm_k1_vm64z]
    /// `dst` + products of four unsigned bytes of a and four signed ones of b.
    DotBusd [VEX_Vpdpbusd_xmm_xmm_xmmm128 VEX_Vpdpbusd_ymm_ymm_ymmm256 EVEX_Vpdpbusd_xmm_k1z_xmm_xmmm128b32
        EVEX_Vpdpbusd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpdpbusd_zmm_k1z_zmm_zmmm512b32]
    /// `dst` + products of two bf16 of a and of b.
    DotBf16 [INVALID INVALID EVEX_Vdpbf16ps_xmm_k1z_xmm_xmmm128b32 EVEX_Vdpbf16ps_ymm_k1z_ymm_ymmm256b32
        EVEX_Vdpbf16ps_zmm_k1z_zmm_zmmm512b32]
    /// Products of i16, pairs added.
    MaddWd [VEX_Vpmaddwd_xmm_xmm_xmmm128 VEX_Vpmaddwd_ymm_ymm_ymmm256 EVEX_Vpmaddwd_xmm_k1z_xmm_xmmm128
        EVEX_Vpmaddwd_ymm_k1z_ymm_ymmm256 EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512]
}
