//! What must hold of a kernel before it runs: structure, and that every operand lies in its buffer.

use crate::kernel::{Access, Form, Kernel, Kind, Leaf, Loop, Role, Size};
use tilewright_loops::map::{Map, Rows, Sink, Stride};
use tilewright_support::{Diagnostic, Result};

impl Kernel {
    /// Checks the kernel. What passes can be interpreted, and run as machine code: no access leaves its buffer, whatever
    /// the data are, but those through indices, which the caller checks.
    ///
    /// # Errors
    /// Internal, naming the kernel and what is wrong: kernels are made by the compiler.
    pub fn verify(&self) -> Result<()> {
        let fault = |m: String| Err(Diagnostic::internal(format!("kernel {}: {m}", self.name)));
        if self.parallel.iter().any(|l| l.kind != Kind::Parallel) {
            return fault("a loop that threads share is not parallel".into());
        }
        let mut found = Ok(());
        self.leaves(&mut |loops, leaf| {
            if found.is_ok() && !loops.iter().any(|l| l.trips == 0) {
                found = self.leaf(loops, leaf);
            }
        });
        found.or_else(fault)
    }

    fn leaf(&self, loops: &[&Loop], leaf: &Leaf) -> std::result::Result<(), String> {
        let Form::Map(map) = &leaf.form else { return Err("a form that is not there yet".into()) };
        if leaf.operands.len() != map.operands.len() || leaf.sizes.len() != 2 {
            return Err("a leaf has too many or too few operands or sizes".into());
        }
        if leaf.operands.iter().any(|o| o.buffer >= self.buffers.len()) {
            return Err("an operand of no buffer".into());
        }
        let depths =
            leaf.sizes.iter().filter_map(|s| if let Size::Rest { depth, .. } = s { Some(*depth) } else { None });
        if depths.max().is_some_and(|d| d >= loops.len()) {
            return Err("a size follows a loop that is not around its leaf".into());
        }
        let sizes = [leaf.sizes[0].largest(), leaf.sizes[1].largest()];
        (0..map.operands.len()).try_for_each(|o| self.operand(loops, map, (o, &leaf.operands[o]), sizes))
    }

    fn operand(
        &self,
        loops: &[&Loop],
        map: &Map,
        (o, access): (usize, &Access),
        [m, n]: [usize; 2],
    ) -> std::result::Result<(), String> {
        let (operand, buffer) = (map.operands[o], &self.buffers[access.buffer]);
        if operand.dtype != buffer.dtype {
            return Err(format!("operand {o} is not of the dtype of buffer {}", buffer.name));
        }
        let stored = map
            .stages
            .iter()
            .flat_map(|s| &s.sinks)
            .any(|s| matches!(s, Sink::Store { operand, .. } if *operand as usize == o));
        if stored && buffer.role == Role::Read {
            return Err(format!("buffer {} is stored to, but only for reading", buffer.name));
        }
        if m == 0 || n == 0 || matches!(operand.rows, Rows::Indexed(_)) {
            return Ok(());
        }
        let size = operand.dtype.bits() as i64 / 8;
        let (row, column) = match operand.column {
            Stride::Zero => (size, 0),
            Stride::Unit => (operand.row_bytes(n) as i64, 0),
            Stride::Bits => (n.div_ceil(8) as i64, 0),
            Stride::General => (size, access.column),
        };
        let mut spans: Vec<(i64, usize)> = loops.iter().zip(&access.steps).map(|(l, s)| (*s, l.trips)).collect();
        spans.push((if operand.has_rows() { access.row } else { 0 }, m));
        spans.push((column, n));
        let reach = |sign: i64| {
            let far = |(step, trips): &(i64, usize)| step.checked_mul(*trips as i64 - 1);
            let ends = spans.iter().filter(|(s, _)| s.signum() == sign).map(far);
            ends.into_iter().try_fold(0i64, |sum, end| sum.checked_add(end?))
        };
        let low = reach(-1).and_then(|r| access.offset.checked_add(r));
        let high = reach(1).and_then(|r| access.offset.checked_add(r)?.checked_add(row));
        match (low, high) {
            (Some(low), Some(high)) if low >= 0 && high <= buffer.bytes as i64 => Ok(()),
            _ => Err(format!(
                "operand {o} reaches bytes {low:?} to {high:?} of buffer {}, which has {}",
                buffer.name, buffer.bytes
            )),
        }
    }
}
