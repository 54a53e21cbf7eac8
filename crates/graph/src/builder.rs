//! Building graphs node by node, with shapes inferred and symbols made.

use crate::comp::{Combiner, Comp};
use crate::contents::{self, Contents};
use crate::graph::{Graph, Node, ValueId};
use crate::op::{Op, Scatter};
use crate::opaque::Opaque;
use crate::ops::{self, Structured};
use crate::scalar::Scalar;
pub use crate::types::broadcast_shape;
use crate::types::{TensorType, Type};
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use tilewright_support::{Code, Diagnostic, Loc, Result};
use tilewright_tensor::ix::{Ix, Shape, Sym, volume};
use tilewright_tensor::{DType, Tensor};

/// A graph in the making.
pub struct Builder {
    /// The graph so far.
    pub graph: Graph,
    /// The location given to new nodes.
    pub loc: Loc,
    symbols: Rc<Cell<u64>>,
    /// Sizes fixed beforehand for symbols still to be made.
    sizes: Rc<HashMap<Sym, i64>>,
    known: HashMap<ValueId, Tensor>,
    contents: HashMap<ValueId, Contents>,
    /// Whether this is a body of a node of another graph.
    within: bool,
}

/// Values with more elements are not evaluated while a graph is built.
const KNOWN_LIMIT: i64 = 4096;

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// An empty graph.
    pub fn new() -> Self {
        Self::with_sizes(HashMap::new())
    }

    /// An empty graph in which some symbols, by the names they would get, are sizes known already.
    pub fn with_sizes(sizes: HashMap<Sym, i64>) -> Self {
        Self {
            graph: Graph::default(),
            loc: Loc::Unknown,
            symbols: Rc::default(),
            sizes: Rc::new(sizes),
            known: HashMap::new(),
            contents: HashMap::new(),
            within: false,
        }
    }

    /// An empty graph for a body of a node of this one: the symbols it makes are different.
    pub fn body(&self) -> Self {
        Self {
            graph: Graph::default(),
            loc: self.loc.clone(),
            symbols: self.symbols.clone(),
            sizes: self.sizes.clone(),
            known: HashMap::new(),
            contents: HashMap::new(),
            within: true,
        }
    }

    /// A new symbol, or its size if that is known. Its name holds a dot, which names of models
    /// never do.
    pub fn symbol(&self) -> Ix {
        let n = self.symbols.get();
        self.symbols.set(n + 1);
        self.named(&format!("u.{n}"))
    }

    /// The symbol of a name, or its size if that is known.
    pub fn named(&self, name: &str) -> Ix {
        self.sizes.get(name).map_or_else(|| Ix::sym(name), |n| Ix::konst(*n))
    }

    /// The elements of a value, if they follow from constants and are few.
    pub fn known(&self, v: ValueId) -> Option<&Tensor> {
        self.known.get(&v)
    }

    /// The elements of a small integer value as expressions of sizes, if they follow from sizes.
    pub fn contents(&self, v: ValueId) -> Option<&[Ix]> {
        self.contents.get(&v).map(|c| c.elements.as_slice())
    }

    /// Declares what a value holds, for inputs of bodies.
    pub fn assume(&mut self, v: ValueId, known: Option<Tensor>, contents: Option<Contents>) {
        self.known.extend(known.map(|t| (v, t)));
        self.contents.extend(contents.map(|c| (v, c)));
    }

    /// What is known of a value, in the form that [`Builder::assume`] takes.
    pub fn assumptions(&self, v: ValueId) -> (Option<Tensor>, Option<Contents>) {
        (self.known.get(&v).cloned(), self.contents.get(&v).cloned())
    }

    /// Declares the next input.
    pub fn input(&mut self, name: &str, ty: Type) -> ValueId {
        let v = self.graph.value(ty, Some(name.into()));
        self.graph.inputs.push(v);
        v
    }

    /// Declares the outputs and gives the graph.
    pub fn finish(mut self, outputs: &[ValueId]) -> Graph {
        self.graph.outputs = outputs.to_vec();
        self.graph
    }

    /// The type of a value.
    pub fn ty(&self, v: ValueId) -> &Type {
        self.graph.ty(v)
    }

    /// The tensor type of a value.
    pub fn tensor(&self, v: ValueId) -> Result<TensorType> {
        self.graph.tensor(v).cloned().map_err(|e| e.at(&self.loc))
    }

    /// The dtype of a tensor.
    pub fn dtype(&self, v: ValueId) -> Result<DType> {
        self.tensor(v).map(|t| t.dtype)
    }

    /// The dims of a tensor.
    pub fn shape(&self, v: ValueId) -> Result<Shape> {
        self.tensor(v).map(|t| t.shape)
    }

    /// The number of dims of a tensor.
    pub fn rank(&self, v: ValueId) -> Result<usize> {
        self.tensor(v).map(|t| t.rank())
    }

    /// Adds a node with outputs of the given types.
    pub fn node(&mut self, op: Op, inputs: &[ValueId], types: Vec<Type>) -> Vec<ValueId> {
        let outputs: Vec<ValueId> = types.into_iter().map(|t| self.graph.value(t, None)).collect();
        let node = Node { op, inputs: inputs.to_vec(), outputs: outputs.clone(), loc: self.loc.clone() };
        self.learn(&node);
        self.graph.nodes.push(node);
        outputs
    }

    /// Evaluates a node beforehand where that is possible and small.
    fn learn(&mut self, node: &Node) {
        let [v] = node.outputs.as_slice() else { return };
        let Type::Tensor(ty) = self.graph.ty(*v) else { return };
        let small = volume(&ty.shape).as_const().is_some_and(|n| n <= KNOWN_LIMIT);
        let result = match &node.op {
            Op::Constant(t) => Some(t.clone()),
            Op::Comp(c) if small && c.syms().is_empty() => {
                let points = volume(&c.extents()).as_const().is_some_and(|n| n <= 16 * KNOWN_LIMIT);
                let inputs: Option<Vec<Tensor>> = node.inputs.iter().map(|i| self.known.get(i).cloned()).collect();
                inputs.filter(|_| points).and_then(|i| crate::interp::eval_comp(c, &i).ok())
            }
            _ => None,
        };
        let contents = match (&result, &node.op) {
            (Some(t), _) => exact_contents(t),
            (None, Op::Comp(c)) => {
                let inputs: Vec<_> = node.inputs.iter().map(|i| self.contents.get(i)).collect();
                contents::of_comp(c, &inputs)
            }
            _ => None,
        };
        self.assume(*v, result, contents);
    }

    /// Adds a node with one output.
    pub fn node1(&mut self, op: Op, inputs: &[ValueId], ty: Type) -> ValueId {
        self.node(op, inputs, vec![ty])[0]
    }

    /// A constant.
    pub fn constant(&mut self, t: Tensor) -> ValueId {
        let ty = Type::of(&t);
        self.node1(Op::Constant(t), &[], ty)
    }

    /// A constant scalar of a numeric dtype.
    pub fn scalar(&mut self, dtype: DType, value: f64) -> Result<ValueId> {
        let t = if dtype.is_float() {
            Tensor::from_f64(dtype, &[], &[value])?
        } else {
            Tensor::from_i64(dtype, &[], &[value as i64])?
        };
        Ok(self.constant(t))
    }

    /// A constant i64 vector.
    pub fn ints(&mut self, values: &[i64]) -> Result<ValueId> {
        Ok(self.constant(Tensor::from_slice(&[values.len()], values)?))
    }

    /// A structured operation.
    pub fn apply<S: Structured>(&mut self, op: &S, inputs: &[ValueId]) -> Result<ValueId> {
        let types = inputs.iter().map(|v| self.tensor(*v)).collect::<Result<Vec<_>>>()?;
        let comp = op.comp(&types).map_err(|e| e.at(&self.loc))?;
        Ok(self.comp(comp, inputs))
    }

    /// A comprehension over inputs.
    pub fn comp(&mut self, comp: Comp, inputs: &[ValueId]) -> ValueId {
        let ty = Type::tensor(comp.dtype(), comp.shape());
        self.node1(Op::Comp(Arc::new(comp)), inputs, ty)
    }

    /// An elementwise expression over inputs that broadcast. Dims that cannot be compared before
    /// the graph runs are an error of code `Dynamic`, except in a body, which cannot be built anew
    /// for each of its runs: there the comprehension decides when it runs.
    pub fn map(&mut self, inputs: &[ValueId], f: impl FnOnce(&[Scalar]) -> Scalar) -> Result<ValueId> {
        self.map_named("map", inputs, f)
    }

    /// [`Builder::map`] with a label.
    pub fn map_named(
        &mut self,
        name: &str,
        inputs: &[ValueId],
        f: impl FnOnce(&[Scalar]) -> Scalar,
    ) -> Result<ValueId> {
        let types = inputs.iter().map(|v| self.tensor(*v)).collect::<Result<Vec<_>>>()?;
        let shapes: Vec<&[Ix]> = types.iter().map(|t| t.shape.as_slice()).collect();
        match broadcast_shape(&shapes) {
            Err(e) if e.code == Code::Dynamic && self.within => {}
            checked => drop(checked.map_err(|e| e.at(&self.loc))?),
        }
        let dtypes: Vec<DType> = types.iter().map(|t| t.dtype).collect();
        let mut comp = ops::Map::new(&dtypes, f).comp(&types).map_err(|e| e.at(&self.loc))?;
        comp.name = name.into();
        Ok(self.comp(comp, inputs))
    }

    /// The broadcast dims of values, as [`Builder::map`] sees them.
    pub fn broadcast_shape(&self, values: &[ValueId]) -> Result<Shape> {
        let shapes = values.iter().map(|v| self.shape(*v)).collect::<Result<Vec<_>>>()?;
        broadcast_shape(&shapes.iter().map(Vec::as_slice).collect::<Vec<_>>()).map_err(|e| e.at(&self.loc))
    }

    /// Converts a tensor to a dtype (ONNX `Cast` with `saturate = 1`).
    pub fn cast(&mut self, x: ValueId, to: DType) -> Result<ValueId> {
        if self.dtype(x)? == to {
            return Ok(x);
        }
        self.map_named("cast", &[x], |a| a[0].cast(to))
    }

    /// Combines over axes.
    pub fn reduce(&mut self, x: ValueId, combiner: Combiner, axes: &[usize], keep: bool) -> Result<ValueId> {
        self.apply(&ops::Reduce { combiner, axes: axes.to_vec(), keep }, &[x])
    }

    /// New dims of the same volume.
    pub fn reshape(&mut self, x: ValueId, shape: impl Into<Shape>) -> Result<ValueId> {
        let shape = shape.into();
        if self.shape(x)? == shape {
            return Ok(x);
        }
        self.apply(&ops::Reshape { shape }, &[x])
    }

    /// Dims in another order: output dim `i` is input dim `order[i]`.
    pub fn permute(&mut self, x: ValueId, order: &[usize]) -> Result<ValueId> {
        if order.iter().copied().eq(0..self.rank(x)?) {
            return Ok(x);
        }
        self.apply(&ops::Permute { order: order.to_vec() }, &[x])
    }

    /// Repeats to given dims.
    pub fn broadcast(&mut self, x: ValueId, shape: impl Into<Shape>) -> Result<ValueId> {
        let shape = shape.into();
        if self.shape(x)? == shape {
            return Ok(x);
        }
        self.apply(&ops::Broadcast { shape }, &[x])
    }

    /// Joins along an axis.
    pub fn concat(&mut self, parts: &[ValueId], axis: usize) -> Result<ValueId> {
        match parts {
            [one] => Ok(*one),
            [_, ..] if parts.len() > WIDEST => {
                let groups = parts.chunks(WIDEST).map(|group| self.concat(group, axis)).collect::<Result<Vec<_>>>()?;
                self.concat(&groups, axis)
            }
            _ => self.apply(&ops::Concat { axis }, parts),
        }
    }

    /// Places `start..start+size` of one axis.
    pub fn slice(&mut self, x: ValueId, axis: usize, start: impl Into<Ix>, size: impl Into<Ix>) -> Result<ValueId> {
        let mut sizes = self.shape(x)?;
        let mut starts = vec![Ix::zero(); sizes.len()];
        let steps = vec![1; sizes.len()];
        if axis >= sizes.len() {
            let rank = sizes.len();
            return Err(Diagnostic::shape(format!("axis {axis} of rank {rank}")).at(&self.loc));
        }
        (starts[axis], sizes[axis]) = (start.into(), size.into());
        self.apply(&ops::Slice { starts, steps, sizes }, &[x])
    }

    /// An i64 vector of sizes.
    pub fn dims(&mut self, dims: &[Ix]) -> Result<ValueId> {
        self.apply(&ops::Dims { dims: dims.to_vec() }, &[])
    }

    /// Sum of products by einsum notation.
    pub fn einsum(&mut self, notation: &str, inputs: &[ValueId]) -> Result<ValueId> {
        self.apply(&ops::Contract::parse(notation), inputs)
    }

    /// Scatters into a copy of the first input.
    pub fn scatter(&mut self, scatter: Scatter, inputs: &[ValueId]) -> Result<ValueId> {
        let ty = self.ty(inputs[0]).clone();
        Ok(self.node1(Op::Scatter(Arc::new(scatter)), inputs, ty))
    }

    /// An opaque operation.
    pub fn opaque(&mut self, op: Opaque, inputs: &[ValueId]) -> Result<Vec<ValueId>> {
        let types: Vec<Type> = inputs.iter().map(|v| self.ty(*v).clone()).collect();
        let outputs = op.infer(&types, &mut || self.symbol()).map_err(|e| e.at(&self.loc))?;
        Ok(self.node(Op::Opaque(op), inputs, outputs))
    }

    /// Symbols for the elements of an i64 vector of static length, bound when the graph runs.
    pub fn define(&mut self, vector: ValueId) -> Result<Vec<Ix>> {
        let n = match self.tensor(vector)?.static_shape().as_deref() {
            Some([n]) => *n,
            _ => return Err(Diagnostic::dynamic("the number of sizes is known only at run time").at(&self.loc)),
        };
        let dims: Vec<Ix> = (0..n).map(|_| self.symbol()).collect();
        let names: Vec<Sym> = dims.iter().filter_map(|d| d.as_sym().cloned()).collect();
        self.node(Op::Define(names), &[vector], vec![]);
        Ok(dims)
    }
}

/// Operands of one concatenation: its body nests as deep. More are joined in groups.
const WIDEST: usize = 256;

/// The elements of a small integer or bool tensor.
fn exact_contents(t: &Tensor) -> Option<Contents> {
    if t.len() as i64 > contents::LIMIT || t.dtype().is_float() || t.dtype() == DType::String {
        return None;
    }
    let shape = t.shape().iter().map(|n| *n as i64).collect();
    Some(Contents { shape, elements: t.to_vec_i64().into_iter().map(Ix::konst).collect() })
}
