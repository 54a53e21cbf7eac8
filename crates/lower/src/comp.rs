//! A comprehension as kernels.

use crate::layout::Layout;
use std::sync::Arc;
use tilewright_graph::scalar::{Kind as Node, Scalar};
use tilewright_graph::{Combiner, Comp};
use tilewright_loops::map::{Map, Operand, Program, Rows, Sink, Stride};
use tilewright_nests::{Access, Buffer, Form, Kernel, Kind, Leaf, Loop, Role, Size, Stmt};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// Kernels that compute a comprehension without symbols: buffers are the operands in order, then the result.
///
/// # Errors
/// Unsupported, by name, where no kernel computes it.
pub fn kernels(comp: &Comp, operands: &[Layout], result: &Layout) -> Result<Vec<Kernel>> {
    if comp.combiner != Combiner::Map || !comp.checks.is_empty() {
        return Err(Diagnostic::unsupported("a reduction"));
    }
    let extents: Vec<usize> = result.shape.clone();
    if result.is_empty() {
        return Ok(Vec::new());
    }
    let mut nest = Nest { operands, extents: &extents, map: Map::default(), accesses: Vec::new() };
    let value = nest.value(&comp.body)?;
    let strides: Vec<i64> = result.strides.clone();
    let store = nest.operand(operands.len(), result, (0, &strides));
    nest.map = nest.map.clone().stage([Sink::Store { operand: store, value }]);
    Program::new(&nest.map)?;
    Ok(vec![nest.kernel(comp, result)?])
}

struct Nest<'a> {
    operands: &'a [Layout],
    extents: &'a [usize],
    map: Map,
    accesses: Vec<Access>,
}

impl Nest<'_> {
    fn value(&mut self, s: &Scalar) -> Result<Scalar> {
        match s.kind() {
            Node::Const(_) => Ok(s.clone()),
            Node::Read(o, index) => self.read(*o as usize, index),
            Node::Call(f, args) => {
                let args = args.iter().map(|a| self.value(a)).collect::<Result<Vec<_>>>()?;
                Ok(Scalar::call(*f, args))
            }
            Node::Index(_) | Node::Where(..) => Err(Diagnostic::unsupported("a guard or an index")),
        }
    }

    fn read(&mut self, o: usize, index: &[Ix]) -> Result<Scalar> {
        let layout = &self.operands[o];
        let mut steps = vec![0i64; self.extents.len()];
        let mut offset = layout.offset;
        for (ix, stride) in index.iter().zip(&layout.strides) {
            let mut rest = ix.clone();
            for (a, step) in steps.iter_mut().enumerate() {
                let (c, others) = rest.affine_in(a as u32).ok_or_else(|| Diagnostic::unsupported("an index"))?;
                *step += c * stride;
                rest = others;
            }
            offset += rest.as_const().ok_or_else(|| Diagnostic::unsupported("an index"))? * stride;
        }
        let number = self.operand(o, layout, (offset, &steps));
        Ok(self.map.read(number))
    }

    /// The number of an operand of the map, for the elements of a buffer at an affine place.
    fn operand(&mut self, buffer: usize, layout: &Layout, (offset, steps): (i64, &[i64])) -> u32 {
        let size = layout.dtype.bits() as i64 / 8;
        let rank = steps.len();
        let column = steps.last().copied().unwrap_or(0);
        let row = if rank > 1 { steps[rank - 2] } else { 0 };
        let operand = Operand {
            dtype: layout.dtype,
            rows: if row == 0 { Rows::One } else { Rows::Strided },
            column: match column {
                0 => Stride::Zero,
                1 => Stride::Unit,
                _ => Stride::General,
            },
        };
        let outer = steps[..rank.saturating_sub(2)].iter().map(|s| s * size).collect();
        let access = Access {
            buffer,
            offset: offset * size,
            steps: outer,
            row: row * size,
            column: column * size,
            indices: None,
        };
        let found = self.accesses.iter().zip(&self.map.operands).position(|(a, o)| *a == access && *o == operand);
        let at = found.unwrap_or_else(|| {
            self.accesses.push(access);
            self.map.operands.push(operand);
            self.accesses.len() - 1
        });
        at as u32
    }

    fn kernel(self, comp: &Comp, result: &Layout) -> Result<Kernel> {
        let rank = self.extents.len();
        let last = |back: usize| if rank >= back { self.extents[rank - back] } else { 1 };
        let outer = &self.extents[..rank.saturating_sub(2)];
        let parallel = outer.iter().zip(&comp.axes);
        let parallel = parallel.map(|(n, a)| Loop { axis: a.name.clone(), kind: Kind::Parallel, trips: *n }).collect();
        let mut buffers: Vec<Buffer> = Vec::new();
        for (o, layout) in self.operands.iter().chain([result]).enumerate() {
            let role = if o == self.operands.len() { Role::Write } else { Role::Read };
            buffers.push(Buffer { name: format!("b{o}").into(), dtype: layout.dtype, bytes: layout.bytes(), role });
        }
        let leaf = Leaf {
            form: Form::Map(Arc::new(self.map)),
            sizes: vec![Size::Fixed(last(2)), Size::Fixed(last(1))],
            operands: self.accesses,
            places: Vec::new(),
        };
        let kernel = Kernel { name: comp.name.clone(), buffers, parallel, body: vec![Stmt::Leaf(leaf)] };
        kernel.verify()?;
        Ok(kernel)
    }
}
