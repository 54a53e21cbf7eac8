//! RNN, GRU and LSTM: the input projection of all steps as one product, then a scan over time.

use super::recurrent_cell::{Activation, Cell, Gates, activations};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use std::sync::Arc;
use tilewright_graph::{Builder, Loop, Op, Scalar, Type, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("RNN", 3..=6, ATTRIBUTES, |cx, c| import(cx, c, Cell::Rnn)).outputs(0..=2),
    Row::new("GRU", 3..=6, ATTRIBUTES, |cx, c| import(cx, c, Cell::Gru)).outputs(0..=2),
    Row::new("LSTM", 3..=8, ATTRIBUTES, |cx, c| import(cx, c, Cell::Lstm)).outputs(0..=3),
];

const ATTRIBUTES: &[&str] = &[
    "activation_alpha",
    "activation_beta",
    "activations",
    "clip",
    "direction",
    "hidden_size",
    "input_forget",
    "layout",
    "linear_before_reset",
    "output_sequence",
];

/// Operands of a recurrent operator with time first: `x [T, B, I]`, `w [D, g*H, I]`,
/// `r [D, g*H, H]`, `bias [D, 2*g*H]`, `lengths [B]`, `h` and `c` `[D, B, H]`, `p [D, 3*H]`.
pub struct Operands {
    /// Input sequence.
    pub x: ValueId,
    /// Input weights.
    pub w: ValueId,
    /// Recurrence weights.
    pub r: ValueId,
    /// Biases of both.
    pub bias: Option<ValueId>,
    /// Valid steps of each sequence.
    pub lengths: Option<ValueId>,
    /// First hidden state.
    pub h: Option<ValueId>,
    /// First cell state.
    pub c: Option<ValueId>,
    /// Peephole weights.
    pub p: Option<ValueId>,
}

/// Attributes of a recurrent operator.
pub struct Settings {
    /// The cell.
    pub cell: Cell,
    /// For each direction, whether it runs from the last step to the first.
    pub reverse: Vec<bool>,
    /// Activations of each direction.
    pub activations: Vec<Vec<Activation>>,
    /// Bound on the activations' arguments.
    pub clip: Option<f64>,
    /// LSTM: forget gate is one minus input gate. GRU: reset gate acts after the product.
    pub variant: bool,
    /// Whether the state is rounded to 8 bits before each product, as dynamic quantization does.
    pub coarse: bool,
}

fn import(cx: &mut Cx<'_>, call: &Call<'_>, cell: Cell) -> Result<Vec<ValueId>> {
    let batch_first = call.flag("layout", false)?;
    let mut operands = Operands {
        x: call.x(0)?,
        w: call.x(1)?,
        r: call.x(2)?,
        bias: call.opt(3),
        lengths: call.opt(4),
        h: call.opt(5),
        c: call.opt(6),
        p: call.opt(7),
    };
    if batch_first {
        operands.x = cx.b.permute(operands.x, &[1, 0, 2])?;
        for state in [&mut operands.h, &mut operands.c].into_iter().flatten() {
            *state = cx.b.permute(*state, &[1, 0, 2])?;
        }
    }
    let settings = settings(call, cell)?;
    if let Some(size) = call.node.attr_int("hidden_size")? {
        let hidden = &cx.b.shape(operands.r)?[..];
        if hidden.last().and_then(Ix::as_const).is_some_and(|h| h != size) {
            return Err(call.invalid(format!("hidden_size is {size}, but R has shape {}", cx.b.ty(operands.r))));
        }
    }
    let [y, h, c] = run(cx, &operands, &settings)?;
    let (y, h, c) = match batch_first {
        true => (cx.b.permute(y, &[2, 0, 1, 3])?, cx.b.permute(h, &[1, 0, 2])?, cx.b.permute(c, &[1, 0, 2])?),
        false => (y, h, c),
    };
    Ok(if cell == Cell::Lstm { vec![y, h, c] } else { vec![y, h] })
}

