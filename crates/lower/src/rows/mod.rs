//! Comprehensions over the same rows in one kernel: a softmax, a normalisation.
//!
//! ```text
//! m { i | max j : x[i,j] }   e { i, j : exp(x[i,j] - m[i]) }   s { i | sum j : e[i,j] }   y { i, j : e[i,j] / s[i] }
//! ```
//!
//! A reduction is taken as it is alone, in rows of more than a few points. A group starts at one and takes in what reads its values row by row, as long as nothing else reads them in
//! between. It becomes one map of several stages; what a stage leaves for a later one stays in a tile of its own.

mod kernel;
mod stages;

use crate::comp::{FEW, Way};
use crate::contract::is_product;
use crate::layout::Layout;
use tilewright_graph::interp::Bindings;
use tilewright_graph::scalar::Kind;
use tilewright_graph::{Combiner, Comp, Graph, Op, Role, ValueId};
use tilewright_loops::map::Order;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Nodes after the first that are looked at.
const REACH: usize = 64;

/// The most members of a group.
const MEMBERS: usize = 24;

/// What a member gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    /// An element of a row by reduction.
    Reduced,
    /// An element for each row.
    Row,
    /// A whole row.
    Tile,
}

/// A comprehension of a group.
#[derive(Clone, Debug)]
struct Member {
    node: usize,
    value: ValueId,
    inputs: Vec<ValueId>,
    comp: Comp,
    gives: Gives,
    /// The axis of the group's domain that each of its axes is; none of an axis of one point.
    axes: Vec<Option<usize>>,
}

/// Comprehensions over one domain, whose last axes are along the rows.
#[derive(Clone, Debug)]
pub struct Group {
    members: Vec<Member>,
    /// Extents of the domain, none of them 1.
    domain: Vec<usize>,
    /// How many of them number the rows.
    rows: usize,
}

impl Group {
    /// The group that starts at a node, if that is a reduction and there is more than it in the group.
    pub fn starting_at(graph: &Graph, at: usize, end: usize, bindings: &Bindings) -> Option<Self> {
        let comp = bound(graph, at, bindings)?;
        let extent = |a: &tilewright_graph::Axis| a.extent.as_const().and_then(|n| usize::try_from(n).ok());
        let extents: Vec<usize> = comp.axes.iter().map(extent).collect::<Option<_>>()?;
        let of = |reduced: bool| {
            let axes = comp.axes.iter().zip(&extents);
            axes.filter(move |(a, n)| (a.role == Role::Reduce) == reduced && **n != 1).map(|(_, n)| *n)
        };
        let rows = of(false).count();
        let domain: Vec<usize> = of(false).chain(of(true)).collect();
        let points: usize = domain[rows..].iter().product();
        if comp.combiner == Combiner::Map || points as i64 <= FEW || domain.contains(&0) {
            return None;
        }
        let mut group = Self { members: Vec::new(), domain, rows };
        let first = group.member(graph, at, comp)?;
        group.members.push(first);
        for n in at + 1..end.min(at + REACH) {
            let reads = graph.nodes[n].inputs.iter().any(|v| group.gives(*v));
            if !reads {
                continue;
            }
            let member = bound(graph, n, bindings).and_then(|c| group.member(graph, n, c));
            let Some(member) = member.filter(|_| group.members.len() < MEMBERS) else { break };
            group.members.push(member);
        }
        (group.members.len() > 1).then_some(group)
    }

