//! Kernels of loops around leaves, ready to run.

use crate::block::{Blocks, Places};
use crate::callable::Callable;
use crate::machine::Machine;
use std::ops::Range;
use std::sync::Arc;
use tilewright_loops::map::{LARGEST, Map};
use tilewright_nests::{Access, Form, Kernel, Leaf, Role, Stmt};
use tilewright_support::{Diagnostic, Result};

/// A kernel and the code of its leaves.
#[derive(Debug)]
pub struct Nest {
    kernel: Arc<Kernel>,
    leaves: Vec<Code>,
}

/// The code of a leaf.
#[derive(Debug)]
enum Code {
    One(Callable),
    Block(Blocks),
}

impl Nest {
    /// Verifies a kernel and emits what it calls.
    ///
    /// # Errors
    /// As [`Kernel::verify`] and [`Machine::map`]; `Limit` for tiles of more than 2^28 rows or columns.
    pub fn new(machine: &Machine, kernel: Arc<Kernel>) -> Result<Self> {
        kernel.verify()?;
        let mut leaves = Vec::new();
        let mut fault = Ok(());
        kernel.leaves(&mut |_, leaf| {
            let found = match &leaf.form {
                Form::Map(_) if leaf.sizes.iter().any(|s| s.largest() as u64 > LARGEST) => {
                    Err(Diagnostic::limit("a tile of more than 2^28 rows or columns"))
                }
                Form::Map(map) => machine.map(map).map(Code::One),
                Form::Move(m) => machine.movement(m).map(Code::One),
                Form::Block(block) => Blocks::new(machine, *block, &leaf.sizes).map(Code::Block),
            };
            match found {
                Ok(callable) => leaves.push(callable),
                Err(error) => fault = Err(error),
            }
        });
        fault.map(|()| Self { kernel, leaves })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }

    /// Runs some iterations of the parallel loops.
    ///
    /// # Safety
    /// `buffers` are the addresses of the kernel's buffers without scratch, each as long as it says and shared as
    /// [`tilewright_nests::Buffer`] allows; `scratch` is the address of [`Kernel::scratch`] bytes that are this thread's
    /// alone. Nobody else writes what is read or touches what is written by these iterations.
    pub unsafe fn run(&self, buffers: &[*mut u8], iterations: Range<usize>, scratch: *mut u8) {
        let mut run =
            Run { nest: self, bases: Vec::new(), point: vec![0; self.kernel.parallel.len()], args: Vec::new() };
        let (mut given, mut own) = (buffers.iter(), 0);
        for buffer in &self.kernel.buffers {
            if buffer.role == Role::Scratch {
                run.bases.push(scratch.wrapping_add(own));
                own += buffer.bytes.next_multiple_of(64);
            } else {
                run.bases.extend(given.next());
            }
        }
        for at in iterations {
            let mut rest = at;
            for (v, l) in run.point.iter_mut().zip(&self.kernel.parallel).rev() {
                (*v, rest) = (rest % l.trips, rest / l.trips);
            }
            let mut leaf = 0;
            // SAFETY: as the caller promises.
            unsafe { run.body(&self.kernel.body, &mut leaf) };
        }
    }
}

struct Run<'a> {
    nest: &'a Nest,
    bases: Vec<*mut u8>,
    point: Vec<usize>,
    args: Vec<u64>,
}

impl Run<'_> {
    /// # Safety
    /// As [`Nest::run`].
    unsafe fn body(&mut self, body: &[Stmt], leaf: &mut usize) {
        for stmt in body {
            match stmt {
                Stmt::Leaf(l) => {
                    // SAFETY: as the caller promises.
                    unsafe { self.leaf(l, *leaf) };
                    *leaf += 1;
                }
                Stmt::Loop(l, inner) => {
                    let first = *leaf;
                    self.point.push(0);
                    for v in 0..l.trips {
                        *self.point.last_mut().unwrap_or(&mut 0) = v;
                        *leaf = first;
                        // SAFETY: as the caller promises.
                        unsafe { self.body(inner, leaf) };
                    }
                    self.point.pop();
                }
            }
        }
    }

    /// # Safety
    /// As [`Nest::run`].
    unsafe fn leaf(&mut self, leaf: &Leaf, at: usize) {
        let sizes: Vec<usize> = leaf.sizes.iter().map(|s| s.at(&self.point)).collect();
        match &leaf.form {
            Form::Map(map) => self.map_arguments(leaf, map, &sizes),
            Form::Move(_) => self.move_arguments(leaf, &sizes),
            Form::Block(_) => {}
        }
        match &self.nest.leaves[at] {
            // SAFETY: the kernel is verified, so operands lie in buffers, which are as the caller promises.
            Code::One(kernel) => unsafe { kernel.call(self.args.as_ptr()) },
            Code::Block(blocks) => {
                let at = [0, 1, 2].map(|o: usize| self.address(&leaf.operands[o]));
                // SAFETY: as above, and the sizes are those of the leaf.
                unsafe { blocks.run(&Places { at, leaf }, [sizes[0], sizes[1], sizes[2]]) };
            }
        }
    }

    fn address(&self, o: &Access) -> u64 {
        self.bases[o.buffer].wrapping_offset(o.at(&self.point) as isize) as u64
    }

    fn move_arguments(&mut self, leaf: &Leaf, sizes: &[usize]) {
        let [from, to] = [0, 1].map(|o| &leaf.operands[o]);
        let padded = sizes.get(2).copied().unwrap_or(0);
        let indices = from.indices.as_ref().or(to.indices.as_ref()).map_or(0, |i| self.address(i));
        let numbers = [from.row as u64, to.row as u64, sizes[0] as u64, sizes[1] as u64, padded as u64, indices];
        let addresses = [self.address(from), self.address(to)];
        self.args.clear();
        self.args.extend(addresses.into_iter().chain(numbers));
    }

    fn map_arguments(&mut self, leaf: &Leaf, map: &Map, sizes: &[usize]) {
        self.args.clear();
        let addresses: Vec<u64> = leaf.operands.iter().map(|o| self.address(o)).collect();
        self.args.extend(addresses);
        self.args.extend(leaf.operands.iter().map(|o| o.row as u64));
        self.args.extend(leaf.operands.iter().map(|o| o.column as u64));
        self.args.extend(sizes.iter().map(|n| *n as u64));
        let indices = leaf.operands.iter().filter_map(|o| o.indices.as_deref());
        let indices: Vec<u64> = indices.map(|o| self.address(o)).collect();
        self.args.extend(indices);
        self.args.extend(leaf.places.iter().map(|p| p.at(&self.point) as u64));
        debug_assert_eq!(self.args.len(), map.arguments());
    }
}
