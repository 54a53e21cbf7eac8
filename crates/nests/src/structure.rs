//! What the machine code of a kernel depends on.

use crate::kernel::{Access, Kernel, Kind, Leaf, Loop, Place, Size, Stmt};

impl Kernel {
    /// The kernel without its numbers: equal for kernels that differ in names, buffers, trips, sizes, strides, offsets and
    /// steps. What is left are the loops, the forms of the leaves, and which numbers follow which loops.
    #[must_use]
    pub fn structure(&self) -> Self {
        let parallel = self.parallel.iter().map(|_| bare()).collect();
        Self { name: "".into(), buffers: Vec::new(), parallel, body: body(&self.body) }
    }
}

fn bare() -> Loop {
    Loop { axis: "".into(), kind: Kind::Sequential, trips: 0 }
}

fn body(stmts: &[Stmt]) -> Vec<Stmt> {
    let stmt = |stmt: &Stmt| match stmt {
        Stmt::Loop(_, inner) => Stmt::Loop(bare(), body(inner)),
        Stmt::Leaf(l) => Stmt::Leaf(leaf(l)),
    };
    stmts.iter().map(stmt).collect()
}

fn leaf(leaf: &Leaf) -> Leaf {
    let size = |size: &Size| match size {
        Size::Fixed(_) => Size::Fixed(0),
        Size::Rest { depth, .. } => Size::Rest { block: 0, total: 0, depth: *depth },
    };
    Leaf {
        form: leaf.form.clone(),
        sizes: leaf.sizes.iter().map(size).collect(),
        operands: leaf.operands.iter().map(access).collect(),
        places: leaf.places.iter().map(|p| Place { offset: 0, steps: moves(&p.steps) }).collect(),
    }
}

fn access(access: &Access) -> Access {
    let indices = access.indices.as_ref().map(|i| Box::new(self::access(i)));
    Access { buffer: 0, offset: 0, steps: moves(&access.steps), row: 0, column: 0, indices }
}

/// Which steps there are.
fn moves(steps: &[i64]) -> Vec<i64> {
    let end = steps.iter().rposition(|s| *s != 0).map_or(0, |last| last + 1);
    steps[..end].iter().map(|s| i64::from(*s != 0)).collect()
}