    /// The nodes of the members.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(|m| m.node)
    }

    fn gives(&self, v: ValueId) -> bool {
        self.members.iter().any(|m| m.value == v)
    }

    fn of(&self, v: ValueId) -> Option<usize> {
        self.members.iter().position(|m| m.value == v)
    }

    /// A comprehension as a member, if it is over the domain and reads the group's values where it is itself.
    fn member(&self, graph: &Graph, node: usize, comp: Comp) -> Option<Member> {
        let axes = self.axes(&comp)?;
        let gives = match comp.combiner {
            Combiner::Map if axes.iter().flatten().any(|d| *d >= self.rows) => Gives::Tile,
            Combiner::Map => Gives::Row,
            _ => Gives::Reduced,
        };
        let n = &graph.nodes[node];
        let member = Member { node, value: n.outputs[0], inputs: n.inputs.clone(), comp, gives, axes };
        self.fits(&member).then_some(member)
    }

    /// Which axis of the domain each axis is: all of it, or those that number the rows.
    fn axes(&self, comp: &Comp) -> Option<Vec<Option<usize>>> {
        let mut next = 0;
        let mut axes = Vec::with_capacity(comp.axes.len());
        for axis in &comp.axes {
            let reduced = axis.role == Role::Reduce;
            if axis.extent.is(1) {
                axes.push(None);
                continue;
            }
            let extent = self.domain.get(next).map(|n| Ix::konst(*n as i64));
            if extent.as_ref() != Some(&axis.extent)
                || matches!(axis.role, Role::Scan { .. })
                || reduced != (reduced && next >= self.rows)
            {
                return None;
            }
            axes.push(Some(next));
            next += 1;
        }
        let reduces = comp.combiner != Combiner::Map;
        let parallel = axes[..comp.rank()].iter().flatten().count();
        let whole = next == self.domain.len();
        let fits = if reduces { whole && parallel == self.rows } else { whole || next == self.rows };
        fits.then_some(axes)
    }

    fn fits(&self, member: &Member) -> bool {
        let body = &member.comp.body;
        let computes = |d: DType| matches!(d, DType::F32 | DType::F64 | DType::I32 | DType::I64);
        let reduction = match member.comp.combiner {
            Combiner::Map => true,
            Combiner::Any | Combiner::All => false,
            _ => computes(body.dtype()),
        };
        let reduction = reduction && (member.gives != Gives::Reduced || self.covers(member));
        let mut fits = reduction && member.comp.checks.is_empty() && stages::size(body) <= stages::LARGEST;
        body.visit(&mut |s| match s.kind() {
            Kind::Where(..) | Kind::Index(_) => fits = false,
            Kind::Read(o, index) => fits &= self.aligned(member, *o, index),
            Kind::Const(_) | Kind::Call(..) => {}
        });
        fits
    }

    /// Whether some operand has an element of its own for each point, rows along its last dim, and the reduction is taken
    /// so when it is alone, too: not along columns, nor as a product.
    fn covers(&self, member: &Member) -> bool {
        let (comp, mut covers) = (&member.comp, false);
        let alone = Way { order: Order::Rows, along: comp.axes.len() - comp.rank() };
        if Way::of(&comp.body, &comp.extents(), comp.rank()) != alone || is_product(comp) {
            return false;
        }
        member.comp.body.visit(&mut |s| {
            if let Kind::Read(_, index) = s.kind() {
                let alone = |a: usize| index.iter().any(|e| e.as_axis() == Some(a as u32));
                let mut axes = member.axes.iter().enumerate().filter(|(_, d)| d.is_some());
                let last = index.iter().rev().find_map(|e| member.axes[e.as_axis()? as usize]);
                covers |= axes.all(|(a, _)| alone(a)) && last.is_some_and(|d| d >= self.rows);
            }
        });
        covers
    }

    /// Whether a read of a value of the group is of the reader's own row and column.
    fn aligned(&self, member: &Member, operand: u32, index: &[Ix]) -> bool {
        let Some(at) = self.of(member.inputs[operand as usize]) else {
            return index.iter().all(|e| affine(e, member.axes.len()).is_some());
        };
        let source = &self.members[at];
        let same = |(e, axis): (&Ix, &Option<usize>)| match (e.as_axis(), axis) {
            (Some(a), Some(d)) => member.axes[a as usize] == Some(*d),
            (None, None) => e.is(0),
            _ => false,
        };
        index.len() == source.comp.rank() && index.iter().zip(&source.axes).all(same)
    }
}

/// The constant and the factors of the axes of an affine index.
fn affine(e: &Ix, axes: usize) -> Option<(i64, Vec<i64>)> {
    let mut rest = e.clone();
    let mut factors = Vec::with_capacity(axes);
    for a in 0..axes {
        let (c, others) = rest.affine_in(a as u32)?;
        factors.push(c);
        rest = others;
    }
    Some((rest.as_const()?, factors))
}

/// The comprehension of a node, if it has one, with numbers for symbols.
fn bound(graph: &Graph, at: usize, bindings: &Bindings) -> Option<Comp> {
    match &graph.nodes[at].op {
        Op::Comp(c) => Some(c.bind(&|s| bindings.get(s).map(|n| Ix::konst(*n)))),
        _ => None,
    }
}
