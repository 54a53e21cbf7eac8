//! Blocks as instructions: constants, levels of steps, values.

use super::folds::Parts;
use super::gather::Read;
use super::memory::At;
use super::prims::{Arg, recipe};
use crate::function::Function;
use crate::inst::{ImmOp, MaskOp, Mem, Operand, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::block::{Block, Step, Val};
use tilewright_loops::map::{Map, Operand as Tile, Order, Pass, Program, Sink, Stride};
use tilewright_loops::prim::{Lane, Prim};
use tilewright_support::target::Level;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

/// When a step is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum When {
    /// At the start of the function.
    Once,
    /// At the start of a pass.
    Outer,
    /// For every element of the pass.
    Inner,
}

/// Values of a block's steps.
pub(super) type Values = Vec<Option<Reg>>;

/// A vector of elements on its way through a pass.
#[derive(Clone)]
pub(super) struct Vector<'a> {
    pub(super) at: At,
    /// The values so far.
    pub(super) values: Values,
    /// Values of the row.
    pub(super) of_row: &'a [Reg],
    /// Accumulators of its lanes.
    pub(super) sums: &'a [Parts],
}

/// A pass with what codegen needs to know of it.
pub(super) struct Plan<'a> {
    pub(super) pass: &'a Pass,
    /// When each step is computed, if it is.
    pub(super) when: Vec<Option<When>>,
    /// Values known at the start of the function.
    pub(super) once: Values,
}

/// The function being written.
pub(super) struct Writer<'a> {
    pub(super) f: Function,
    pub(super) map: &'a Map,
    pub(super) level: Level,
    pub(super) lanes: usize,
    wide: bool,
    args: Reg,
    /// Arguments before those of the map.
    skip: usize,
    /// Addresses of the operands' rows: of the current one, and of the one after it where two go side by side.
    pub(super) bases: [Vec<Reg>; 2],
    /// The current row and column.
    pub(super) place: [Reg; 2],
    /// Vectors that go through a pass side by side.
    pub(super) together: usize,
    /// Rows that do, 1 or 2.
    pub(super) rows_together: usize,
    hoisted: Vec<((u64, u32), Reg)>,
}

impl<'a> Writer<'a> {
    /// A writer of a function that has begun: its arguments, and how many stand before those of the map.
    pub(super) fn following(
        mut f: Function,
        map: &'a Map,
        program: &Program,
        level: Level,
        (args, skip): (Reg, usize),
    ) -> Self {
        let place = [f.general(), f.general()];
        let lanes = level.vector_bytes() / if program.wide { 8 } else { 4 };
        let bases: Vec<Reg> = map.operands.iter().map(|_| f.general()).collect();
        let own = |(o, base): (&Tile, &Reg)| if o.has_rows() { f.general() } else { *base };
        let next = map.operands.iter().zip(&bases).map(own).collect();
        let bases = [bases, next];
        Self {
            f,
            map,
            level,
            lanes,
            wide: program.wide,
            args,
            skip,
            bases,
            place,
            together: 1,
            rows_together: 1,
            hoisted: Vec::new(),
        }
    }

    /// Whether masks have registers of their own.
    pub(super) fn masks(&self) -> bool {
        self.level == Level::Avx512
    }

    /// Bits of the lanes of masks that are vectors.
    pub(super) fn mask_bits(&self) -> u32 {
        if self.wide { 64 } else { 32 }
    }

    /// The registers that hold lanes of so many bits.
    pub(super) fn width(&self, bits: u32) -> Width {
        match bits as usize / 8 * self.lanes {
            64 => Width::Z,
            32 => Width::Y,
            _ => Width::X,
        }
    }

    /// An argument of the kernel: part 0 is addresses, 1 and 2 strides, 3 the sizes.
    pub(super) fn argument(&self, part: usize, at: usize) -> Mem {
        self.one_argument(part * self.map.operands.len() + at)
    }

    /// An argument of the kernel by its position.
    pub(super) fn one_argument(&self, at: usize) -> Mem {
        Mem::at(self.args, (8 * (self.skip + at)) as i32)
    }

    /// Bytes in every 128 bits or more of a vector.
    pub(super) fn bytes(&mut self, pattern: &[u8]) -> Operand {
        let whole: Vec<u8> = pattern.iter().cycle().take(self.level.vector_bytes()).copied().collect();
        self.f.constant(&whole).into()
    }

    /// A constant in every lane: a register or memory.
    pub(super) fn splat(&mut self, bits: u64, lane: Lane) -> Operand {
        if let Some((_, reg)) = self.hoisted.iter().find(|h| h.0 == (bits, lane.bits())) {
            return (*reg).into();
        }
        let size = lane.bits() as usize / 8;
        let element = &bits.to_le_bytes()[..size];
        match self.masks() {
            true => Operand::Splat(self.f.constant(element)),
            false => self.f.constant(&element.repeat(self.lanes)).into(),
        }
    }

    /// A register of its own with a constant.
    pub(super) fn fresh(&mut self, bits: u64, lane: Lane) -> Reg {
        if lane == Lane::Mask {
            return self.constant_mask(bits != 0);
        }
        if bits == 0 {
            return self.f.zero();
        }
        let operand = self.splat(bits, lane);
        let dst = self.f.vector();
        self.load_constant(dst, operand, lane);
        dst
    }

