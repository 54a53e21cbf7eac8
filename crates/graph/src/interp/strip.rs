//! Evaluates a scalar expression over a strip of positions, a vector of lanes a node; what is shared once.

use super::index::{Element, IxCode, Positions, Site, StripIx};
use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::{Func, Lanes};
use std::collections::HashMap;
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// A compiled scalar expression: nodes that name each other by their numbers. What is shared under the same guards is one
/// node.
#[derive(Clone, Debug)]
pub struct Code {
    nodes: Vec<Node>,
    root: usize,
}

/// A node of compiled code.
#[derive(Clone, Debug)]
pub struct Node {
    /// The dtype of the value.
    pub dtype: DType,
    /// What it does.
    pub kind: CodeKind,
    /// How many nodes use it.
    uses: usize,
}

/// What a node of compiled code does. Other nodes are named by their numbers.
#[derive(Clone, Debug)]
pub enum CodeKind {
    /// A constant, as [`Kind::Const`] holds it.
    Const(u64),
    /// An index as a value.
    Index(IxCode),
    /// An element.
    Read(Element),
    /// A function.
    Call(Func, Vec<DType>, Vec<usize>),
    /// A guard.
    Where(Vec<(Pred, IxCode)>, usize, usize),
}

/// From so many nodes on, guards are trusted no more.
const MANY: usize = 1 << 12;

/// Code in the making.
struct Making<'a> {
    shapes: &'a [Vec<usize>],
    extents: &'a [Ix],
    nodes: Vec<Node>,
    /// The numbers of nodes under the same guards.
    known: HashMap<*const Kind, usize>,
    /// The numbers of nodes that trust no guard, made once there are many: guards may share far more than there is.
    plain: HashMap<*const Kind, usize>,
    /// The predicates that hold here.
    trusted: Vec<(Pred, IxCode)>,
}

impl Making<'_> {
    fn number(&mut self, s: &Scalar) -> Result<usize> {
        let key = std::ptr::from_ref(s.kind());
        let many = self.nodes.len() >= MANY;
        let known = if many { &self.plain } else { &self.known };
        let at = match known.get(&key) {
            Some(at) => *at,
            None => {
                let kind = self.kind(s)?;
                self.nodes.push(Node { dtype: s.dtype(), kind, uses: 0 });
                let known = if many { &mut self.plain } else { &mut self.known };
                known.insert(key, self.nodes.len() - 1);
                self.nodes.len() - 1
            }
        };
        self.nodes[at].uses += 1;
        Ok(at)
    }

    fn kind(&mut self, s: &Scalar) -> Result<CodeKind> {
        Ok(match s.kind() {
            Kind::Const(bits) => CodeKind::Const(*bits),
            Kind::Index(e) => CodeKind::Index(IxCode::new(e, self.shapes, self.extents)?),
            Kind::Read(o, index) => CodeKind::Read(self.element(*o, index)?),
            Kind::Call(f, args) => {
                let dtypes = args.iter().map(Scalar::dtype).collect();
                CodeKind::Call(*f, dtypes, args.iter().map(|a| self.number(a)).collect::<Result<_>>()?)
            }
            Kind::Where(preds, t, f) => {
                let code = |p: &Pred| Ok((p.clone(), IxCode::new(p.ix(), self.shapes, self.extents)?));
                let preds = preds.iter().map(code).collect::<Result<Vec<_>>>()?;
                let (before, known) = (self.trusted.len(), std::mem::take(&mut self.known));
                self.trusted.extend(preds.iter().cloned());
                let then = self.number(t)?;
                self.trusted.truncate(before);
                self.known = known;
                CodeKind::Where(preds, then, self.number(f)?)
            }
        })
    }

    /// An element, without the bounds checks that the guards around it already make.
    fn element(&self, o: u32, index: &[Ix]) -> Result<Element> {
        let ge0 = |konst: i64, coefficients: &[i64]| {
            self.trusted.iter().any(|(p, c)| {
                matches!(p, Pred::Ge0(_)) && c.is_affine() && c.konst <= konst && c.coefficients == coefficients
            })
        };
        let mut element = Element::new(o as usize, index, self.shapes, self.extents)?;
        if self.nodes.len() >= MANY {
            return Ok(element);
        }
        element.checks.retain(|(ix, dim)| {
            let negated: Vec<i64> = ix.coefficients.iter().map(|c| -c).collect();
            let proved = ix.is_affine() && ge0(ix.konst, &ix.coefficients) && ge0(dim - 1 - ix.konst, &negated);
            !proved
        });
        Ok(element)
    }
}

/// Values of shared nodes over one strip.
type Found = Vec<Option<Lanes>>;

