//! The families of operators.

mod activation;
mod attention;
mod batch_norm;
mod conv;
mod cumulate;
mod deform;
mod einsum;
mod elementwise;
mod embed;
mod flow;
mod gradient;
mod index;
mod labels;
mod layer_norm;
mod learning;
mod linear;
mod loss;
mod normalize;
mod optimizer;
mod pool;
mod quantized;
mod recurrent;
mod recurrent_cell;
mod reduce;
mod resize;
mod roi;
mod rotary;
mod sample;
mod selection;
mod sequence;
mod shape;
mod signal;
mod sizes;
mod softmax;
mod source;
mod statistics;
mod text;
mod trees;
mod unpool;
mod windows;

use super::table::Row;

/// Every operator's row.
pub const FAMILIES: &[&[Row]] = &[
    attention::ROWS,
    labels::ROWS,
    learning::ROWS,
    text::ROWS,
    trees::ROWS,
    conv::ROWS,
    softmax::ROWS,
    reduce::ROWS,
    optimizer::ROWS,
    normalize::ROWS,
    loss::ROWS,
    layer_norm::ROWS,
    embed::ROWS,
    cumulate::ROWS,
    batch_norm::ROWS,
    deform::ROWS,
    einsum::ROWS,
    quantized::CONV,
    quantized::DYNAMIC,
    quantized::FUSED,
    quantized::LINEAR,
    quantized::LSTM,
    quantized::MATMUL,
    quantized::NBITS,
    elementwise::ACTIVATIONS,
    elementwise::ARITHMETIC,
    elementwise::CAST,
    elementwise::FUNCTIONS,
    elementwise::LOGIC,
    source::CONSTANT,
    source::DROPOUT,
    source::RANDOM,
    source::RANGE,
    source::SHAPE,
    flow::ROWS,
    gradient::ROWS,
    linear::ROWS,
    pool::ROWS,
    roi::ROWS,
    unpool::ROWS,
    recurrent::ROWS,
    index::GATHER,
    index::ONE_HOT,
    index::SCATTER,
    index::SELECT,
    resize::ROWS,
    sample::ROWS,
    selection::ROWS,
    sequence::ROWS,
    signal::ROWS,
    shape::JOIN,
    shape::MASK,
    shape::PAD,
    shape::PERMUTE,
    shape::REPEAT,
    shape::RESHAPE,
    shape::SLICE,
];
