//! The kernel of a group.

use super::stages::{LARGEST, cheap, ready, size, uses};
use super::{Gives, Group, Layout, affine};
use std::collections::HashMap;
use std::sync::Arc;
use tilewright_graph::scalar::Kind as Node;
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_loops::map::{self, Map, Operand, Program, Sink, Stride};
use tilewright_nests::{Access, Buffer, Form, Kernel, Kind, Leaf, Loop, Role, Size, Stmt};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Bytes of all tiles of a block of rows, about: a part of the first cache.
const BLOCK: usize = 24 << 10;

/// Blocks that there are at least, if there are rows enough: for threads to share.
const BLOCKS: usize = 16;

/// The number from which on operands are results of reductions, until the number of tiles is known.
const RESULTS: usize = 1 << 20;

/// A group as a kernel.
#[derive(Debug)]
pub struct Rows {
    /// The kernel.
    pub kernel: Kernel,
    /// Values that it reads, in the order of its buffers.
    pub reads: Vec<ValueId>,
    /// Values that it writes, after those.
    pub writes: Vec<ValueId>,
}

/// Where an operand of the map is, along the axes of the domain, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tile {
    buffer: usize,
    dtype: DType,
    offset: i64,
    steps: Vec<i64>,
    /// Whether it is scratch, one row after the other.
    scratch: bool,
}

struct Builder<'a> {
    group: &'a Group,
    ready: Vec<usize>,
    /// Members whose tiles later stages read, and the tile.
    kept: HashMap<usize, usize>,
    buffers: Vec<Buffer>,
    reads: Vec<(ValueId, Layout)>,
    tiles: Vec<Tile>,
    /// For each reduced member, its number among the map's reductions.
    reductions: HashMap<usize, usize>,
    /// Expressions by member and stage.
    known: HashMap<(usize, usize), Scalar>,
}

impl Group {
    /// The kernel, where all operands move alike along merged rows and columns. `layout` gives those of values that are
    /// there; `stored` says which values of the group are read outside.
    pub fn kernel(&self, layout: &dyn Fn(ValueId) -> Option<Layout>, stored: &dyn Fn(ValueId) -> bool) -> Option<Rows> {
        let ready = ready(self);
        let mut builder = Builder {
            group: self,
            ready,
            kept: HashMap::new(),
            buffers: Vec::new(),
            reads: Vec::new(),
            tiles: Vec::new(),
            reductions: HashMap::new(),
            known: HashMap::new(),
        };
        builder.inputs(layout)?;
        let writes: Vec<usize> = (0..self.members.len()).filter(|m| stored(self.members[*m].value)).collect();
        let outputs = builder.outputs(&writes, layout)?;
        builder.keep(&outputs);
        let stages = builder.stages(&outputs)?;
        let reads = builder.reads.iter().map(|(v, _)| *v).collect();
        let writes = writes.iter().map(|m| self.members[*m].value).collect();
        Some(Rows { kernel: builder.nest(stages)?, reads, writes })
    }
}

