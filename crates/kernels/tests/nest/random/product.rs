//! Random products among the leaves.

use super::{Extent, Maker, Shape};
use tilewright_loops::contract::{Product, Steps};
use tilewright_loops::map::Operand;
use tilewright_nests::{Access, Block, Form, Stmt};

impl Maker<'_> {
    /// A product of matrices that lie in buffers of their own.
    pub(super) fn product(&mut self, all: &mut Vec<Stmt>) {
        let product = Product::ALL[self.r.below(Product::ALL.len())];
        let most = [[9, 20, 40], [70, 40, 9], [9, 150, 20]][self.r.below(3)];
        let [m, n, k] = most.map(|most| self.extent(most));
        let (a, steps) = match self.r.below(2) {
            0 => (self.factor(product, [m, k.times(product.per_step())], true), Steps::Dense),
            _ => {
                let across = self.factor(product, [k, m.times(product.per_step())], false);
                (Access { row: product.step_bytes() as i64, column: across.row, ..across }, Steps::Strided)
            }
        };
        let b = Operand::tile(product.b());
        let shape = Shape { operand: b, rows: k, columns: n.times(product.per_step()), stored: false, either: false };
        let b = self.place(shape, None);
        let c = Shape { operand: Operand::tile(product.c()), rows: m, columns: n, stored: true, either: true };
        let c = self.place(c, None);
        let block = Block { product, steps, accumulate: self.r.below(2) == 0 };
        self.push(all, Form::Block(block), &[m, n, k], vec![a, b, c]);
    }

    fn factor(&mut self, product: Product, [rows, columns]: [Extent; 2], either: bool) -> Access {
        let shape = Shape { operand: Operand::tile(product.a()), rows, columns, stored: false, either };
        self.place(shape, None)
    }
}
