//! A map as blocks of primitives: what the interpreter runs and codegen emits.

use super::{Combine, Map, Order, Sink, Stride};
use crate::block::{Block, Step, Val};
use crate::expand;
use crate::prim::{Lane, Prim};
use tilewright_scalar::{Kind, Pred, Scalar};
use tilewright_support::target::Level;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Along which axes a step varies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Varies {
    /// From row to row.
    pub row: bool,
    /// From column to column.
    pub column: bool,
}

impl Varies {
    /// Along either of two sets of axes.
    pub fn or(self, other: Self) -> Self {
        Self { row: self.row || other.row, column: self.column || other.column }
    }

    /// Whether it varies along the passes of an order.
    pub fn inner(self, order: Order) -> bool {
        if order == Order::Rows { self.column } else { self.row }
    }
}

/// A reduction of a pass.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The combiner.
    pub combine: Combine,
    /// What comes in, one for each accumulator.
    pub values: Vec<Val>,
}

/// A stage.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Steps of one element. [`Step::OfRow`] is a result of an earlier pass, numbered over the program.
    pub block: Block,
    /// Along which axes each step varies.
    pub varies: Vec<Varies>,
    /// Bits to store: the operand and the step. Where the operand does not move along the pass they are stored once,
    /// at the end of the pass.
    pub stores: Vec<(u32, Val)>,
    /// Reductions.
    pub folds: Vec<Fold>,
}

/// All stages.
#[derive(Clone, Debug)]
pub struct Program {
    /// In order.
    pub passes: Vec<Pass>,
    /// Whether any value is 64 bits wide.
    pub wide: bool,
}

impl Program {
    /// Expands a map as the loops of a machine without vectors compute it.
    ///
    /// # Errors
    /// As [`Program::for_level`].
    pub fn new(map: &Map) -> Result<Self> {
        Self::for_level(map, Level::Portable)
    }

    /// Expands a map for a level: some functions have an expansion of their own there.
    ///
    /// # Errors
    /// Unsupported, by name, for functions, dtypes and indices without an expansion; invalid, for stores that do not fit
    /// their operand.
    pub fn for_level(map: &Map, level: Level) -> Result<Self> {
        if map.operands.iter().any(|o| o.column == Stride::Bits && o.dtype != DType::Bool) {
            return Err(Diagnostic::invalid("an operand of packed bits that is not of bools"));
        }
        let mut passes = Vec::with_capacity(map.stages.len());
        let mut values = 0;
        for stage in &map.stages {
            let mut pass = Builder { map, block: Block::for_level(level), values };
            let (mut stores, mut folds) = (Vec::new(), Vec::new());
            for sink in &stage.sinks {
                match sink {
                    Sink::Store { operand, value } => stores.push((*operand, pass.store(*operand, value)?)),
                    Sink::Reduce { combiner, value } => {
                        let combine = Combine::new(*combiner, value.dtype())?;
                        let mut vals = vec![pass.value(value)?];
                        let place = if map.order == Order::Rows { Step::Column } else { Step::Row };
                        vals.extend(combine.second(&mut pass.block, vals[0], place));
                        folds.push(Fold { combine, values: vals });
                    }
                }
            }
            values += folds.len();
            passes.push(Pass::new(map, pass.block, stores, folds)?);
        }
        Ok(Self::of(passes))
    }

    /// A program of given passes.
    pub fn of(passes: Vec<Pass>) -> Self {
        let wide = passes.iter().any(|p| {
            let blocks = p.folds.iter().flat_map(|f| [&f.combine.block, &f.combine.finish.0]);
            blocks.chain([&p.block]).any(|b| b.steps().iter().any(|(_, lane)| lane.bits() == 64))
        });
        Self { passes, wide }
    }
}

impl Pass {
    /// A pass over the operands of a map.
    ///
    /// # Errors
    /// Invalid, for stores of what varies where the operand does not.
    pub fn new(map: &Map, block: Block, stores: Vec<(u32, Val)>, folds: Vec<Fold>) -> Result<Self> {
        let varies = varies(map, &block);
        let pass = Self { block, varies, stores, folds };
        check_stores(map, &pass)?;
        Ok(pass)
    }
}

