//! What must hold of a kernel before it runs: structure, and that every operand lies in its buffer.

use crate::kernel::{Access, Form, Kernel, Kind, Leaf, Loop, Role, Size};
use crate::uses::{Element, Extent, Use, uses};
use std::collections::HashSet;
use std::ops::Range;
use tilewright_support::{Diagnostic, Result};

/// What is wrong.
type Fault<T = ()> = std::result::Result<T, String>;

impl Kernel {
    /// Checks the kernel. What passes can be interpreted, and run as machine code: no access leaves its buffer, whatever
    /// the data are, but those through indices and by numbers of elements, which the caller checks.
    ///
    /// # Errors
    /// Internal, naming the kernel and what is wrong: kernels are made by the compiler.
    pub fn verify(&self) -> Result<()> {
        let mut found = self.loops();
        let mut written = HashSet::new();
        self.leaves(&mut |loops, leaf| {
            if found.is_ok() && !loops.iter().any(|l| l.trips == 0) {
                found = self.leaf(loops, leaf, &mut written);
            }
        });
        found.map_err(|m| Diagnostic::internal(format!("kernel {}: {m}", self.name)))
    }

    fn loops(&self) -> Fault {
        if self.parallel.iter().any(|l| l.kind != Kind::Parallel) {
            return Err("a loop that threads share is not parallel".into());
        }
        let mut fits = self.parallel.iter().try_fold(1usize, |n, l| n.checked_mul(l.trips)).is_some();
        self.leaves(&mut |loops, _| fits &= loops.iter().all(|l| i64::try_from(l.trips).is_ok()));
        if fits { Ok(()) } else { Err("loops of more iterations than can be counted".into()) }
    }

    /// Checks a leaf. `written` are scratch buffers that leaves before this one have written to.
    fn leaf(&self, loops: &[&Loop], leaf: &Leaf, written: &mut HashSet<usize>) -> Fault {
        leaf.sizes.iter().try_for_each(|s| size(*s, loops))?;
        if leaf.places.iter().any(|p| p.steps.len() > loops.len()) {
            return Err("a place follows a loop that is not around its leaf".into());
        }
        if matches!(&leaf.form, Form::Map(map) if map.places as usize != leaf.places.len()) {
            return Err("a leaf has too many or too few places".into());
        }
        let scratch = |access: &Access| self.buffers[access.buffer].role == Role::Scratch;
        let mut new = HashSet::new();
        for Case { ranges, sizes } in cases(leaf, loops) {
            let uses = uses(leaf, &sizes)?;
            let around: Vec<(&Loop, Range<usize>)> = loops.iter().copied().zip(ranges).collect();
            for (o, (used, access)) in uses.iter().zip(&leaf.operands).enumerate() {
                self.operand(&around, used, access).map_err(|m| format!("operand {o} {m}"))?;
                if scratch(access) && used.reads && !used.extent.is_empty() && !written.contains(&access.buffer) {
                    let name = &self.buffers[access.buffer].name;
                    return Err(format!("scratch {name} is read before anything is written to it"));
                }
            }
            self.apart(&uses, leaf)?;
            let stored = uses.iter().zip(&leaf.operands).filter(|(u, a)| u.writes && scratch(a));
            new.extend(stored.map(|(_, a)| a.buffer));
        }
        written.extend(new);
        Ok(())
    }

    fn operand(&self, loops: &[(&Loop, Range<usize>)], used: &Use, access: &Access) -> Fault {
        let buffer = self.buffers.get(access.buffer).ok_or("is in no buffer")?;
        let fits = match used.element {
            Element::Of(dtype) => dtype == buffer.dtype,
            Element::Bytes(size) => 8 * size == buffer.dtype.bits(),
        };
        if !fits {
            return Err(format!("is not of the dtype of buffer {}", buffer.name));
        }
        if used.writes && buffer.role == Role::Read {
            return Err(format!("is stored to buffer {}, which is only for reading", buffer.name));
        }
        if let (Some(indices), Extent::Indexed { indices: count, index }) = (&access.indices, used.extent) {
            let buffer = self.buffers.get(indices.buffer).ok_or("has indices in no buffer")?;
            if buffer.dtype.bits() != 8 * index.bytes() || !buffer.dtype.is_int() || indices.indices.is_some() {
                return Err(format!("has indices in buffer {}, which has none", buffer.name));
            }
            let extent = Extent::Lines { lines: 1, distance: 0, bytes: count.saturating_mul(index.bytes()) };
            return self.within(loops, if count == 0 { Extent::Nothing } else { extent }, indices);
        }
        if used.extent == Extent::Flat {
            let aligned = |n: &i64| n.unsigned_abs().is_multiple_of(buffer.dtype.bits() as u64 / 8);
            if used.writes || !access.steps.iter().chain([&access.offset]).all(aligned) {
                return Err("is flat, but is stored to or starts within an element".into());
            }
            return self.within(loops, Extent::Lines { lines: 1, distance: 0, bytes: 0 }, access);
        }
        if used.writes && buffer.role != Role::Scratch {
            shared(loops, used.extent, access)?;
        }
        self.within(loops, used.extent, access)
    }