impl Builder<'_> {
    fn buffer(&mut self, name: String, dtype: DType, bytes: usize, role: Role) -> usize {
        self.buffers.push(Buffer { name: name.into(), dtype, bytes, role });
        self.buffers.len() - 1
    }

    /// A buffer for each value from outside.
    fn inputs(&mut self, layout: &dyn Fn(ValueId) -> Option<Layout>) -> Option<()> {
        for v in self.group.members.iter().flat_map(|m| &m.inputs) {
            let known = self.reads.iter().any(|(r, _)| r == v);
            if !known && !self.group.gives(*v) {
                let layout = layout(*v)?;
                self.buffer(format!("in{}", self.reads.len()), layout.dtype, layout.bytes(), Role::Read);
                self.reads.push((*v, layout));
            }
        }
        Some(())
    }

    /// Tiles for the values that are stored: by member.
    fn outputs(
        &mut self,
        writes: &[usize],
        layout: &dyn Fn(ValueId) -> Option<Layout>,
    ) -> Option<HashMap<usize, usize>> {
        let mut outputs = HashMap::new();
        for (n, at) in writes.iter().enumerate() {
            let member = &self.group.members[*at];
            let layout = layout(member.value)?;
            let buffer = self.buffer(format!("out{n}"), layout.dtype, layout.bytes(), Role::Write);
            let mut steps = vec![0; self.group.domain.len()];
            let axes = member.axes[..member.comp.rank()].iter().zip(&layout.strides);
            axes.for_each(|(axis, stride)| axis.iter().for_each(|d| steps[*d] = *stride));
            let tile = Tile { buffer, dtype: layout.dtype, offset: layout.offset, steps, scratch: false };
            self.tiles.push(tile);
            outputs.insert(*at, self.tiles.len() - 1);
        }
        Some(outputs)
    }

    /// Chooses the values that are kept for later stages, and where: in the tile of a result that comes after, else in
    /// scratch.
    fn keep(&mut self, outputs: &HashMap<usize, usize>) {
        let group = self.group;
        let stored = |at: usize| outputs.contains_key(&at);
        for at in 0..group.members.len() {
            let member = &group.members[at];
            let kept = |m: usize| self.kept.contains_key(&m);
            let last = uses(group, &self.ready, &kept, &stored)[at].last().copied().unwrap_or(0);
            if member.gives != Gives::Tile || last <= self.ready[at] || cheap(&member.comp.body) {
                continue;
            }
            let dtype = member.comp.body.dtype();
            let free = |o: &usize| {
                let later = self.ready[*o] >= last && group.members[*o].gives == Gives::Tile && !kept(*o);
                let tile = &self.tiles[outputs[o]];
                later && tile.dtype == dtype && !self.kept.values().any(|t| *t == outputs[o])
            };
            let tile = match (outputs.get(&at), (0..group.members.len()).filter(|o| stored(*o)).find(free)) {
                (Some(own), _) => *own,
                (None, Some(o)) => outputs[&o],
                (None, None) => {
                    let buffer = self.buffer(format!("row{}", self.kept.len()), dtype, 0, Role::Scratch);
                    self.tiles.push(Tile { buffer, dtype, offset: 0, steps: Vec::new(), scratch: true });
                    self.tiles.len() - 1
                }
            };
            self.kept.insert(at, tile);
        }
    }

    /// What each stage computes. Reductions are numbered from [`RESULTS`] on.
    fn stages(&mut self, outputs: &HashMap<usize, usize>) -> Option<Vec<Vec<Sink>>> {
        let members = &self.group.members;
        let last = self.ready.iter().copied().max().unwrap_or(0);
        let mut stages: Vec<Vec<Sink>> = vec![Vec::new(); last + 1];
        let mut reductions = 0;
        for stage in 0..=last {
            for at in (0..members.len()).filter(|m| members[*m].gives == Gives::Reduced && self.ready[*m] == stage + 1)
            {
                self.reductions.insert(at, reductions);
                reductions += 1;
            }
        }
        for (stage, sinks) in stages.iter_mut().enumerate() {
            for (at, member) in members.iter().enumerate() {
                if member.gives == Gives::Reduced && self.ready[at] == stage + 1 {
                    let value = self.body(at, stage)?;
                    sinks.push(Sink::Reduce { combiner: combiner(member.comp.combiner)?, value });
                }
                let kept = self.kept.get(&at).filter(|t| outputs.get(&at) != Some(t));
                let tiles: Vec<usize> = outputs.get(&at).into_iter().chain(kept).copied().collect();
                let due = self.ready[at] == stage;
                for tile in tiles.into_iter().filter(|_| due) {
                    sinks.push(Sink::Store { operand: tile as u32, value: self.value(at, stage)? });
                }
            }
        }
        while stages.last().is_some_and(Vec::is_empty) {
            stages.pop();
        }
        Some(stages)
    }

    /// The value of a member in a stage.
    fn value(&mut self, at: usize, stage: usize) -> Option<Scalar> {
        let member = &self.group.members[at];
        if let Some(known) = self.known.get(&(at, stage)) {
            return Some(known.clone());
        }
        let value = match (member.gives, self.kept.get(&at)) {
            (Gives::Reduced, _) => {
                let number = (RESULTS + self.reductions[&at]) as u32;
                let combiner = combiner(member.comp.combiner)?;
                let found = Scalar::read(number, combiner.result(member.comp.body.dtype()), vec![Ix::axis(0)]);
                found.cast(member.comp.dtype())
            }
            (_, Some(tile)) if stage > self.ready[at] => read(*tile, self.tiles[*tile].dtype),
            _ => self.body(at, stage)?,
        };
        self.known.insert((at, stage), value.clone());
        Some(value)
    }

    /// The body of a member in a stage, over operands of the map.
    fn body(&mut self, at: usize, stage: usize) -> Option<Scalar> {
        let body = self.group.members[at].comp.body.clone();
        let value = self.scalar(&body, (at, stage), &mut HashMap::new())?;
        (size(&value) <= LARGEST).then_some(value)
    }

    fn scalar(
        &mut self,
        s: &Scalar,
        (at, stage): (usize, usize),
        known: &mut HashMap<*const Node, Scalar>,
    ) -> Option<Scalar> {
        match s.kind() {
            Node::Const(_) => Some(s.clone()),
            Node::Call(f, args) => {
                let key = std::ptr::from_ref(s.kind());
                if let Some(found) = known.get(&key) {
                    return Some(found.clone());
                }
                let arg = |a| self.scalar(a, (at, stage), known);
                let args = args.iter().map(arg).collect::<Option<Vec<_>>>()?;
                let value = Scalar::call(*f, args);
                known.insert(key, value.clone());
                Some(value)
            }
            Node::Read(o, index) => {
                let v = self.group.members[at].inputs[*o as usize];
                match self.group.of(v) {
                    Some(source) => self.value(source, stage),
                    None => self.outside(at, v, index),
                }
            }
            Node::Index(_) | Node::Where(..) => None,
        }
    }

    /// A read of a value from outside.
    fn outside(&mut self, at: usize, v: ValueId, index: &[Ix]) -> Option<Scalar> {
        let member = &self.group.members[at];
        let buffer = self.reads.iter().position(|(r, _)| *r == v)?;
        let layout = &self.reads[buffer].1;
        let mut tile = Tile {
            buffer,
            dtype: layout.dtype,
            offset: layout.offset,
            steps: vec![0; self.group.domain.len()],
            scratch: false,
        };
        for (e, stride) in index.iter().zip(&layout.strides) {
            let (konst, factors) = affine(e, member.axes.len())?;
            tile.offset += konst * stride;
            let axes = factors.iter().zip(&member.axes).filter(|(c, _)| **c != 0);
            axes.for_each(|(c, axis)| axis.iter().for_each(|d| tile.steps[*d] += c * stride));
        }
        let found = self.tiles.iter().position(|t| *t == tile);
        let number = found.unwrap_or_else(|| {
            self.tiles.push(tile);
            self.tiles.len() - 1
        });
        Some(read(number, self.tiles[number].dtype))
    }
}