    fn load_constant(&mut self, dst: Reg, operand: Operand, lane: Lane) {
        let (width, wide) = (self.width(lane.bits()), lane.bits() == 64);
        let op = match operand {
            Operand::Splat(_) if wide => VecOp::SplatPd,
            Operand::Splat(_) => VecOp::SplatPs,
            _ => VecOp::Load,
        };
        let operand = if let Operand::Splat(m) = operand { m.into() } else { operand };
        self.f.vec_to(op, width, dst, &[operand]);
    }

    pub(super) fn constant_mask(&mut self, value: bool) -> Reg {
        if !self.masks() {
            let ones = self.bytes(&[if value { 0xff } else { 0 }; 32]);
            return self.f.vec(VecOp::Load, self.width(self.mask_bits()), &[ones]);
        }
        let bits = self.f.general();
        self.f.imm(ImmOp::Set, bits, -i64::from(value));
        self.f.mask_op(MaskOp::FromGeneral, bits, None)
    }

    /// Keeps a constant in a register from here on.
    pub(super) fn hoist(&mut self, bits: u64, lane: Lane) {
        let reg = self.fresh(bits, lane);
        self.hoisted.push(((bits, lane.bits()), reg));
    }

    /// An argument in a register.
    pub(super) fn reg_of(&mut self, arg: Arg) -> Reg {
        match arg.operand {
            Operand::Reg(r) => r,
            memory => {
                let dst = self.f.vector();
                self.load_constant(dst, memory, arg.lane);
                dst
            }
        }
    }

    /// A step's value as an argument.
    fn arg(&mut self, block: &Block, values: &Values, v: Val) -> Result<Arg> {
        let lane = block.lane(v);
        let operand = match (values[v.index()], block.constant(v)) {
            (Some(r), _) => r.into(),
            (None, Some(bits)) if lane == Lane::Mask => self.constant_mask(bits != 0).into(),
            (None, Some(bits)) => self.splat(bits, lane),
            (None, None) => return Err(Diagnostic::internal("a step whose value is not there yet")),
        };
        Ok(Arg { operand, lane })
    }

    /// A step's value in a register.
    pub(super) fn value(&mut self, block: &Block, values: &Values, v: Val) -> Result<Reg> {
        match (values[v.index()], block.constant(v)) {
            (None, Some(bits)) => Ok(self.fresh(bits, block.lane(v))),
            _ => self.arg(block, values, v).map(|a| self.reg_of(a)),
        }
    }

    fn apply(&mut self, block: &Block, values: &Values, (prim, args): (Prim, [Val; 3]), lane: Lane) -> Result<Reg> {
        let of = block.lane(args[2]);
        let recipe = recipe(prim, of, self.level);
        let recipe = recipe.ok_or_else(|| {
            Diagnostic::unsupported(format!("{prim:?} of {of:?} in machine code for {}", self.level.name()))
        })?;
        let args = args[..prim.arity()].iter().map(|a| self.arg(block, values, *a)).collect::<Result<Vec<_>>>()?;
        Ok(self.prim(recipe, lane, &args))
    }

    /// All steps of a block without memory, over given leaves.
    pub(super) fn small_block(&mut self, block: &Block, leaves: &[Reg]) -> Result<Values> {
        let mut values: Values = vec![None; block.steps().len()];
        for (n, (step, lane)) in block.steps().iter().enumerate() {
            values[n] = match step {
                Step::OfRow(at) => leaves.get(*at as usize).copied(),
                Step::Prim(prim, args) => Some(self.apply(block, &values, (*prim, *args), *lane)?),
                _ => None,
            };
        }
        Ok(values)
    }

    /// Computes the steps of a pass that are due `when`, each for all vectors in turn, so that no vector waits for
    /// itself alone.
    pub(super) fn compute(&mut self, plan: &Plan, when: When, vectors: &mut [Vector]) -> Result<()> {
        for n in (0..plan.when.len()).filter(|n| plan.when[*n] == Some(when)) {
            let same = self.same_in_rows(plan.pass, n);
            for at in 0..vectors.len() {
                let (before, rest) = vectors.split_at_mut(at);
                let other = before.iter().find(|v| same && v.at.vector == rest[0].at.vector);
                rest[0].values[n] = match other {
                    Some(other) => other.values[n],
                    None => self.step(plan.pass, n, &rest[0])?,
                };
            }
        }
        Ok(())
    }

    /// Whether a step loads what serves all rows and what nothing is stored to.
    fn same_in_rows(&self, pass: &Pass, n: usize) -> bool {
        let stored = |o: u32| {
            let mut sinks = self.map.stages.iter().flat_map(|s| &s.sinks);
            sinks.any(|s| matches!(s, Sink::Store { operand, .. } if *operand == o))
        };
        match pass.block.steps()[n].0 {
            Step::Load(o) => !self.map.operands[o as usize].has_rows() && !stored(o),
            Step::Gather { .. } => !pass.varies[n].row,
            _ => false,
        }
    }