/// The attributes of a call.
pub fn settings(call: &Call<'_>, cell: Cell) -> Result<Settings> {
    let reverse = match call.str("direction", "forward")? {
        "forward" => vec![false],
        "reverse" => vec![true],
        "bidirectional" => vec![false, true],
        other => return Err(call.invalid(format!("direction \"{other}\" is none of forward, reverse, bidirectional"))),
    };
    let variant = match cell {
        Cell::Lstm => call.flag("input_forget", false)?,
        Cell::Gru => call.flag("linear_before_reset", false)?,
        Cell::Rnn => false,
    };
    let clip = call.node.attr_float("clip")?.map(f64::from).filter(|c| *c > 0.0);
    let activations = activations(call, cell, reverse.len())?;
    Ok(Settings { cell, reverse, activations, clip, variant, coarse: false })
}

/// Builds the operator; gives `Y [T, D, B, H]`, `Y_h [D, B, H]`, `Y_c [D, B, H]` (of other cells
/// than LSTM, `Y_h` again).
pub fn run(cx: &mut Cx<'_>, o: &Operands, s: &Settings) -> Result<[ValueId; 3]> {
    let shape_of = |cx: &Cx<'_>, v: ValueId, rank: usize, name: &str| -> Result<Shape> {
        let shape = cx.b.shape(v)?;
        if shape.len() == rank {
            return Ok(shape);
        }
        Err(Diagnostic::shape(format!("{name} must have rank {rank}, found {}", cx.b.ty(v))))
    };
    let (x, r) = (shape_of(cx, o.x, 3, "X")?, shape_of(cx, o.r, 3, "R")?);
    let others = [(Some(o.w), 3, "W"), (o.bias, 2, "B"), (o.lengths, 1, "sequence_lens")];
    let states = [(o.h, 3, "initial_h"), (o.c, 3, "initial_c"), (o.p, 2, "P")];
    for (v, rank, name) in others.into_iter().chain(states) {
        v.map(|v| shape_of(cx, v, rank, name)).transpose()?;
    }
    let directions = s.reverse.len();
    if r[0].as_const().is_some_and(|d| d != directions as i64) {
        return Err(Diagnostic::shape(format!("R has {} directions, the attribute says {directions}", r[0])));
    }
    let state = vec![x[1].clone(), r[2].clone()];
    let (mut ys, mut hs, mut cs) = (Vec::new(), Vec::new(), Vec::new());
    for d in 0..directions {
        let [y, h, c] = one_direction(cx, o, s, d, &state)?;
        let stacked = [&y_shape(&x[0], 1)[..], &state].concat();
        ys.push(cx.b.reshape(y, stacked)?);
        let lead = [&[Ix::konst(1)][..], &state].concat();
        hs.push(cx.b.reshape(h, lead.clone())?);
        cs.push(cx.b.reshape(c, lead)?);
    }
    Ok([cx.b.concat(&ys, 1)?, cx.b.concat(&hs, 0)?, cx.b.concat(&cs, 0)?])
}

fn y_shape(steps: &Ix, directions: i64) -> Shape {
    vec![steps.clone(), Ix::konst(directions)]
}

/// Row `d` of the first dim, without that dim.
fn row(cx: &mut Cx<'_>, v: ValueId, d: usize) -> Result<ValueId> {
    let slice = cx.b.slice(v, 0, d, 1)?;
    let shape = cx.b.shape(slice)?[1..].to_vec();
    cx.b.reshape(slice, shape)
}

/// Steps in the other order.
fn reversed(cx: &mut Cx<'_>, v: ValueId) -> Result<ValueId> {
    let sizes = cx.b.shape(v)?;
    let (mut starts, mut steps) = (vec![Ix::zero(); sizes.len()], vec![1; sizes.len()]);
    (starts[0], steps[0]) = (&sizes[0] - &Ix::konst(1), -1);
    cx.b.apply(&tilewright_graph::ops::Slice { starts, steps, sizes }, &[v])
}

