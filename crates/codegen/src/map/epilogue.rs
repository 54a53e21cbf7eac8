//! A map of one stage over values that are in registers: what follows a Contract while its sums are there.

use super::body::{Plan, Vector, When, Writer};
use super::check;
use super::memory::At;
use crate::function::Function;
use crate::inst::{GprOp, ImmOp, Inst, Mem, Reg};
use crate::supports::{self, EPILOGUE, Fused};
use tilewright_loops::block::Step;
use tilewright_loops::map::{Map, Program, Stride};
use tilewright_support::Result;
use tilewright_support::target::Level;

/// A map whose operand 0 is not in memory.
pub(crate) struct Epilogue<'m> {
    map: &'m Map,
    program: Program,
}

/// Sums in registers, row by row, and where the arguments of the map begin.
pub(crate) struct Sums<'a> {
    pub(crate) regs: &'a [Reg],
    /// Vectors of a row.
    pub(crate) vectors: usize,
    /// The address of the arguments.
    pub(crate) args: Reg,
    /// How many stand before those of the map.
    pub(crate) skip: usize,
    /// The number of lanes of the last vector of a row, if not all.
    pub(crate) tail: Option<Reg>,
}

impl<'m> Epilogue<'m> {
    /// Checks that a map can follow sums of so many bits.
    pub(crate) fn new(map: &'m Map, level: Level, bits: usize) -> Result<Self> {
        let program = Program::for_level(map, level)?;
        check(&program, level)?;
        fits(map, &program, bits)?;
        Ok(Self { map, program })
    }

    /// Hints at the tiles in memory, for so many rows of so many vectors of sums.
    pub(crate) fn fetch(&self, f: &mut Function, (args, skip): (Reg, usize), [rows, vectors, lanes]: [usize; 3]) {
        let count = self.map.operands.len();
        let arg = |at: usize| Mem::at(args, (8 * (skip + at)) as i32);
        for (o, operand) in self.map.operands.iter().enumerate().skip(1) {
            if !operand.has_rows() || operand.column != Stride::Unit {
                continue;
            }
            let base = f.load(arg(o));
            for row in 0..rows {
                if row > 0 {
                    f.gpr(GprOp::Add, base, arg(count + o));
                }
                for line in (0..vectors * lanes * operand.dtype.bits() / 8).step_by(64) {
                    f.push(Inst::Prefetch(Mem::at(base, line as i32)));
                }
            }
        }
    }

    /// Writes it after the sums.
    pub(crate) fn write(&self, f: Function, level: Level, sums: &Sums<'_>) -> Result<Function> {
        let mut w = Writer::following(f, self.map, &self.program, level, (sums.args, sums.skip));
        let mut plan = Plan::new(self.map, &self.program, &self.program.passes[0]);
        let own: Vec<usize> =
            plan.pass.block.steps().iter().enumerate().filter(|(_, s)| s.0 == Step::Load(0)).map(|s| s.0).collect();
        own.iter().for_each(|n| plan.when[*n] = None);
        w.first_row();
        w.f.imm(ImmOp::Set, w.place[1], 0);
        let mut all = Vector { at: At::default(), values: std::mem::take(&mut plan.once), of_row: &[], sums: &[] };
        w.compute(&plan, When::Once, std::slice::from_mut(&mut all))?;
        plan.once = all.values;
        let tail = sums.tail.map(|rest| w.tail(rest));
        for (row, regs) in sums.regs.chunks(sums.vectors).enumerate() {
            if row > 0 {
                w.next_row();
            }
            let mut of_row = Vector { at: At::default(), values: plan.once.clone(), of_row: &[], sums: &[] };
            w.compute(&plan, When::Outer, std::slice::from_mut(&mut of_row))?;
            for (vector, reg) in regs.iter().enumerate() {
                let last = vector + 1 == sums.vectors;
                let at = At { row: 0, vector, tail: tail.filter(|_| last) };
                let mut values = of_row.values.clone();
                own.iter().for_each(|n| values[*n] = Some(*reg));
                let mut one = [Vector { at, values, of_row: &[], sums: &[] }];
                w.elements(&plan, &mut one)?;
            }
        }
        Ok(w.f)
    }
}

/// Whether a map can follow sums of so many bits.
pub(crate) fn fits(map: &Map, program: &Program, bits: usize) -> Result<()> {
    let fused = Fused { map, program, bits };
    supports::check(EPILOGUE, |broken| broken(&fused), || "an epilogue".to_string())
}
