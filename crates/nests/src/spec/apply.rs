//! Loops in another order, in blocks, shared by threads.

use super::{Item, Spec, axes};
use crate::kernel::{Access, Kernel, Kind, Leaf, Loop, Place, Role, Size, Stmt};
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};

/// A loop of the new schedule.
#[derive(Clone, Debug)]
struct Level {
    l: Loop,
    /// The loop that it is, or is a part of.
    old: usize,
    /// Iterations of that loop in one of this one.
    times: usize,
}

/// How loops changed.
struct Change {
    /// The new loops, outermost first.
    levels: Vec<Level>,
    /// Old loops that were perfectly nested, and their trips.
    trips: Vec<usize>,
}

impl Kernel {
    /// The kernel with its perfectly nested loops as a spec says. It computes the same, bit for bit.
    ///
    /// # Errors
    /// As [`Spec::parse`]; invalid, where the spec's axes are not the kernel's; unsupported, by name, where the schedule
    /// might change the result or is no kernel.
    pub fn apply(&self, spec: &str) -> Result<Self> {
        let spec = Spec::parse(spec)?;
        let (chain, body) = self.chain();
        let levels = levels(&chain, &spec)?;
        self.keeps_meaning(&chain, &levels)?;
        let shared = spec.items.iter().take_while(|item| item.parallel).count();
        if let Some(item) = spec.items[shared..].iter().find(|item| item.parallel) {
            let name = &axes(&chain)[item.axis];
            return Err(Diagnostic::unsupported(format!(
                "threads that share axis {name} inside a loop that they do not"
            )));
        }
        let change = Change { trips: chain.iter().map(|l| l.trips).collect(), levels };
        let mut body = change.body(body)?;
        for (depth, level) in change.levels.iter().enumerate().rev() {
            if depth >= shared {
                body = vec![Stmt::Loop(level.l.clone(), body)];
            }
        }
        let parallel = change.levels[..shared].iter().map(|level| level.l.clone()).collect();
        let kernel = Self { parallel, body, ..self.clone() };
        kernel.verify()?;
        Ok(kernel)
    }

    /// Whether loops whose iterations depend on each other keep their order, and stay in one thread.
    fn keeps_meaning(&self, chain: &[&Loop], levels: &[Level]) -> Result<()> {
        let ordered = |l: &Loop| matches!(l.kind, Kind::Reduce | Kind::Scan);
        let kept: Vec<usize> = levels.iter().map(|level| level.old).filter(|old| ordered(chain[*old])).collect();
        if let Some(two) = kept.windows(2).find(|two| two[0] > two[1]) {
            let [a, b] = [two[0], two[1]].map(|old| &chain[old].axis);
            return Err(Diagnostic::unsupported(format!("axis {a} around axis {b}: both are taken in order")));
        }
        // What an iteration leaves in scratch is overwritten when another axis moves inside.
        let inside = |old: usize, of: usize| old > of;
        let scratch = self.buffers.iter().any(|b| b.role == Role::Scratch);
        for (at, level) in levels.iter().enumerate().filter(|(_, level)| scratch && ordered(chain[level.old])) {
            if let Some(other) = levels[at..].iter().find(|o| o.old != level.old && !inside(o.old, level.old)) {
                let [a, b] = [other, level].map(|level| &level.l.axis);
                return Err(Diagnostic::unsupported(format!("axis {a} inside axis {b}, around scratch")));
            }
        }
        Ok(())
    }
}

/// The loops of a spec.
fn levels(chain: &[&Loop], spec: &Spec) -> Result<Vec<Level>> {
    let names = axes(chain);
    if let Some(item) = spec.items.iter().find(|item| item.axis >= names.len()) {
        let letter = char::from(b'a' + item.axis as u8);
        return Err(Diagnostic::invalid(format!("loop spec: the kernel has no axis {letter}, only {}", names.len())));
    }
    let mut levels: Vec<Option<Level>> = vec![None; spec.items.len()];
    for (axis, name) in names.iter().enumerate() {
        let old: Vec<usize> = (0..chain.len()).filter(|d| chain[*d].axis == *name).collect();
        let places: Vec<usize> = (0..spec.items.len()).filter(|i| spec.items[*i].axis == axis).collect();
        let items: Vec<&Item> = places.iter().map(|i| &spec.items[*i]).collect();
        let parts = of_axis(chain, (name, &old), &items)?;
        for ((place, item), mut level) in places.iter().zip(items).zip(parts) {
            level.l.kind = kind(chain[level.old], item.parallel)?;
            levels[*place] = Some(level);
        }
    }
    Ok(levels.into_iter().flatten().collect())
}