fn varies(map: &Map, block: &Block) -> Vec<Varies> {
    let mut all: Vec<Varies> = Vec::with_capacity(block.steps().len());
    for (step, _) in block.steps() {
        all.push(match step {
            Step::Const(_) => Varies::default(),
            Step::Load(o) => {
                let operand = map.operands[*o as usize];
                Varies { row: operand.has_rows(), column: operand.column != Stride::Zero }
            }
            Step::Column => Varies { row: false, column: true },
            Step::Row => Varies { row: true, column: false },
            Step::OfRow(_) => Varies { row: map.order == Order::Rows, column: map.order == Order::Columns },
            Step::Prim(_, args) => args.iter().fold(Varies::default(), |v, a| v.or(all[a.index()])),
        });
    }
    all
}

/// A value stored once must not vary where its operand does not.
fn check_stores(map: &Map, pass: &Pass) -> Result<()> {
    for (o, val) in &pass.stores {
        let operand = map.operands[*o as usize];
        let varies = pass.varies[val.index()];
        let fits = (!varies.column || operand.column != Stride::Zero) && (!varies.row || operand.has_rows());
        if !fits {
            return Err(Diagnostic::invalid(format!("a value that varies is stored to operand {o}, which does not")));
        }
    }
    Ok(())
}

/// A pass being expanded.
struct Builder<'a> {
    map: &'a Map,
    block: Block,
    /// Values of the row that earlier passes gave.
    values: usize,
}

impl Builder<'_> {
    fn value(&mut self, value: &Scalar) -> Result<Val> {
        if value.depth() > DEEPEST {
            return Err(Diagnostic::unsupported(format!("in kernels, an expression more than {DEEPEST} levels deep")));
        }
        let mut fault = None;
        let (map, values) = (self.map, self.values);
        let found = expand::scalar(&mut self.block, value, &mut |block, leaf, sides| {
            let val = self::leaf(map, values, block, (leaf, sides));
            val.map_err(|e| fault.get_or_insert(e).clone()).ok()
        });
        match (found, fault) {
            (_, Some(e)) => Err(e),
            (Some(val), None) => Ok(val),
            (None, None) => Err(Diagnostic::unsupported(format!("in kernels, a function of {}", name_of(value)))),
        }
    }

    fn store(&mut self, o: u32, value: &Scalar) -> Result<Val> {
        let operand = self.map.operands.get(o as usize);
        let operand =
            operand.ok_or_else(|| Diagnostic::invalid(format!("a store to operand {o}, which is not there")))?;
        if operand.dtype != value.dtype() {
            let (to, from) = (operand.dtype.name(), value.dtype().name());
            return Err(Diagnostic::dtype(format!("a store of {from} to operand {o} of dtype {to}")));
        }
        let val = self.value(value)?;
        Ok(if operand.column == Stride::Bits { val } else { expand::stored(&mut self.block, operand.dtype, val) })
    }
}

/// The functions of an expression, for a message.
fn name_of(value: &Scalar) -> String {
    let mut names = Vec::new();
    value.visit(&mut |s| {
        if let Kind::Call(f, args) = s.kind() {
            let of = args.first().map_or("nothing", |arg| arg.dtype().name());
            let name = format!("{}.{of}", f.name());
            if !names.contains(&name) {
                names.push(name);
            }
        }
    });
    names.join(", ")
}

/// The deepest expression that is expanded: the stack has to hold the way down.
const DEEPEST: u32 = 500;

fn leaf(map: &Map, values: usize, block: &mut Block, (leaf, sides): (&Scalar, &[Val])) -> Result<Val> {
    match (leaf.kind(), sides) {
        (Kind::Read(o, index), _) => read(map, values, block, (*o, index, leaf.dtype())),
        (Kind::Index(ix), _) => affine(block, ix, Lane::I64),
        (Kind::Where(preds, ..), [then, otherwise]) => {
            let (then, otherwise) = (*then, *otherwise);
            let mut all = None;
            for pred in preds {
                let holds = predicate(block, pred)?;
                all = Some(all.map_or(holds, |a| block.prim(Prim::MaskAnd, &[a, holds])));
            }
            let Some(mask) = all else { return Ok(then) };
            choose(block, mask, then, otherwise)
        }
        _ => Err(Diagnostic::internal("an expression that is no leaf")),
    }
}

