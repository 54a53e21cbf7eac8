//! Straight-line programs of primitive operations.
//!
//! A [`Block`] computes lanes from lanes: constants, elements of operands, values of the row, and primitive operations
//! over them. Equal steps are the same step, and what is constant is computed while the block is built.

use crate::prim::{Lane, Prim};
use std::collections::HashMap;
use tilewright_support::target::Level;

/// A step of a block, by position; a step comes after its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Val(pub u32);

impl Val {
    /// The position.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A constant's bits.
    Const(u64),
    /// The element of an operand at the place of the lane. Elements narrower than 32 bits are extended to 32 bits of an
    /// integer, by their sign if they are signed integers, else by zeros; packed bits are masks.
    Load(u32),
    /// The place along the columns as a 32-bit integer.
    Column,
    /// The row as a 32-bit integer, the same in every lane.
    Row,
    /// A value that an earlier stage found for the row, the same in every lane.
    OfRow(u32),
    /// A number that comes with the call, the same in every lane; in 32 bits its low half.
    Place(u32),
    /// An element of an operand by its number, extended as by [`Step::Load`], where `mask` holds; elsewhere 0.
    Gather {
        /// The operand.
        operand: u32,
        /// The number of the element, a signed integer of either width; with `along` that of column 0.
        index: Val,
        /// Where it is read.
        mask: Val,
        /// Whether the elements of columns stand next to each other; the index is then the same in all columns.
        along: bool,
    },
    /// An operation; arguments beyond its arity repeat the last.
    Prim(Prim, [Val; 3]),
}

impl Step {
    /// The steps that it needs.
    pub fn args(&self) -> impl Iterator<Item = Val> + use<> {
        let (args, count) = match self {
            Self::Prim(prim, args) => (*args, prim.arity()),
            Self::Gather { index, mask, .. } => ([*index, *mask, *mask], 2),
            _ => ([Val(0); 3], 0),
        };
        args.into_iter().take(count)
    }
}

/// Steps in order, each with the lane of its value.
#[derive(Clone, Debug, Default)]
pub struct Block {
    steps: Vec<(Step, Lane)>,
    seen: HashMap<(Step, Lane), Val>,
    lookups: bool,
}

impl Block {
    /// An empty block, for machines without tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty block for a level. Where a look-up is one instruction, functions that have tables use them.
    pub fn for_level(level: Level) -> Self {
        Self { lookups: level == Level::Avx512, ..Self::default() }
    }

    /// Whether to use tables.
    pub fn lookups(&self) -> bool {
        self.lookups
    }

    /// The steps and their lanes.
    pub fn steps(&self) -> &[(Step, Lane)] {
        &self.steps
    }

    /// The lane of a value.
    pub fn lane(&self, v: Val) -> Lane {
        self.steps[v.index()].1
    }

    /// The bits, if the value is a constant.
    pub fn constant(&self, v: Val) -> Option<u64> {
        if let Step::Const(bits) = self.steps[v.index()].0 { Some(bits) } else { None }
    }

    /// Adds a step, or finds the equal one.
    pub fn step(&mut self, step: Step, lane: Lane) -> Val {
        let next = Val(self.steps.len() as u32);
        let val = *self.seen.entry((step, lane)).or_insert(next);
        if val == next {
            self.steps.push((step, lane));
        }
        val
    }

    /// An operation over one to three values.
    ///
    /// # Panics
    /// In debug builds if the lanes are not those that the operation takes: a mistake in an expansion.
    pub fn prim(&mut self, prim: Prim, args: &[Val]) -> Val {
        let lanes: Vec<Lane> = args.iter().map(|a| self.lane(*a)).collect();
        debug_assert!(prim.takes(&lanes), "{prim:?} of {lanes:?}");
        let last = args[args.len() - 1];
        let full = [args[0], *args.get(1).unwrap_or(&last), last];
        let lane = self.lane(last);
        let result = prim.result(lane);
        match full.map(|a| self.constant(a)) {
            [Some(a), Some(b), Some(c)] => self.step(Step::Const(prim.eval(lane, [a, b, c])), result),
            _ => self.step(Step::Prim(prim, full), result),
        }
    }

    /// An f32 constant.
    pub fn f32(&mut self, x: f32) -> Val {
        self.step(Step::Const(x.to_bits().into()), Lane::F32)
    }

    /// An f64 constant.
    pub fn f64(&mut self, x: f64) -> Val {
        self.step(Step::Const(x.to_bits()), Lane::F64)
    }

    /// A 32-bit constant.
    pub fn i32(&mut self, x: i32) -> Val {
        self.step(Step::Const((x as u32).into()), Lane::I32)
    }

    /// A 64-bit constant.
    pub fn i64(&mut self, x: i64) -> Val {
        self.step(Step::Const(x as u64), Lane::I64)
    }

    /// A float constant of a lane, rounded to it; an integer constant of an integer lane.
    pub fn number(&mut self, lane: Lane, x: f64) -> Val {
        match lane {
            Lane::F32 => self.f32(x as f32),
            Lane::F64 => self.f64(x),
            Lane::I32 => self.i32(x as i32),
            Lane::I64 => self.i64(x as i64),
            Lane::Mask => self.step(Step::Const(u64::from(x != 0.0)), Lane::Mask),
        }
    }

    /// The bits of every step; `leaf` gives those of steps that are neither constants nor operations. For a gather that
    /// reads it is given the index, else 0.
    pub fn eval(&self, leaf: &mut dyn FnMut(Step, i64) -> u64) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.steps.len());
        for (step, lane) in &self.steps {
            let bits = match step {
                Step::Const(bits) => *bits,
                Step::Prim(prim, args) => prim.eval(self.lane(args[2]), args.map(|a| values[a.index()])),
                Step::Gather { mask, .. } if values[mask.index()] == 0 => 0,
                Step::Gather { index, .. } => leaf(*step, self.signed(*index, values[index.index()])),
                _ => leaf(*step, 0),
            };
            let low = if lane.bits() == 64 { u64::MAX } else { u32::MAX.into() };
            values.push(bits & low);
        }
        values
    }

    /// The bits of an integer as a number.
    fn signed(&self, v: Val, bits: u64) -> i64 {
        if self.lane(v) == Lane::I64 { bits as i64 } else { (bits as u32 as i32).into() }
    }
}