fn kind(old: &Loop, shared: bool) -> Result<Kind> {
    match (old.kind, shared) {
        (Kind::Reduce | Kind::Scan, true) => {
            Err(Diagnostic::unsupported(format!("threads that share axis {}, which is taken in order", old.axis)))
        }
        (_, true) => Ok(Kind::Parallel),
        (Kind::Parallel, false) => Ok(Kind::Sequential),
        (kind, false) => Ok(kind),
    }
}

/// The loops of one axis: those that it has, or blocks of the one that it has.
fn of_axis(chain: &[&Loop], (name, old): (&Arc<str>, &[usize]), items: &[&Item]) -> Result<Vec<Level>> {
    let invalid = |m: &str| Err(Diagnostic::invalid(format!("loop spec: axis {name} {m}")));
    let Some(first) = items.first() else { return invalid("is missing") };
    if items[1..].iter().any(|item| !item.blocks.is_empty()) {
        return invalid("has sizes of blocks behind its first letter");
    }
    if first.blocks.is_empty() {
        if items.len() != old.len() {
            return invalid(&format!("has {} loops, not {}", old.len(), items.len()));
        }
        return Ok(old.iter().map(|d| Level { l: chain[*d].clone(), old: *d, times: 1 }).collect());
    }
    let [one] = *old else { return invalid("has blocks already") };
    if first.blocks.len() + 1 != items.len() {
        return invalid(&format!("has sizes for {} loops, not {}", first.blocks.len() + 1, items.len()));
    }
    let mut parts = Vec::new();
    let mut whole = chain[one].trips;
    for block in first.blocks.iter().copied().chain([1]) {
        if block == 0 || !whole.is_multiple_of(block) {
            return invalid(&format!("has {whole} iterations, no whole number of blocks of {block}"));
        }
        parts.push(Level { l: Loop { trips: whole / block, ..chain[one].clone() }, old: one, times: block });
        whole = block;
    }
    Ok(parts)
}

impl Change {
    fn body(&self, body: &[Stmt]) -> Result<Vec<Stmt>> {
        let stmt = |stmt: &Stmt| match stmt {
            Stmt::Leaf(leaf) => self.leaf(leaf).map(Stmt::Leaf),
            Stmt::Loop(l, inner) => Ok(Stmt::Loop(l.clone(), self.body(inner)?)),
        };
        body.iter().map(stmt).collect()
    }

    fn leaf(&self, leaf: &Leaf) -> Result<Leaf> {
        let place = |p: &Place| Place { offset: p.offset, steps: self.steps(&p.steps) };
        Ok(Leaf {
            form: leaf.form.clone(),
            sizes: leaf.sizes.iter().map(|s| self.size(*s)).collect::<Result<_>>()?,
            operands: leaf.operands.iter().map(|o| self.access(o)).collect(),
            places: leaf.places.iter().map(place).collect(),
        })
    }

    fn access(&self, access: &Access) -> Access {
        let indices = access.indices.as_ref().map(|i| Box::new(self.access(i)));
        Access { steps: self.steps(&access.steps), indices, ..access.clone() }
    }

    fn steps(&self, steps: &[i64]) -> Vec<i64> {
        let old = |depth: usize| steps.get(depth).copied().unwrap_or(0);
        let new = self.levels.iter().map(|level| old(level.old).wrapping_mul(level.times as i64));
        new.chain(steps.iter().skip(self.trips.len()).copied()).collect()
    }

    /// Sizes that follow a loop in blocks must be whole.
    fn size(&self, size: Size) -> Result<Size> {
        let Size::Rest { block, total, depth } = size else { return Ok(size) };
        let Some(trips) = self.trips.get(depth) else {
            let depth = depth - self.trips.len() + self.levels.len();
            return Ok(Size::Rest { block, total, depth });
        };
        let of: Vec<usize> = (0..self.levels.len()).filter(|d| self.levels[*d].old == depth).collect();
        match of[..] {
            [depth] => Ok(Size::Rest { block, total, depth }),
            _ if block.checked_mul(*trips) == Some(total) => Ok(Size::Fixed(block)),
            _ => Err(Diagnostic::unsupported("blocks of a loop whose last iteration is shorter")),
        }
    }
}