    fn step(&mut self, pass: &Pass, n: usize, vector: &Vector) -> Result<Option<Reg>> {
        let (block, varies) = (&pass.block, pass.varies[n]);
        let (step, lane) = block.steps()[n];
        Ok(match step {
            Step::Const(_) => None,
            Step::OfRow(at) => vector.of_row.get(at as usize).copied(),
            Step::Load(o) => Some(self.load(o, &vector.at)),
            Step::Row => Some(self.row_number(&vector.at)),
            Step::Column => Some(self.column_numbers(&vector.at)),
            Step::Place(p) => Some(self.place_number(p, lane)),
            Step::Gather { operand, index, mask, along } => {
                let index = (self.value(block, &vector.values, index)?, block.lane(index));
                let mask = match block.constant(mask) {
                    Some(1) => None,
                    _ => Some(self.value(block, &vector.values, mask)?),
                };
                let read = Read { operand, index, mask };
                Some(match (along, varies.column) {
                    (true, _) => self.gather_along(read, &vector.at),
                    (_, true) => self.gather(&read, &vector.at),
                    (_, false) => self.gather_one(&read, &vector.at),
                })
            }
            Step::Prim(Prim::HalfToFloat, [a, ..]) if let Some(o) = half_load(self.map, block, a) => {
                Some(self.load_half(o, &vector.at))
            }
            Step::Prim(prim, args) => Some(self.apply(block, &vector.values, (prim, args), lane)?),
        })
    }
}

/// The operand, if a step loads a half float that is converted on the way.
fn half_load(map: &Map, block: &Block, v: Val) -> Option<u32> {
    match block.steps()[v.index()].0 {
        Step::Load(o) if map.operands[o as usize].dtype == DType::F16 => Some(o),
        _ => None,
    }
}

/// What a store takes, and whether it is a float to be converted to a half on the way. Bits that are not stored need no
/// work.
pub(super) fn stored(map: &Map, pass: &Pass, (o, val): (u32, Val)) -> (Val, bool) {
    let (block, dtype) = (&pass.block, map.operands[o as usize].dtype);
    match block.steps()[val.index()].0 {
        Step::Prim(Prim::FloatToHalf, [a, ..]) if dtype == DType::F16 => (a, true),
        _ if dtype.bits() < 32 => (low_bits(block, val, dtype.bits()), false),
        _ => (val, false),
    }
}

/// An earlier step with the same low bits.
fn low_bits(block: &Block, mut val: Val, bits: usize) -> Val {
    let step = |v: Val| block.steps()[v.index()].0;
    let all = (1u64 << bits) - 1;
    loop {
        val = match step(val) {
            Step::Prim(Prim::Sar(by) | Prim::Shr(by), [a, ..]) => match step(a) {
                Step::Prim(Prim::Shl(up), [x, ..]) if up == by && bits + usize::from(by) <= 32 => x,
                _ => return val,
            },
            Step::Prim(Prim::And, [a, b, _]) if block.constant(b).is_some_and(|c| c & all == all) => a,
            Step::Prim(Prim::And, [a, b, _]) if block.constant(a).is_some_and(|c| c & all == all) => b,
            _ => return val,
        }
    }
}

impl<'a> Plan<'a> {
    pub(super) fn new(map: &Map, program: &Program, pass: &'a Pass) -> Self {
        let block = &pass.block;
        let mut needed = vec![false; block.steps().len()];
        for store in &pass.stores {
            needed[stored(map, pass, *store).0.index()] = true;
        }
        pass.folds.iter().flat_map(|f| &f.values).for_each(|v| needed[v.index()] = true);
        for n in (0..needed.len()).rev().filter(|n| block.constant(Val(*n as u32)).is_none()) {
            let step = block.steps()[n].0;
            let half = matches!(step, Step::Prim(Prim::HalfToFloat, [a, ..]) if half_load(map, block, a).is_some());
            if needed[n] && !half {
                step.args().for_each(|a| needed[a.index()] = true);
            }
        }
        let written = |o: u32| program.passes.iter().any(|p| p.stores.iter().any(|s| s.0 == o));
        let mut when: Vec<When> = Vec::with_capacity(needed.len());
        for ((step, _), varies) in block.steps().iter().zip(&pass.varies) {
            let along = match (varies.inner(map.order), varies.row || varies.column) {
                (true, _) => When::Inner,
                (false, true) => When::Outer,
                (false, false) => When::Once,
            };
            when.push(match step {
                // What an earlier pass stored is there only now.
                Step::Load(o) if written(*o) => along.max(When::Outer),
                step => step.args().fold(along, |w, a| w.max(when[a.index()])),
            });
        }
        let when: Vec<_> = when.into_iter().zip(needed).map(|(w, needed)| needed.then_some(w)).collect();
        Self { pass, once: vec![None; when.len()], when }
    }

    /// Whether a store happens for every element of the pass.
    pub(super) fn moves(map: &Map, o: u32) -> bool {
        let operand = map.operands[o as usize];
        if map.order == Order::Rows { operand.column != Stride::Zero } else { operand.has_rows() }
    }
}