fn choose(block: &mut Block, mask: Val, then: Val, otherwise: Val) -> Result<Val> {
    if block.lane(then) != Lane::Mask {
        return Ok(block.prim(Prim::Select, &[mask, then, otherwise]));
    }
    let yes = block.prim(Prim::MaskAnd, &[mask, then]);
    let not = block.prim(Prim::MaskNot, &[mask]);
    let no = block.prim(Prim::MaskAnd, &[not, otherwise]);
    Ok(block.prim(Prim::MaskOr, &[yes, no]))
}

fn read(map: &Map, values: usize, block: &mut Block, (o, index, dtype): (u32, &[Ix], DType)) -> Result<Val> {
    let at = o as usize;
    let axes: Vec<Option<u32>> = index.iter().map(Ix::as_axis).collect();
    let lane = expand::lane(dtype).ok_or_else(|| Diagnostic::unsupported(format!("{} in kernels", dtype.name())))?;
    if let Some(operand) = map.operands.get(at) {
        if axes != [Some(0), Some(1)] || operand.dtype != dtype {
            return Err(Diagnostic::invalid(format!("operand {o} is not read as {} at [i, j]", operand.dtype.name())));
        }
        if operand.column == Stride::Bits {
            return Ok(block.step(Step::Load(o), lane));
        }
        let raw = match dtype.bits() {
            64 | 32 => lane,
            _ => Lane::I32,
        };
        let raw = block.step(Step::Load(o), raw);
        return Ok(expand::loaded(block, dtype, raw));
    }
    let value = at - map.operands.len();
    let axis = if map.order == Order::Rows { 0 } else { 1 };
    let known = map.reductions().nth(value).filter(|_| value < values);
    let fits = known.is_some_and(|(c, v)| c.result(v.dtype()) == dtype);
    if !fits || axes != [Some(axis)] {
        return Err(Diagnostic::invalid(format!(
            "value {value} of the row is read before it is there, or not as it is"
        )));
    }
    Ok(block.step(Step::OfRow(value as u32), lane))
}

/// Whether 32 bits hold the expression over all tiles.
fn small(ix: &Ix) -> bool {
    let sum: u64 =
        ix.terms().iter().filter(|(m, _)| !m.is_empty()).map(|(_, c)| c.unsigned_abs()).fold(0, u64::saturating_add);
    sum <= 3 && ix.constant_term().unsigned_abs() <= 1 << 30
}

fn affine(block: &mut Block, ix: &Ix, lane: Lane) -> Result<Val> {
    let unsupported = || Diagnostic::unsupported("in kernels, an index that is not affine in row and column");
    let (i, rest) = ix.affine_in(0).ok_or_else(unsupported)?;
    let (j, rest) = rest.affine_in(1).ok_or_else(unsupported)?;
    let konst = rest.as_const().ok_or_else(unsupported)?;
    let mut sum = block.number(lane, 0.0);
    for (step, c) in [(Step::Row, i), (Step::Column, j)] {
        if c == 0 {
            continue;
        }
        let mut place = block.step(step, Lane::I32);
        if lane == Lane::I64 {
            place = block.prim(Prim::Extend, &[place]);
        }
        let c_val = integer(block, lane, c);
        let term = if c == 1 { place } else { block.prim(Prim::IMul, &[place, c_val]) };
        sum = if block.constant(sum) == Some(0) { term } else { block.prim(Prim::IAdd, &[sum, term]) };
    }
    if konst == 0 {
        return Ok(sum);
    }
    let konst = integer(block, lane, konst);
    Ok(block.prim(Prim::IAdd, &[sum, konst]))
}

fn integer(block: &mut Block, lane: Lane, x: i64) -> Val {
    if lane == Lane::I64 { block.i64(x) } else { block.i32(x as i32) }
}

fn predicate(block: &mut Block, pred: &Pred) -> Result<Val> {
    let lane = if small(pred.ix()) { Lane::I32 } else { Lane::I64 };
    let value = affine(block, pred.ix(), lane)?;
    Ok(match pred {
        Pred::Ge0(_) => {
            let below = integer(block, lane, -1);
            block.prim(Prim::IGt, &[value, below])
        }
        Pred::Eq0(_) => {
            let zero = integer(block, lane, 0);
            block.prim(Prim::IEq, &[value, zero])
        }
    })
}
