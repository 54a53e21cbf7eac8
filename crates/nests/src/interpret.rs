//! The meaning of a kernel: loops in order, each leaf as its form is interpreted.

use crate::kernel::{Form, Kernel, Leaf, Role, Stmt};
use tilewright_loops::map::{self, Map, Program, Sink, Tile};
use tilewright_support::target::Level;
use tilewright_support::{Diagnostic, Result};

/// Runs a kernel over its arguments: all buffers but scratch, in order, each as long as the kernel says. Scratch starts
/// as bytes 0xff. `level` says which expansions functions have.
///
/// # Errors
/// As [`Kernel::verify`]; internal, where a buffer has another length; unsupported, for maps without an expansion.
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
    let mut run = Run { kernel, level, memory, point: Vec::new() };
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

    fn leaf(&mut self, leaf: &Leaf) -> Result<()> {
        let sizes: Vec<usize> = leaf.sizes.iter().map(|s| s.at(&self.point)).collect();
        match &leaf.form {
            Form::Map(map) => self.map(leaf, map, [sizes[0], sizes[1]]),
            Form::Move(_) | Form::Block(_) => Err(Diagnostic::internal("a form that is not there yet")),
        }
    }

    /// Each operand works on a copy of its buffer; what a store changed goes back.
    fn map(&mut self, leaf: &Leaf, map: &Map, sizes: [usize; 2]) -> Result<()> {
        let place = |o: &crate::Access| o.at(&self.point) as usize;
        let places: Vec<usize> = leaf.operands.iter().map(place).collect();
        let mut copies: Vec<Vec<u8>> = leaf.operands.iter().map(|o| self.memory[o.buffer].clone()).collect();
        let mut tiles = Vec::with_capacity(copies.len());
        for ((access, at), bytes) in leaf.operands.iter().zip(&places).zip(&mut copies) {
            let bytes = bytes.get_mut(*at..).unwrap_or_default();
            tiles.push(Tile { bytes, row: access.row as usize, column: access.column as usize, indices: &[] });
        }
        map::interpret_program(map, &Program::for_level(map, self.level)?, sizes, &mut tiles)?;
        for sink in map.stages.iter().flat_map(|s| &s.sinks) {
            let Sink::Store { operand, .. } = sink else { continue };
            let buffer = &mut self.memory[leaf.operands[*operand as usize].buffer];
            let changed = buffer.iter_mut().zip(&copies[*operand as usize]);
            changed.filter(|(old, new)| old != new).for_each(|(old, new)| *old = *new);
        }
        Ok(())
    }
}