/// The axes of a domain that remain when those that all tiles move along alike are one: extents, and the steps of each
/// tile.
struct Merged {
    extents: Vec<usize>,
    steps: Vec<Vec<i64>>,
}

impl Merged {
    /// Merges some axes of the domain.
    fn new(axes: std::ops::Range<usize>, domain: &[usize], tiles: &[Tile]) -> Self {
        let moving: Vec<&Tile> = tiles.iter().filter(|t| !t.scratch).collect();
        let mut merged = Self { extents: Vec::new(), steps: Vec::new() };
        for a in axes.rev() {
            let steps: Vec<i64> = moving.iter().map(|t| t.steps[a]).collect();
            let joins = merged.steps.first().is_some_and(|inner| {
                let n = merged.extents[0] as i64;
                steps.iter().zip(inner).all(|(outer, inner)| *outer == inner * n)
            });
            if joins {
                merged.extents[0] *= domain[a];
            } else {
                merged.extents.insert(0, domain[a]);
                merged.steps.insert(0, steps);
            }
        }
        merged
    }
}

impl Builder<'_> {
    fn nest(mut self, stages: Vec<Vec<Sink>>) -> Option<Kernel> {
        let (domain, rows) = (&self.group.domain, self.group.rows);
        let columns = Merged::new(rows..domain.len(), domain, &self.tiles);
        let rows = Merged::new(0..rows, domain, &self.tiles);
        let [n] = columns.extents[..] else { return None };
        let m = rows.extents.last().copied().unwrap_or(1);
        let outer: usize = rows.extents.iter().rev().skip(1).product();
        let wide: usize = self.tiles.iter().map(|t| n * t.dtype.bits() / 8).sum();
        let block = (BLOCK / wide.max(1)).min((m * outer).div_ceil(BLOCKS)).clamp(1, m);
        let (mut operands, mut accesses, mut at) = (Vec::new(), Vec::new(), 0);
        for tile in &self.tiles {
            let size = tile.dtype.bits() as i64 / 8;
            let row_of = |steps: &Vec<i64>| steps[at] * size;
            let mut steps: Vec<i64> = rows.steps.iter().map(row_of).collect();
            let (row, column) = match tile.scratch {
                true => (n as i64 * size, 1),
                false => (steps.pop().unwrap_or(0), columns.steps[0][at]),
            };
            if tile.scratch {
                self.buffers[tile.buffer].bytes = block * n * size as usize;
                steps.clear();
            } else {
                at += 1;
                steps.push(row * block as i64);
            }
            operands.push(operand(tile.dtype, row, column));
            let (buffer, offset) = (tile.buffer, tile.offset * size);
            accesses.push(Access { buffer, offset, steps, row, column: column * size, indices: None });
        }
        let shift = |o: u32| if o as usize >= RESULTS { o - RESULTS as u32 + operands.len() as u32 } else { o };
        let renumber = |sink: Sink| match sink {
            Sink::Store { operand, value } => Sink::Store { operand, value: value.map_operands(&shift) },
            Sink::Reduce { combiner, value } => Sink::Reduce { combiner, value: value.map_operands(&shift) },
        };
        let stages: Vec<Vec<Sink>> = stages.into_iter().map(|s| s.into_iter().map(renumber).collect()).collect();
        let map = stages.into_iter().fold(Map { operands, ..Map::default() }, Map::stage);
        Program::new(&map).ok()?;
        let depth = rows.extents.len().saturating_sub(1);
        let trips = |n: usize| Loop { axis: "row".into(), kind: Kind::Parallel, trips: n };
        let mut parallel: Vec<Loop> = rows.extents.iter().take(depth).map(|n| trips(*n)).collect();
        parallel.push(trips(m.div_ceil(block)));
        let sizes = vec![Size::Rest { block, total: m, depth }, Size::Fixed(n)];
        let leaf = Leaf { form: Form::Map(Arc::new(map)), sizes, operands: accesses, places: Vec::new() };
        let kernel = Kernel { name: self.name(), buffers: self.buffers, parallel, body: vec![Stmt::Leaf(leaf)] };
        kernel.verify().ok().map(|()| kernel)
    }

    /// The names of the members, those that say most.
    fn name(&self) -> Arc<str> {
        let mut names: Vec<&str> = self.group.members.iter().map(|m| &*m.comp.name).collect();
        names.dedup();
        names.truncate(6);
        names.join("_").into()
    }
}

fn operand(dtype: DType, row: i64, column: i64) -> Operand {
    let column = match column {
        0 => Stride::Zero,
        1 => Stride::Unit,
        _ => Stride::General,
    };
    Operand { dtype, rows: if row == 0 { map::Rows::One } else { map::Rows::Strided }, column }
}

/// Element `[i, j]` of an operand of the map.
fn read(number: usize, dtype: DType) -> Scalar {
    Scalar::read(number as u32, dtype, vec![Ix::axis(0), Ix::axis(1)])
}

fn combiner(combiner: Combiner) -> Option<map::Combiner> {
    Some(match combiner {
        Combiner::Sum => map::Combiner::Sum,
        Combiner::Prod => map::Combiner::Prod,
        Combiner::Max => map::Combiner::Max,
        Combiner::Min => map::Combiner::Min,
        Combiner::ArgMax { last } => map::Combiner::ArgMax { last },
        Combiner::ArgMin { last } => map::Combiner::ArgMin { last },
        Combiner::Map | Combiner::Any | Combiner::All => return None,
    })
}
