//! Kernels of loops around leaves, ready to run.
//!
//! A kernel is one function of machine code that is shared by all kernels of its structure; where there is none, loops in
//! Rust call a function for each leaf. Both work on a copy of the same [`Arguments`].

use crate::block::Blocks;
use crate::callable::Callable;
use crate::machine::Machine;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::nest::{Arguments, Loop, emit_with};
use tilewright_loops::map::LARGEST;
use tilewright_nests::{Form, Kernel, Stmt};
use tilewright_support::{Diagnostic, Result};

/// A kernel, its arguments and its code.
#[derive(Debug)]
pub struct Nest {
    kernel: Arc<Kernel>,
    arguments: Arguments,
    /// The Contracts of each product among the leaves.
    blocks: Vec<Blocks>,
    code: Code,
}

/// What runs a kernel.
#[derive(Debug)]
enum Code {
    /// One function.
    Whole(Callable),
    /// A function for each leaf.
    Leaves(Vec<LeafCode>),
}

#[derive(Debug)]
enum LeafCode {
    One(Callable),
    /// The product of a number.
    Block(usize),
}

thread_local! {
    /// Room for the arguments of a run.
    static WORDS: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

impl Nest {
    /// Verifies a kernel and finds its code, or emits it.
    ///
    /// # Errors
    /// As [`Kernel::verify`] and [`Machine::map`]; `Limit` for tiles of more than 2^28 rows or columns.
    pub fn new(machine: &Machine, kernel: Arc<Kernel>) -> Result<Self> {
        Self::with(machine, kernel, |structure| machine.nest(structure))
    }

    /// The same without machine code for loops: a function for each leaf.
    ///
    /// # Errors
    /// As [`Nest::new`].
    pub fn of_leaves(machine: &Machine, kernel: Arc<Kernel>) -> Result<Self> {
        Self::with(machine, kernel, |_| Ok(None))
    }

    /// The same with fewer registers than there are, in code that is not kept.
    ///
    /// # Errors
    /// As [`Nest::new`], and `Unsupported` where there is no machine code.
    pub fn with_registers(machine: &Machine, kernel: Arc<Kernel>, registers: Registers) -> Result<Self> {
        Self::with(machine, kernel, |structure| {
            let code = machine.publish(&emit_with(structure, &machine.target(), registers)?)?;
            Ok(Some(Callable::Code(code)))
        })
    }

    fn with(
        machine: &Machine,
        kernel: Arc<Kernel>,
        find: impl FnOnce(&Kernel) -> Result<Option<Callable>>,
    ) -> Result<Self> {
        kernel.verify()?;
        let mut fits = true;
        kernel.leaves(&mut |_, leaf| fits &= leaf.sizes.iter().all(|s| s.largest() as u64 <= LARGEST));
        if !fits {
            return Err(Diagnostic::limit("a tile of more than 2^28 rows or columns"));
        }
        let mut arguments = Arguments::new(&kernel);
        let blocks = blocks(machine, &kernel, &mut arguments)?;
        let whole = if blocks.iter().all(Blocks::is_code) { find(&kernel.structure())? } else { None };
        let code = match whole {
            Some(whole) => Code::Whole(whole),
            None => Code::Leaves(leaves(machine, &kernel)?),
        };
        Ok(Self { kernel, arguments, blocks, code })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }

    /// Whether the loops are machine code.
    pub fn is_whole(&self) -> bool {
        matches!(self.code, Code::Whole(_))
    }

    /// Runs some iterations of the parallel loops.
    ///
    /// # Safety
    /// `buffers` are the addresses of the kernel's buffers without scratch, each as long as it says and shared as
    /// [`tilewright_nests::Buffer`] allows; `scratch` is the address of [`Kernel::scratch`] bytes that are this thread's
    /// alone. Nobody else writes what is read or touches what is written by these iterations.
    pub unsafe fn run(&self, buffers: &[*mut u8], iterations: Range<usize>, scratch: *mut u8) {
        if iterations.is_empty() {
            return;
        }
        let mut words = WORDS.take();
        words.clear();
        words.extend_from_slice(&self.arguments.words);
        words[0] = iterations.len() as u64;
        for (at, buffer) in &self.arguments.addresses {
            let address = buffers.get(*buffer).copied().unwrap_or(scratch);
            words[*at] = words[*at].wrapping_add(address as u64);
        }
        self.seek(&mut words, iterations.start);
        // SAFETY: the kernel is verified, so operands lie in buffers, which are as the caller promises.
        unsafe {
            match &self.code {
                Code::Whole(kernel) => kernel.call(words.as_mut_ptr()),
                Code::Leaves(code) => Run { nest: self, code, words: &mut words, begun: (0, 0) }.iterations(),
            }
        }
        WORDS.set(words);
    }

    /// Moves from the first iteration to another one.
    fn seek(&self, words: &mut [u64], mut iteration: usize) {
        let parallel = self.kernel.parallel.iter().zip(&self.arguments.loops);
        for (l, at) in parallel.rev() {
            if iteration == 0 {
                return;
            }
            let v = iteration % l.trips;
            iteration /= l.trips;
            words[at.left] -= v as u64;
            for cell in &at.cells {
                words[cell.at] = words[cell.at].wrapping_add(words[cell.step].wrapping_mul(v as u64));
            }
        }
    }
}

/// The Contracts of the products, whose words are written.
fn blocks(machine: &Machine, kernel: &Kernel, arguments: &mut Arguments) -> Result<Vec<Blocks>> {
    let mut blocks = Vec::new();
    let mut parts = arguments.leaves.iter();
    let mut fault = Ok(());
    kernel.leaves(&mut |_, leaf| {
        let (Some(part), Form::Block(form)) = (parts.next(), &leaf.form) else { return };
        match Blocks::new(machine, *form, &leaf.sizes) {
            Ok(block) => {
                block.fill(&mut arguments.words[part.first..], leaf);
                blocks.push(block);
            }
            Err(error) => fault = Err(error),
        }
    });
    fault.map(|()| blocks)
}

/// The code of each leaf.
fn leaves(machine: &Machine, kernel: &Kernel) -> Result<Vec<LeafCode>> {
    let mut leaves = Vec::new();
    let mut blocks = 0..;
    let mut fault = Ok(());
    kernel.leaves(&mut |_, leaf| {
        let found = match &leaf.form {
            Form::Map(map) => machine.map(map).map(LeafCode::One),
            Form::Move(m) => machine.movement(m).map(LeafCode::One),
            Form::Block(_) => Ok(LeafCode::Block(blocks.next().unwrap_or(0))),
        };
        match found {
            Ok(code) => leaves.push(code),
            Err(error) => fault = Err(error),
        }
    });
    fault.map(|()| leaves)
}

/// Loops in Rust, as machine code has them.
struct Run<'a> {
    nest: &'a Nest,
    code: &'a [LeafCode],
    words: &'a mut [u64],
    /// Loops and leaves that have begun.
    begun: (usize, usize),
}

