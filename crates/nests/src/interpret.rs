//! The meaning of a kernel: loops in order, each leaf as its form is interpreted.

use crate::block;
use crate::kernel::{Access, Block, Form, Kernel, Leaf, Role, Stmt};
use crate::uses::{Extent, Use, uses};
use std::collections::HashMap;
use std::sync::Arc;
use tilewright_loops::map::{self, Map, Program, Tile};
use tilewright_loops::movement::{self, Move, Operands};
use tilewright_support::target::Level;
use tilewright_support::{Diagnostic, Result};

/// Runs a kernel over its arguments: all buffers but scratch, in order, each as long as the kernel says. Scratch starts
/// as bytes 0xff. `level` says which expansions functions have.
///
/// # Errors
/// As [`Kernel::verify`]; internal, where a buffer has another length or an index is out of range; unsupported, for maps
/// without an expansion.
pub fn interpret(kernel: &Kernel, level: Level, arguments: &mut [Vec<u8>]) -> Result<()> {
    kernel.verify()?;
    let mut given = arguments.iter_mut();
    let mut memory: Vec<Vec<u8>> = Vec::with_capacity(kernel.buffers.len());
    for buffer in &kernel.buffers {
        let bytes = match buffer.role {
            Role::Scratch => vec![0xff; buffer.bytes],
            _ => given.next().map(std::mem::take).unwrap_or_default(),
        };
        if bytes.len() != buffer.bytes {
            return Err(Diagnostic::internal(format!("buffer {} has {} bytes", buffer.name, bytes.len())));
        }
        memory.push(bytes);
    }
    let mut run = Run { kernel, level, memory, point: Vec::new(), programs: HashMap::new() };
    let done = run.parallel(0);
    let kept = kernel.buffers.iter().zip(run.memory).filter(|(b, _)| b.role != Role::Scratch);
    arguments.iter_mut().zip(kept).for_each(|(to, (_, bytes))| *to = bytes);
    done
}

struct Run<'a> {
    kernel: &'a Kernel,
    level: Level,
    memory: Vec<Vec<u8>>,
    point: Vec<usize>,
    /// What maps expand to, by their address in the kernel.
    programs: HashMap<*const Map, Arc<Program>>,
}

/// The bytes of an operand at a point.
struct Part {
    buffer: usize,
    /// Where they start in the buffer.
    start: usize,
    /// Where the first element is in them.
    first: usize,
    bytes: Vec<u8>,
    indices: Vec<usize>,
}