impl Code {
    /// Compiles an expression without symbols.
    pub fn new(scalar: &Scalar, shapes: &[Vec<usize>], extents: &[Ix]) -> Result<Self> {
        let (known, plain) = (HashMap::new(), HashMap::new());
        let mut making = Making { shapes, extents, nodes: Vec::new(), known, plain, trusted: Vec::new() };
        let root = making.number(scalar)?;
        Ok(Self { nodes: making.nodes, root })
    }

    /// The node whose value the expression has.
    pub fn root(&self) -> &Node {
        &self.nodes[self.root]
    }

    /// A node.
    pub fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    /// Every node.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Leaves the product that a sum is over unrounded: it is formed as wide as it is summed.
    pub fn widen(&mut self) {
        self.root = self.widened(self.root);
    }

    fn widened(&mut self, at: usize) -> usize {
        let mut node = self.nodes[at].clone();
        match node.kind {
            _ if !node.dtype.is_float() => return at,
            CodeKind::Call(Func::Mul, ..) => node.dtype = DType::F64,
            CodeKind::Where(preds, then, otherwise) => {
                let then = self.widened(then);
                node.dtype = self.nodes[then].dtype;
                node.kind = CodeKind::Where(preds, then, otherwise);
            }
            _ => return at,
        }
        // Others that use the node do so as it was.
        if node.uses < 2 {
            self.nodes[at] = node;
            return at;
        }
        self.nodes.push(Node { uses: 1, ..node });
        self.nodes.len() - 1
    }

    /// Visits every compiled index.
    pub fn visit_ix<'a>(&'a self, f: &mut dyn FnMut(&'a IxCode)) {
        for node in &self.nodes {
            match &node.kind {
                CodeKind::Const(_) | CodeKind::Call(..) => {}
                CodeKind::Index(e) => f(e),
                CodeKind::Read(e) => {
                    std::iter::once(&e.offset).chain(e.checks.iter().map(|(ix, _)| ix)).for_each(&mut *f)
                }
                CodeKind::Where(preds, ..) => preds.iter().for_each(|(_, ix)| f(ix)),
            }
        }
    }

    /// Visits every compiled index, to change it.
    pub fn visit_ix_mut(&mut self, f: &mut dyn FnMut(&mut IxCode)) {
        for node in &mut self.nodes {
            match &mut node.kind {
                CodeKind::Const(_) | CodeKind::Call(..) => {}
                CodeKind::Index(e) => f(e),
                CodeKind::Read(e) => {
                    f(&mut e.offset);
                    e.checks.iter_mut().for_each(|(ix, _)| f(ix));
                }
                CodeKind::Where(preds, ..) => preds.iter_mut().for_each(|(_, ix)| f(ix)),
            }
        }
    }

    /// The values over a strip.
    pub fn eval(&self, site: &Site<'_>) -> Result<Lanes> {
        self.at(self.root, site, &mut self.nothing())
    }

    fn nothing(&self) -> Found {
        vec![None; self.nodes.len()]
    }

    fn at(&self, at: usize, site: &Site<'_>, found: &mut Found) -> Result<Lanes> {
        if let Some(known) = &found[at] {
            return Ok(known.clone());
        }
        let (node, len) = (&self.nodes[at], site.positions.len());
        let values = match &node.kind {
            CodeKind::Const(bits) if node.dtype.is_float() => Lanes::F(vec![f64::from_bits(*bits); len]),
            CodeKind::Const(bits) => Lanes::I(vec![*bits as i64; len]),
            CodeKind::Index(e) => Lanes::I(e.eval(site)?.values(len)),
            CodeKind::Read(e) => read(node.dtype, &site.operands[e.operand], e.locate(site)?, len),
            CodeKind::Call(f, dtypes, args) => {
                let args = args.iter().map(|a| self.at(*a, site, found)).collect::<Result<Vec<_>>>()?;
                f.eval(node.dtype, dtypes, &args.iter().collect::<Vec<_>>(), len)
            }
            CodeKind::Where(preds, t, f) => match holding(preds, site)? {
                Holding::Range(0, 0) => self.at(*f, site, found)?,
                Holding::Range(0, to) if to == len => self.at(*t, site, found)?,
                held => self.choose(held, (node.dtype, *t, *f), site)?,
            },
        };
        if node.uses > 1 {
            found[at] = Some(values.clone());
        }
        Ok(values)
    }