impl Run<'_> {
    /// # Safety
    /// As [`Nest::run`], for the words of the run.
    unsafe fn iterations(&mut self) {
        let (kernel, parallel) = (&self.nest.kernel, self.nest.kernel.parallel.len());
        while self.words[0] > 0 {
            self.begun = (parallel, 0);
            // SAFETY: as the caller promises.
            unsafe { self.body(&kernel.body) };
            self.words[0] -= 1;
            for l in self.nest.arguments.loops[..parallel].iter().rev() {
                if self.next(l) {
                    break;
                }
                self.words[l.left] = self.words[l.trips];
            }
        }
    }

    /// Moves to the next iteration if there is one, else back to the first.
    fn next(&mut self, l: &Loop) -> bool {
        self.words[l.left] -= 1;
        let more = self.words[l.left] > 0;
        for cell in &l.cells {
            let back = if more { 0 } else { self.words[cell.back] };
            let step = self.words[cell.step].wrapping_add(back);
            self.words[cell.at] = self.words[cell.at].wrapping_add(step);
        }
        more
    }

    /// # Safety
    /// As [`Run::iterations`].
    unsafe fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                // SAFETY: as the caller promises.
                Stmt::Leaf(_) => unsafe { self.leaf() },
                // SAFETY: as the caller promises.
                Stmt::Loop(_, inner) => unsafe { self.repeat(inner) },
            }
        }
    }

    /// # Safety
    /// As [`Run::iterations`].
    unsafe fn repeat(&mut self, inner: &[Stmt]) {
        let l = &self.nest.arguments.loops[self.begun.0];
        self.begun.0 += 1;
        let first = self.begun;
        self.words[l.left] = self.words[l.trips];
        if self.words[l.trips] == 0 {
            return self.pass(inner);
        }
        loop {
            self.begun = first;
            // SAFETY: as the caller promises.
            unsafe { self.body(inner) };
            if !self.next(l) {
                return;
            }
        }
    }

    /// Passes by what is not run.
    fn pass(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Leaf(_) => self.begun.1 += 1,
                Stmt::Loop(_, inner) => {
                    self.begun.0 += 1;
                    self.pass(inner);
                }
            }
        }
    }

    /// # Safety
    /// As [`Run::iterations`].
    unsafe fn leaf(&mut self) {
        let at = self.begun.1;
        self.begun.1 += 1;
        let part = &self.nest.arguments.leaves[at];
        for size in &part.sizes {
            let left = (self.words[size.left] as i64).max(0) as u64;
            self.words[size.size] = left.min(self.words[size.block]);
        }
        let words = &mut self.words[part.first..];
        // SAFETY: as the caller promises.
        unsafe {
            match &self.code[at] {
                LeafCode::One(kernel) => kernel.call(words.as_ptr()),
                LeafCode::Block(number) => self.nest.blocks[*number].run(words),
            }
        }
    }
}