impl Run<'_> {
    fn parallel(&mut self, depth: usize) -> Result<()> {
        let Some(l) = self.kernel.parallel.get(depth) else { return self.body(&self.kernel.body) };
        self.repeat(l.trips, &mut |run| run.parallel(depth + 1))
    }

    fn body(&mut self, body: &[Stmt]) -> Result<()> {
        body.iter().try_for_each(|stmt| match stmt {
            Stmt::Leaf(leaf) => self.leaf(leaf),
            Stmt::Loop(l, inner) => self.repeat(l.trips, &mut |run| run.body(inner)),
        })
    }

    fn repeat(&mut self, trips: usize, once: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        for v in 0..trips {
            self.point.push(v);
            let done = once(self);
            self.point.pop();
            done?;
        }
        Ok(())
    }

    /// Each operand works on a copy of its bytes; what a store changed goes back.
    fn leaf(&mut self, leaf: &Leaf) -> Result<()> {
        let sizes: Vec<usize> = leaf.sizes.iter().map(|s| s.at(&self.point)).collect();
        let uses = uses(leaf, &sizes).map_err(Diagnostic::internal)?;
        let parts = uses.iter().zip(&leaf.operands).map(|(used, access)| self.part(used, access));
        let mut parts = parts.collect::<Result<Vec<Part>>>()?;
        let before: Vec<Vec<u8>> = parts.iter().map(|p| p.bytes.clone()).collect();
        match &leaf.form {
            Form::Map(map) => self.map(map, leaf, [sizes[0], sizes[1]], &mut parts)?,
            Form::Move(m) => move_parts(m, leaf, &sizes, &mut parts)?,
            Form::Block(form) => block_parts(*form, leaf, [sizes[0], sizes[1], sizes[2]], &mut parts)?,
        }
        for ((part, before), _) in parts.iter().zip(&before).zip(&uses).filter(|(_, used)| used.writes) {
            let buffer = &mut self.memory[part.buffer][part.start..];
            let changed = buffer.iter_mut().zip(&part.bytes).zip(before);
            changed.filter(|((_, new), old)| new != old).for_each(|((to, new), _)| *to = *new);
        }
        Ok(())
    }

    fn part(&self, used: &Use, access: &Access) -> Result<Part> {
        let buffer = &self.memory[access.buffer];
        let at = access.at(&self.point);
        let indices = self.indices(used, access)?;
        let (low, high) = match used.extent.span() {
            Some((0, 0)) => (at, at),
            Some((low, high)) => (at + low, at + high),
            None => (0, buffer.len() as i64),
        };
        let outside = || Diagnostic::internal("an operand outside of its buffer");
        let empty = used.extent.is_empty();
        let bytes = if empty { Some(&[][..]) } else { buffer.get(low as usize..high as usize) };
        let bytes = bytes.ok_or_else(outside)?.to_vec();
        let (start, first) = if empty { (0, 0) } else { (low as usize, (at - low) as usize) };
        Ok(Part { buffer: access.buffer, start, first, bytes, indices })
    }

    /// The numbers of an operand's rows.
    fn indices(&self, used: &Use, access: &Access) -> Result<Vec<usize>> {
        let (Some(indices), Extent::Indexed { indices: count, index }) = (&access.indices, used.extent) else {
            return Ok(Vec::new());
        };
        let bytes = self.memory[indices.buffer].get(indices.at(&self.point) as usize..).unwrap_or_default();
        let number = |b: &[u8]| {
            let mut eight = [0; 8];
            eight[..b.len()].copy_from_slice(b);
            usize::try_from(u64::from_le_bytes(eight)).ok()
        };
        let found = bytes.chunks_exact(index.bytes()).take(count).map(number);
        found.collect::<Option<Vec<usize>>>().ok_or_else(|| Diagnostic::internal("an index is out of range"))
    }

    fn map(&mut self, map: &Arc<Map>, leaf: &Leaf, sizes: [usize; 2], parts: &mut [Part]) -> Result<()> {
        let program = match self.programs.get(&Arc::as_ptr(map)) {
            Some(program) => program.clone(),
            None => Arc::new(Program::for_level(map, self.level)?),
        };
        self.programs.insert(Arc::as_ptr(map), program.clone());
        let mut tiles = Vec::with_capacity(parts.len());
        for (part, access) in parts.iter_mut().zip(&leaf.operands) {
            let (first, row, column) = (part.first, access.row as isize, access.column as isize);
            tiles.push(Tile { bytes: &mut part.bytes, first, row, column, indices: &part.indices });
        }
        let places: Vec<i64> = leaf.places.iter().map(|p| p.at(&self.point)).collect();
        map::interpret_program(map, &program, sizes, &places, &mut tiles)
    }
}

fn move_parts(movement: &Move, leaf: &Leaf, sizes: &[usize], parts: &mut [Part]) -> Result<()> {
    let [from, to] = parts else { return Err(Diagnostic::internal("a move of no two operands")) };
    let mut operands = Operands {
        from: from.bytes.get(from.first..).unwrap_or_default(),
        to: to.bytes.get_mut(to.first..).unwrap_or_default(),
        from_row: leaf.operands[0].row as usize,
        to_row: leaf.operands[1].row as usize,
        rows: sizes[0],
        columns: sizes[1],
        padded: sizes.get(2).copied().unwrap_or(0),
        indices: if from.indices.is_empty() { &to.indices } else { &from.indices },
    };
    movement::interpret(movement, &mut operands)
}

fn block_parts(form: Block, leaf: &Leaf, sizes: [usize; 3], parts: &mut [Part]) -> Result<()> {
    let [a, b, c] = parts else { return Err(Diagnostic::internal("a block of no three operands")) };
    let mut operands = block::Operands {
        a: (&a.bytes, a.first as i64, leaf.operands[0].row, form.step(&leaf.operands[0])),
        b: (&b.bytes, b.first as i64, leaf.operands[1].row),
        c: (&mut c.bytes, c.first as i64, leaf.operands[2].row),
    };
    block::interpret(form, &mut operands, sizes)
}
