//! Kernels as text.

use crate::kernel::{Access, Form, Kernel, Leaf, Loop, Place, Size, Stmt};
use std::fmt;

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {} {{", self.name)?;
        for b in &self.buffers {
            writeln!(f, "  {:?} {}: {} x {}", b.role, b.name, b.dtype.name(), b.bytes)?;
        }
        for (depth, l) in self.parallel.iter().enumerate() {
            show_loop(f, l, depth + 1)?;
        }
        body(f, self, &self.body, self.parallel.len() + 1)?;
        writeln!(f, "}}")
    }
}

fn show_loop(f: &mut fmt::Formatter<'_>, l: &Loop, depth: usize) -> fmt::Result {
    writeln!(f, "{:width$}{:?} {} < {}", "", l.kind, l.axis, l.trips, width = 2 * depth)
}

fn body(f: &mut fmt::Formatter<'_>, kernel: &Kernel, stmts: &[Stmt], depth: usize) -> fmt::Result {
    stmts.iter().try_for_each(|stmt| match stmt {
        Stmt::Loop(l, inner) => {
            show_loop(f, l, depth)?;
            body(f, kernel, inner, depth + 1)
        }
        Stmt::Leaf(leaf) => show_leaf(f, kernel, leaf, depth),
    })
}

fn show_leaf(f: &mut fmt::Formatter<'_>, kernel: &Kernel, leaf: &Leaf, depth: usize) -> fmt::Result {
    write!(f, "{:width$}", "", width = 2 * depth)?;
    match &leaf.form {
        Form::Map(map) => write!(f, "map {}", map.name())?,
        Form::Move(m) => write!(f, "{}", m.name())?,
        Form::Block(b) => {
            let sum = if b.accumulate { "add" } else { "set" };
            write!(f, "block {} {:?} {sum}", b.product.name(), b.steps)?;
        }
    }
    leaf.sizes.iter().try_for_each(|s| write!(f, " {s}"))?;
    for o in &leaf.operands {
        write!(f, ", {}{o}", kernel.buffers[o.buffer].name)?;
    }
    leaf.places.iter().try_for_each(|p| write!(f, ", {p}"))?;
    writeln!(f)
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Rest { block, total, depth } => write!(f, "{block}of{total}@{depth}"),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} + {:?} ; {} {}]", self.offset, self.steps, self.row, self.column)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} + {:?})", self.offset, self.steps)
    }
}