    /// Whether an access stays in its buffer at every point of the loops.
    fn within(&self, loops: &[(&Loop, Range<usize>)], extent: Extent, access: &Access) -> Fault {
        if access.steps.len() > loops.len() {
            return Err("follows a loop that is not around its leaf".into());
        }
        if extent == Extent::Nothing {
            return Ok(());
        }
        let reach = extent.span().and_then(|(low, high)| {
            let (mut low, mut high) = (access.offset.checked_add(low)?, access.offset.checked_add(high)?);
            for ((_, range), step) in loops.iter().zip(&access.steps) {
                let (first, last) = (step.checked_mul(range.start as i64)?, step.checked_mul(range.end as i64 - 1)?);
                (low, high) = (low.checked_add(first.min(last))?, high.checked_add(first.max(last))?);
            }
            Some((low, high))
        });
        let buffer = &self.buffers[access.buffer];
        match reach {
            Some((low, high)) if low >= 0 && high as u64 <= buffer.bytes as u64 => Ok(()),
            Some((low, high)) => {
                Err(format!("reaches bytes {low} to {high} of buffer {}, which has {}", buffer.name, buffer.bytes))
            }
            None => Err(format!("reaches beyond all bytes of buffer {}", buffer.name)),
        }
    }

    /// Whether what a leaf writes is, as far as can be told, either at the place of another operand or apart from it.
    fn apart(&self, uses: &[Use], leaf: &Leaf) -> Fault {
        let all: Vec<(&Use, &Access)> = uses.iter().zip(&leaf.operands).collect();
        for (o, (a, at)) in all.iter().enumerate().filter(|(_, (used, _))| used.writes) {
            for (other, (b, place)) in all.iter().enumerate() {
                let near = o != other && at.buffer == place.buffer && at.steps == place.steps;
                // Only a map reads an element before it writes it.
                let moved = !matches!(leaf.form, Form::Map(_)) && at.offset == place.offset;
                if near && (moved || overlap((a, at), (b, place))) {
                    let name = &self.buffers[at.buffer].name;
                    return Err(format!("operands {o} and {other} share a part of buffer {name}"));
                }
            }
        }
        Ok(())
    }
}

/// Sizes of a leaf, and where loops have them.
#[derive(Clone)]
struct Case {
    ranges: Vec<Range<usize>>,
    sizes: Vec<usize>,
}

/// All sizes that a leaf has: those of whole blocks, of the last ones, and nothing after these.
fn cases(leaf: &Leaf, loops: &[&Loop]) -> Vec<Case> {
    let mut cases = vec![Case { ranges: loops.iter().map(|l| 0..l.trips).collect(), sizes: Vec::new() }];
    for size in &leaf.sizes {
        let Size::Rest { block: block @ 1.., total, depth } = *size else {
            cases.iter_mut().for_each(|case| case.sizes.push(size.largest()));
            continue;
        };
        let (whole, end) = (total / block, total.div_ceil(block));
        let parts = [(0..whole, block), (whole..end, total % block), (end..usize::MAX, 0)];
        let within = |case: &Case, (range, n): &(Range<usize>, usize)| {
            let mut case = case.clone();
            let old = &mut case.ranges[depth];
            *old = old.start.max(range.start)..old.end.min(range.end);
            case.sizes.push(*n);
            (!case.ranges[depth].is_empty()).then_some(case)
        };
        cases = cases.iter().flat_map(|case| parts.iter().filter_map(|part| within(case, part))).collect();
    }
    cases
}

fn size(size: Size, loops: &[&Loop]) -> Fault {
    let Size::Rest { block, total, depth } = size else { return Ok(()) };
    let around = loops.get(depth).ok_or("a size follows a loop that is not around its leaf")?;
    match block.checked_mul(around.trips) {
        Some(covered) if i64::try_from(covered).is_ok() && covered >= total => Ok(()),
        _ => Err(format!("{} blocks of {block} do not cover {total}", around.trips)),
    }
}

/// Whether iterations of a parallel loop write the same bytes, as far as can be told.
fn shared(loops: &[(&Loop, Range<usize>)], extent: Extent, access: &Access) -> Fault {
    let parallel = |(_, (l, range)): &(usize, &(&Loop, Range<usize>))| l.kind == Kind::Parallel && range.len() > 1;
    for (d, (l, _)) in loops.iter().enumerate().filter(parallel) {
        let step = access.steps.get(d).copied().unwrap_or(0);
        if step.unsigned_abs() < extent.line() as u64 {
            return Err(format!("is written to the same bytes by several iterations of the parallel loop {}", l.axis));
        }
    }
    Ok(())
}

/// Whether two operands of equal steps share bytes without being at one place. Only lines at one distance are told.
fn overlap((a, at): (&Use, &Access), (b, place): (&Use, &Access)) -> bool {
    let (Extent::Lines { lines, distance, bytes }, Extent::Lines { lines: n, distance: d, bytes: others }) =
        (a.extent, b.extent)
    else {
        return false;
    };
    if at.offset == place.offset && (distance == d || lines.min(n) == 1) {
        return false;
    }
    let (Some((low, high)), Some((from, to))) = (a.extent.span(), b.extent.span()) else { return false };
    let between = place.offset.saturating_sub(at.offset);
    let meet = low < to.saturating_add(between) && from.saturating_add(between) < high;
    let pitch = distance.abs();
    if !meet || distance != d || pitch < bytes.max(others) as i64 {
        return meet && lines.min(n) == 1;
    }
    let phase = between.rem_euclid(pitch);
    phase < bytes as i64 || phase + others as i64 > pitch
}