    /// One value where a guard holds, another elsewhere.
    fn choose(&self, held: Holding, (dtype, then, otherwise): (DType, usize, usize), site: &Site<'_>) -> Result<Lanes> {
        let len = site.positions.len();
        let on = |at: usize, positions: &Positions| match positions.len() {
            0 => Ok(Lanes::zeros(dtype, 0)),
            _ => self.at(at, &Site { positions, ..*site }, &mut self.nothing()),
        };
        match held {
            Holding::Range(from, to) => {
                let mut out = on(otherwise, &site.positions.part(0, from))?;
                append(&mut out, on(then, &site.positions.part(from, to))?);
                append(&mut out, on(otherwise, &site.positions.part(to, len))?);
                Ok(out)
            }
            Holding::Mask(mask) => {
                let (yes, no): (Vec<usize>, Vec<usize>) = (0..len).partition(|i| mask[*i]);
                let mut out = Lanes::zeros(dtype, len);
                place(&mut out, &yes, &on(then, &site.positions.choose(&yes))?);
                place(&mut out, &no, &on(otherwise, &site.positions.choose(&no))?);
                Ok(out)
            }
        }
    }
}

/// Which positions of a strip satisfy a guard.
pub enum Holding {
    /// Those numbered `from..to`.
    Range(usize, usize),
    /// Those marked.
    Mask(Vec<bool>),
}

/// Evaluates a conjunction over a strip. Later predicates are evaluated only where the earlier
/// ones hold: they may read elements that only those make legal.
pub fn holding(preds: &[(Pred, IxCode)], site: &Site<'_>) -> Result<Holding> {
    let len = site.positions.len();
    let (mut from, mut to) = (0usize, len);
    for (n, (pred, code)) in preds.iter().enumerate() {
        if from >= to {
            return Ok(Holding::Range(0, 0));
        }
        let part = site.positions.part(from, to);
        match code.eval(&Site { positions: &part, ..*site })? {
            StripIx::Affine { start, step } => {
                let (a, b) = affine_range(pred, start, step, to - from);
                (from, to) = (from + a, from + b);
            }
            StripIx::Lanes(values) => {
                let held: Vec<usize> = (0..values.len()).filter(|i| pred.holds(values[*i])).collect();
                let inner = part.choose(&held);
                let rest = holding(&preds[n + 1..], &Site { positions: &inner, ..*site })?;
                let mut mask = vec![false; len];
                for (i, at) in held.iter().enumerate() {
                    mask[from + at] = match &rest {
                        Holding::Range(a, b) => (*a..*b).contains(&i),
                        Holding::Mask(m) => m[i],
                    };
                }
                return Ok(Holding::Mask(mask));
            }
        }
    }
    Ok(if from >= to { Holding::Range(0, 0) } else { Holding::Range(from, to) })
}

/// The numbers `i in 0..len` for which the predicate holds of `start + step*i`: always a range.
pub fn affine_range(pred: &Pred, start: i64, step: i64, len: usize) -> (usize, usize) {
    let n = len as i64;
    let (from, to) = match (pred, step) {
        (_, 0) => (0, if pred.holds(start) { n } else { 0 }),
        (Pred::Ge0(_), 1) => ((-start).clamp(0, n), n),
        (Pred::Ge0(_), -1) => (0, (start + 1).clamp(0, n)),
        (Pred::Ge0(_), s) if s > 0 => ((-start + s - 1).div_euclid(s).clamp(0, n), n),
        (Pred::Ge0(_), s) => (0, (start.div_euclid(-s) + 1).clamp(0, n)),
        (Pred::Eq0(_), s) if start % s == 0 && (0..n).contains(&(-start / s)) => (-start / s, -start / s + 1),
        (Pred::Eq0(_), _) => (0, 0),
    };
    (from as usize, to as usize)
}

fn read(dtype: DType, source: &Tensor, places: StripIx, len: usize) -> Lanes {
    let mut out = Lanes::zeros(dtype, len);
    match (&mut out, places) {
        _ if len == 0 => {}
        (Lanes::F(out), StripIx::Affine { start, step }) => source.read_f64(start as usize, step as isize, out),
        (Lanes::I(out), StripIx::Affine { start, step }) => source.read_i64(start as usize, step as isize, out),
        (Lanes::F(out), StripIx::Lanes(v)) => source.gather_f64(&v, out),
        (Lanes::I(out), StripIx::Lanes(v)) => source.gather_i64(&v, out),
    }
    out
}

fn append(to: &mut Lanes, more: Lanes) {
    match (to, more) {
        (Lanes::F(a), Lanes::F(b)) => a.extend(b),
        (Lanes::I(a), Lanes::I(b)) => a.extend(b),
        _ => {}
    }
}

fn place(to: &mut Lanes, at: &[usize], values: &Lanes) {
    match (to, values) {
        (Lanes::F(a), Lanes::F(b)) => at.iter().zip(b).for_each(|(i, x)| a[*i] = *x),
        (Lanes::I(a), Lanes::I(b)) => at.iter().zip(b).for_each(|(i, x)| a[*i] = *x),
        _ => {}
    }
}
