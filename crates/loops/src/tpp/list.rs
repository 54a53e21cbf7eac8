//! The published names, those of 2021 and later ones, and what each is here.

use crate::map::Index;
use crate::movement::Order::{self, Copy, Gather, Interleave, Scatter, Separate, Transpose};

/// What a published name is here.
#[derive(Clone, Copy, Debug)]
pub enum Here {
    /// Rows of [`ELEMENTWISE`](super::ELEMENTWISE).
    Elementwise(&'static [&'static str]),
    /// Rows of [`REDUCTIONS`](super::REDUCTIONS).
    Reduction(&'static [&'static str]),
    /// Moves, one after the other, and what to know of them.
    Moves(&'static [Order], &'static str),
    /// A Contract, and how.
    Contract(&'static str),
    /// Said by operands and sinks of a map, and how.
    Map(&'static str),
    /// Nothing, and why.
    Absent(&'static str),
}

/// A published name.
pub struct Named {
    /// The name.
    pub name: &'static str,
    /// What it is.
    pub here: Here,
}

const fn named(name: &'static str, here: Here) -> Named {
    Named { name, here }
}

const fn one(name: &'static str, row: &'static [&'static str]) -> Named {
    named(name, Here::Elementwise(row))
}

const fn fold(name: &'static str, row: &'static [&'static str]) -> Named {
    named(name, Here::Reduction(row))
}

const fn moves(name: &'static str, orders: &'static [Order]) -> Named {
    named(name, Here::Moves(orders, ""))
}

const fn moves_so(name: &'static str, orders: &'static [Order], how: &'static str) -> Named {
    named(name, Here::Moves(orders, how))
}

const fn map(name: &'static str, how: &'static str) -> Named {
    named(name, Here::Map(how))
}

const fn contract(name: &'static str, how: &'static str) -> Named {
    named(name, Here::Contract(how))
}

const fn absent(name: &'static str, why: &'static str) -> Named {
    named(name, Here::Absent(why))
}

const COPY: Order = Copy { stream: false };
const GATHER: &[Order] = &[Gather(Index::I32), Gather(Index::I64)];
const SCATTER: &[Order] = &[Scatter(Index::I32), Scatter(Index::I64)];
const PAIRS: Order = Interleave { group: 2 };
const FOURS: Order = Interleave { group: 4 };
const OF_PAIRS: Order = Separate { group: 2 };
const OF_FOURS: Order = Separate { group: 4 };

const COMPLETED: &str = "missing rows of a group become zeros";
const BLOCKS: &str = "one for each block";
const PAD_COLUMNS: &str = "`Padded` columns";
const PAD_ROWS: &str = "a second one of no columns, `Padded`, for the rows to add";
const EIGHTS: &str = "groups of eight serve instructions of other processors";
const SPARSE: &str = "sparse formats are left out";
const BLOCK_SCALED: &str = "block-scaled formats are left out";
const SUB_BYTE: &str = "elements below a byte are left out, but bits of masks";

/// All of them.
pub const LIST: &[Named] = &[
    // Unary, 2021.
    one("IDENTITY", &["identity"]),
    one("XOR", &["zero"]),
    one("X2", &["square"]),
    one("SQRT", &["sqrt"]),
    one("RELU", &["relu", "relu_with_mask"]),
    one("RELU_INV", &["relu_inv"]),
    one("TANH", &["tanh"]),
    one("TANH_INV", &["tanh_inv"]),
    one("SIGMOID", &["sigmoid"]),
    one("SIGMOID_INV", &["sigmoid_inv"]),
    one("GELU", &["gelu"]),
    one("GELU_INV", &["gelu_inv"]),
    one("NEGATE", &["negate"]),
    one("INC", &["increment"]),
    one("RECIPROCAL", &["reciprocal"]),
    one("RECIPROCAL_SQRT", &["reciprocal_sqrt"]),
    one("EXP", &["exp"]),
    fold("REDUCE_X_OP_ADD", &["reduce_add"]),
    fold("REDUCE_X2_OP_ADD", &["reduce_square_add"]),
    fold("REDUCE_X_X2_OP_ADD", &["reduce_add_and_square_add"]),
    fold("REDUCE_X_OP_MAX", &["reduce_max"]),
    fold("REDUCE_X_OP_MUL", &["reduce_mul"]),
    map(
        "REDUCE_X_OP_ADD_NCNC",
        "`reduce_add` over indexed rows, an index for each pair, or `accumulate` block by block",
    ),
    map("REDUCE_TO_SCALAR_ADD", "`reduce_add`, its constructor `whole`: columns, then the row of their sums"),
    one("DROPOUT", &["dropout"]),
    one("DROPOUT_INV", &["dropout_inv"]),
    map("REPLICATE_COL_VAR", "`identity` of a column operand to a tile"),
    moves("TRANSFORM_NORM_TO_VNNI", &[PAIRS]),
    moves_so("TRANSFORM_NORM_TO_VNNI_PAD", &[PAIRS], COMPLETED),
    moves("TRANSFORM_NORM_TO_NORMT", &[Transpose]),
    moves("TRANSFORM_VNNI_TO_VNNIT", &[OF_PAIRS, Transpose, PAIRS]),
    moves("TRANSFORM_NORM_TO_VNNIT", &[Transpose, PAIRS]),
    moves_so("UNPACK_TO_BLOCKS", &[COPY], BLOCKS),
    // Unary, later.
    one("LEAKY_RELU", &["leaky_relu", "leaky_relu_with_mask"]),
    one("LEAKY_RELU_INV", &["leaky_relu_inv"]),
    one("ELU", &["elu"]),
    one("ELU_INV", &["elu_inv"]),
    one("UNZIP", &["unzip"]),
    map("STOCHASTIC_ROUND", "`stochastic_round`: to bf16, by counter-based numbers"),
    moves_so("PADM_MOD2", &[COPY], PAD_COLUMNS),
    moves_so("PADN_MOD2", &[COPY], PAD_ROWS),
    moves_so("PADNM_MOD2", &[COPY], PAD_ROWS),
    moves_so("PADM_MOD4", &[COPY], PAD_COLUMNS),
    moves_so("PADN_MOD4", &[COPY], PAD_ROWS),
    moves_so("PADNM_MOD4", &[COPY], PAD_ROWS),
    one("QUANT", &["quantize", "quantize_wrapped"]),
    one("DEQUANT", &["dequantize"]),
    map("REDUCE_COLS_IDX_ADD", "`reduce_add` over indexed rows"),
    map("REDUCE_COLS_IDX_MAX", "`reduce_max` or `reduce_max_with_argument` over indexed rows"),
    map("REDUCE_COLS_IDX_MIN", "`reduce_min` or `reduce_min_with_argument` over indexed rows"),
    absent("DECOMPRESS_SPARSE_FACTOR_1 .. 32", SPARSE),
    moves("GATHER", GATHER),
    moves("SCATTER", SCATTER),
    moves("TRANSFORM_NORM_TO_VNNI4", &[FOURS]),
    moves_so("TRANSFORM_NORM_TO_VNNI4_PAD", &[FOURS], COMPLETED),
    moves("TRANSFORM_NORM_TO_VNNI4T", &[Transpose, FOURS]),
    moves("TRANSFORM_VNNI4_TO_VNNI4T", &[OF_FOURS, Transpose, FOURS]),
    moves("TRANSFORM_VNNI4_TO_VNNI2", &[OF_FOURS, PAIRS]),
    moves("TRANSFORM_VNNI2_TO_NORM", &[OF_PAIRS]),
    moves("TRANSFORM_VNNI4_TO_NORM", &[OF_FOURS]),
    absent("TRANSFORM_NORM_TO_VNNI8 and its relatives", EIGHTS),
    map("DUMP", "a second `Store` sink of the value"),
    one("DECOMP_FP32_TO_BF16X2", &["split_bf16x2"]),
    one("DECOMP_FP32_TO_BF16X3", &["split_bf16x3"]),
    fold("REDUCE_X_OP_MIN", &["reduce_min"]),
    fold("REDUCE_X_OP_ABSMAX", &["reduce_absmax"]),
    // Stand-alone, 2021.
    map("REDUCE_COLS_IDX", "`reduce_add`, `reduce_max`, `reduce_min` over indexed rows"),
    map("OPREDUCE_VECS_IDX", "`Elementwise::reduce` of add, sub, mul, div or identity, its arguments indexed rows"),
    one("CVTFP32BF16", &["identity"]),
    one("CVTFP32BF16_ACT", &["relu", "sigmoid", "tanh", "gelu"]),
    one("COLBIAS_ACT", &["add_relu", "add_sigmoid", "add_gelu"]),
    absent("DECOMPRESS_A", SPARSE),
    moves("B_TO_BT", &[Transpose]),
    moves("C_TO_VNNI", &[PAIRS]),
    // Binary.
    one("ADD", &["add"]),
    one("MUL", &["mul"]),
    one("SUB", &["sub"]),
    one("DIV", &["div"]),
    one("BINARY_MULADD", &["muladd"]),
    fold("MUL_AND_REDUCE_TO_SCALAR_ADD", &["mul_reduce_add"]),
    moves_so("PACK", &[COPY], BLOCKS),
    one("MAX", &["max"]),
    one("MIN", &["min"]),
    one("ZIP", &["zip"]),
    one("CMP_OP_GT", &["gt"]),
    one("CMP_OP_GE", &["ge"]),
    one("CMP_OP_LT", &["lt"]),
    one("CMP_OP_LE", &["le"]),
    one("CMP_OP_EQ", &["eq"]),
    one("CMP_OP_NE", &["ne"]),
    contract("MATMUL, BRGEMM in equations", "the equation is the map after the product"),
    // Ternary.
    one("MULADD", &["muladd"]),
    one("NMULADD", &["nmuladd"]),
    one("BLEND", &["select"]),
    one("SELECT", &["select"]),
    contract("ternary MATMUL, BRGEMM", "`accumulate`, or a map after the product that adds the third"),
    // The equations of the paper.
    one("split-SGD", &["split_sgd"]),
    map("softmax", "`normalize::softmax`"),
    map("layer norm", "`normalize::layer_norm`, `normalize::rms_norm`"),
    // Flags of maps.
    map("BITMASK", "an operand `Operand::bits`, read or stored; unused bits of the last byte become zero"),
    map("BCAST_ROW, BCAST_COL, BCAST_SCALAR of any argument", "operands `row`, `column`, `scalar`"),
    map("REDUCE_ROWS, REDUCE_COLS", "the order of the map: along rows or columns"),
    map("REDUCE_INIT_ACC", "the constructor `accumulate`"),
    map("REDUCE_INF_ACC", "identities of maxima and minima are infinities, always"),
    absent("REDUCE_NO_PREFETCH", "nothing is prefetched"),
    fold("REDUCE_RECORD_ARGOP", &["reduce_max_with_argument", "reduce_min_with_argument"]),
    map("IDX_SIZE_4BYTES, IDX_SIZE_8BYTES", "`Index::I32`, `Index::I64`"),
    map("GS_ROWS", "indexed rows, read or stored; or the Moves Gather and Scatter"),
    absent("GS_COLS", "a Gather or Scatter of rows after a Transpose"),
    absent("GS_OFFS", "an offset for each element: no kernel of a network here asks for it"),
    one("STOCHASTIC_ROUND flag", &["stochastic_round"]),
    moves_so("NTS_HINT", &[Copy { stream: true }], "results of maps go through the caches"),
    map("NO_SCF_QUANT", "`quantize` of a scale of one"),
    one("SIGN_SAT_QUANT", &["quantize"]),
    map("REUSE_IN_2_AS_OUT", "an operand that is read and stored"),
    absent("state of xoshiro128", "random numbers are those of a key and a counter, whatever thread computes them"),
    // Flags of products.
    contract("TRANS_A", "`Steps::Strided`: the distance of the steps of A is an argument"),
    moves("TRANS_B", &[Transpose]),
    contract("BETA_0", "without `accumulate`"),
    contract("VNNI_A, VNNI_B", "products of bf16 and bytes read B in groups of two or four rows, A as it is"),
    moves("VNNI_C", &[PAIRS]),
    contract("BATCH_REDUCE_ADDRESS, _OFFSET, _STRIDE", "a table of offsets, filled by the caller"),
    absent("ALIGN_A, ALIGN_C, NO_RESET_TILECONFIG, NO_SETUP_TILECONFIG", "there is nothing to choose"),
    contract("USE_COL_VEC_SCF, USE_COL_VEC_ZPT", "operands of the map after the product"),
    contract("USE_MxK_SCF, USE_MxK_ZPT", "a map over A before it"),
    absent("INTLV_A_FORMAT, DECOMPRESS_A_VIA_BITMASK", SPARSE),
    // Dtypes.
    map("F64, F32, BF16, F16, I64, I32, I16, I8, U64, U32, U16, U8", "dtypes of operands"),
    absent("BF8, HF8", "floats of eight bits are converted outside of kernels"),
    absent("MXBF8, MXHF8, MXBF6, MXHF6, MXFP4X2, NVFP4X2", BLOCK_SCALED),
    absent("I4X2, U4X2, I2X4, I1X8", SUB_BYTE),
    absent("BF32", "f32 is computed as f32"),
];