fn one_direction(cx: &mut Cx<'_>, o: &Operands, s: &Settings, d: usize, state: &Shape) -> Result<[ValueId; 3]> {
    let (w, r) = (row(cx, o.w, d)?, row(cx, o.r, d)?);
    let gates = s.cell.gates() as i64;
    let width = &state[1] * gates;
    let mut projected = cx.b.einsum("tbi,gi->tbg", &[o.x, w])?;
    let mut recurrent_bias = None;
    if let Some(bias) = o.bias {
        let bias = row(cx, bias, d)?;
        let wb = cx.b.slice(bias, 0, 0, width.clone())?;
        let rb = cx.b.slice(bias, 0, width.clone(), width.clone())?;
        projected = cx.b.map(&[projected, wb], |a| &a[0] + &a[1])?;
        recurrent_bias = Some(rb);
    }
    let dtype = cx.b.dtype(o.x)?;
    let first = |cx: &mut Cx<'_>, v: Option<ValueId>| match v {
        Some(v) => row(cx, v, d),
        None => {
            let zero = cx.b.scalar(dtype, 0.0)?;
            cx.b.broadcast(zero, state.clone())
        }
    };
    let mut carried = vec![first(cx, o.h)?];
    if s.cell == Cell::Lstm {
        carried.push(first(cx, o.c)?);
    }
    let peepholes = o.p.map(|p| row(cx, p, d)).transpose()?;
    let lengths = o.lengths.map(|l| cx.b.cast(l, DType::I64)).transpose()?;
    let scanned = if s.reverse[d] { reversed(cx, projected)? } else { projected };
    let steps = cx.b.shape(scanned)?[0].clone();
    let captured: Vec<Option<ValueId>> = vec![Some(r), recurrent_bias, peepholes, lengths];
    let body = step(cx, s, d, &carried, scanned, &captured, &steps)?;
    let n = carried.len();
    let mut types: Vec<Type> = carried.iter().map(|v| cx.b.ty(*v).clone()).collect();
    types.push(Type::tensor(dtype, [&[steps][..], state].concat()));
    let op = Loop { body: Arc::new(body), carried: n, scanned: 1, stacked: 1, counted: false, conditional: false };
    let mut inputs = carried;
    inputs.push(scanned);
    inputs.extend(captured.into_iter().flatten());
    let outputs = cx.b.node(Op::Loop(op), &inputs, types);
    let y = if s.reverse[d] { reversed(cx, outputs[n])? } else { outputs[n] };
    Ok([y, outputs[0], outputs[n - 1]])
}

/// The body: one step of one direction.
fn step(
    cx: &Cx<'_>,
    s: &Settings,
    d: usize,
    carried: &[ValueId],
    scanned: ValueId,
    captured: &[Option<ValueId>],
    steps: &Ix,
) -> Result<tilewright_graph::Graph> {
    let mut b = cx.b.body();
    let iteration = b.input("iteration", Type::tensor(DType::I64, vec![]));
    let state: Vec<ValueId> = carried.iter().map(|v| b.input("state", cx.b.ty(*v).clone())).collect();
    let x = cx.b.tensor(scanned)?;
    let x = b.input("x", Type::tensor(x.dtype, x.shape[1..].to_vec()));
    let inner: Vec<Option<ValueId>> =
        captured.iter().map(|v| v.map(|v| b.input("captured", cx.b.ty(v).clone()))).collect();
    let [Some(r), bias, peepholes, lengths] = inner[..] else {
        return Err(Diagnostic::internal("a recurrent step without weights"));
    };
    let activations = &s.activations[d];
    let gates = Gates { x, r, bias, peepholes, activations, clip: s.clip, variant: s.variant, coarse: s.coarse };
    let next = s.cell.step(&mut b, &gates, &state)?;
    let (next, y) = match lengths {
        None => {
            let y = next[0];
            (next, y)
        }
        Some(lengths) => masked(&mut b, iteration, lengths, &state, &next, (s.reverse[d], steps))?,
    };
    let mut outputs = next;
    outputs.push(y);
    Ok(b.finish(&outputs))
}

/// Beyond a sequence's length states stay as they are and the output is zero.
fn masked(
    b: &mut Builder,
    iteration: ValueId,
    lengths: ValueId,
    old: &[ValueId],
    new: &[ValueId],
    (reverse, steps): (bool, &Ix),
) -> Result<(Vec<ValueId>, ValueId)> {
    let batch = b.shape(lengths)?;
    let lengths = b.reshape(lengths, [&batch[..], &[Ix::konst(1)]].concat())?;
    let last = Scalar::index(steps - &Ix::konst(1));
    let valid = b.map(&[iteration, lengths], |a| {
        let t = if reverse { last - a[0].clone() } else { a[0].clone() };
        t.lt(&a[1])
    })?;
    let mut kept = Vec::new();
    for (o, n) in old.iter().zip(new) {
        kept.push(b.map(&[valid, *n, *o], |a| a[0].select(&a[1], &a[2]))?);
    }
    let y = b.map(&[valid, new[0]], |a| a[0].select(&a[1], &a[1].lit(0.0)))?;
    Ok((kept, y))
}
