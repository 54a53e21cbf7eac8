//! Reductions and the maps they become.

use super::elementwise::over;
use crate::map::{Combiner, Map, Operand, Order, Sink};
use tilewright_scalar::{Func, Scalar};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

/// A reduction along rows or columns. Over [`Operand::indexed`] rows it is that of the rows of a table (an embedding
/// bag); so are sums over two axes of rows, with an index for every pair.
pub struct Reduction {
    /// Its name.
    pub name: &'static str,
    /// The number of arguments.
    pub inputs: usize,
    /// How each result combines.
    pub combiners: &'static [Combiner],
    /// What it combines: one value for each result.
    pub of: fn(&[Scalar]) -> Vec<Scalar>,
}

impl Reduction {
    /// The map from operands to one for each result, along rows or columns.
    ///
    /// # Errors
    /// For operands of a wrong number.
    pub fn map(&self, inputs: &[Operand], outputs: &[Operand], order: Order, compute: DType) -> Result<Map> {
        let map = self.reduced((inputs, outputs), order, compute)?;
        let store = |(n, output): (usize, &Operand)| {
            let value = map.value_of_row(n).cast(output.dtype);
            Sink::Store { operand: (inputs.len() + n) as u32, value }
        };
        let stores: Vec<Sink> = outputs.iter().enumerate().map(store).collect();
        Ok(map.stage(stores))
    }

    /// The same, combined with what the results held before.
    ///
    /// # Errors
    /// As [`Reduction::map`]; unsupported for positions.
    pub fn accumulate(&self, inputs: &[Operand], outputs: &[Operand], order: Order, compute: DType) -> Result<Map> {
        let map = self.reduced((inputs, outputs), order, compute)?;
        let mut stores = Vec::with_capacity(outputs.len());
        for (n, (output, combiner)) in outputs.iter().zip(self.combiners).enumerate() {
            let func = match combiner {
                Combiner::Sum => Func::Add,
                Combiner::Prod => Func::Mul,
                Combiner::Max => Func::Max,
                Combiner::Min => Func::Min,
                _ => return Err(Diagnostic::unsupported("positions that accumulate")),
            };
            let (operand, found) = ((inputs.len() + n) as u32, map.value_of_row(n));
            let value = Scalar::call(func, vec![map.read(operand).cast(found.dtype()), found]);
            stores.push(Sink::Store { operand, value: value.cast(output.dtype) });
        }
        Ok(map.stage(stores))
    }

    /// Two maps that reduce a whole tile: the first, columns of the tile to one row for each result, of the dtype that
    /// the combiner gives; the second, that row (`m = 1`) to one element for each result.
    ///
    /// # Errors
    /// As [`Reduction::accumulate`].
    pub fn whole(&self, inputs: &[Operand], outputs: &[Operand], compute: DType) -> Result<[Map; 2]> {
        if self.combiners.iter().any(|c| c.result(DType::F64) != DType::F64) {
            return Err(Diagnostic::unsupported("positions over a whole tile"));
        }
        let values = over(self.name, (inputs, self.inputs), (outputs, self.combiners.len()), Order::Columns)?;
        let row = |(c, v): (&Combiner, Scalar)| Operand::row(c.result(v.dtype()));
        let rows: Vec<Operand> = self.combiners.iter().zip(self.values(&values, compute)).map(row).collect();
        let first = self.map(inputs, &rows, Order::Columns, compute)?;
        let map = Map { operands: rows.iter().chain(outputs).copied().collect(), ..Map::default() };
        let reduce =
            |(n, combiner): (usize, &Combiner)| Sink::Reduce { combiner: *combiner, value: map.read(n as u32) };
        let sinks: Vec<Sink> = self.combiners.iter().enumerate().map(reduce).collect();
        let map = map.stage(sinks);
        let store = |(n, output): (usize, &Operand)| {
            let value = map.value_of_row(n).cast(output.dtype);
            Sink::Store { operand: (rows.len() + n) as u32, value }
        };
        let stores: Vec<Sink> = outputs.iter().enumerate().map(store).collect();
        Ok([first, map.stage(stores)])
    }

    /// The stage that reduces.
    fn reduced(&self, (inputs, outputs): (&[Operand], &[Operand]), order: Order, compute: DType) -> Result<Map> {
        let map = over(self.name, (inputs, self.inputs), (outputs, self.combiners.len()), order)?;
        let values = self.values(&map, compute).into_iter().zip(self.combiners);
        let sinks: Vec<Sink> = values.map(|(value, c)| Sink::Reduce { combiner: *c, value }).collect();
        Ok(map.stage(sinks))
    }

    fn values(&self, map: &Map, compute: DType) -> Vec<Scalar> {
        let reads: Vec<Scalar> = (0..self.inputs).map(|o| map.read(o as u32).cast(compute)).collect();
        (self.of)(&reads)
    }
}
