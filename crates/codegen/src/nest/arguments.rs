//! The block of arguments of a nest.
//!
//! ```text
//! 0     iterations of the parallel loops that are left
//! then  for each leaf the block of its form, with the cells of its sizes
//! then  for each loop its trips and those left, and for each cell that moves with it a step and the way back
//! ```
//!
//! A *cell* is a word that follows loops: an address, a place, or what a size has left. Whoever runs a nest copies the
//! words, adds the addresses of buffers and moves to the first iteration; loops then add steps to cells, so a leaf finds
//! its own block ready.

use super::block;
use tilewright_loops::{contract, movement};
use tilewright_nests::{Access, Buffer, Form, Kernel, Leaf, Place, Role, Size, Stmt};

/// The words of a nest, and what they are for.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// What they are at the first iteration, but for the addresses of buffers.
    pub words: Vec<u64>,
    /// Words that lack an address: that of the argument of a number, or of scratch, whose number follows the arguments'.
    pub addresses: Vec<(usize, usize)>,
    /// The parallel loops, outermost first, then the others as they begin.
    pub loops: Vec<Loop>,
    /// The leaves as they begin.
    pub leaves: Vec<Part>,
}

/// A loop's words.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The iterations that are left, this one included.
    pub left: usize,
    /// All iterations.
    pub trips: usize,
    /// What moves with it.
    pub cells: Vec<Cell>,
}

/// A word that follows a loop.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The word.
    pub at: usize,
    /// What an iteration adds.
    pub step: usize,
    /// What leads back to the first iteration.
    pub back: usize,
}

/// A leaf's words.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where the block of its form begins.
    pub first: usize,
    /// Sizes that follow loops.
    pub sizes: Vec<Rest>,
}

/// A size that is what is left, at most a block.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    /// What is left, which may be less than nothing.
    pub left: usize,
    /// The block.
    pub block: usize,
    /// The size.
    pub size: usize,
}

impl Arguments {
    /// The words of a kernel; kernels of one structure have the same but for their values.
    pub fn new(kernel: &Kernel) -> Self {
        let mut walk = Walk { kernel, made: Self::default(), around: Vec::new() };
        walk.made.words.push(0);
        for l in &kernel.parallel {
            walk.enter(l.trips);
        }
        walk.body(&kernel.body);
        walk.made
    }
}

struct Walk<'a> {
    kernel: &'a Kernel,
    made: Arguments,
    /// Numbers and trips of the loops around.
    around: Vec<(usize, usize)>,
}

impl Walk<'_> {
    fn word(&mut self, value: u64) -> usize {
        self.made.words.push(value);
        self.made.words.len() - 1
    }

    fn enter(&mut self, trips: usize) {
        let (left, all) = (self.word(trips as u64), self.word(trips as u64));
        self.around.push((self.made.loops.len(), trips));
        self.made.loops.push(Loop { left, trips: all, cells: Vec::new() });
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Leaf(leaf) => self.leaf(leaf),
                Stmt::Loop(l, inner) => {
                    self.enter(l.trips);
                    self.body(inner);
                    self.around.pop();
                }
            }
        }
    }

    fn leaf(&mut self, leaf: &Leaf) {
        let first = self.made.words.len();
        let words = words(leaf);
        for word in &words {
            let value = self.start(word);
            self.word(value);
        }
        let mut sizes = Vec::new();
        for (n, word) in words.into_iter().enumerate() {
            match word {
                Word::Number(_) | Word::Size(Size::Fixed(_)) => {}
                Word::Address(access) => self.follow(first + n, &access.steps),
                Word::Place(place) => self.follow(first + n, &place.steps),
                Word::Size(Size::Rest { block, total, depth }) => {
                    let (left, block_at) = (self.word(total as u64), self.word(block as u64));
                    self.step(left, depth, (block as i64).wrapping_neg());
                    sizes.push(Rest { left, block: block_at, size: first + n });
                }
            }
        }
        self.made.leaves.push(Part { first, sizes });
    }

    /// A word's value at the first iteration.
    fn start(&mut self, word: &Word) -> u64 {
        match word {
            Word::Number(n) => *n,
            Word::Place(place) => place.offset as u64,
            Word::Size(size) => size.largest() as u64,
            Word::Address(access) => {
                let (buffer, before) = self.buffer(access.buffer);
                self.made.addresses.push((self.made.words.len(), buffer));
                (access.offset as u64).wrapping_add(before as u64)
            }
        }
    }

    /// The number of a buffer's address, and the bytes from there to the buffer.
    fn buffer(&self, buffer: usize) -> (usize, usize) {
        let is_scratch = |b: &&Buffer| b.role == Role::Scratch;
        let all = &self.kernel.buffers;
        let before = &all[..buffer.min(all.len())];
        if all.get(buffer).as_ref().is_some_and(is_scratch) {
            let scratch = before.iter().filter(is_scratch);
            let bytes = scratch.map(|b| b.bytes.next_multiple_of(64)).sum();
            return (all.iter().filter(|b| !is_scratch(b)).count(), bytes);
        }
        (before.iter().filter(|b| !is_scratch(b)).count(), 0)
    }

    fn follow(&mut self, at: usize, steps: &[i64]) {
        for (depth, step) in steps.iter().enumerate().filter(|(_, step)| **step != 0) {
            self.step(at, depth, *step);
        }
    }

    /// Lets a word follow the loop at a depth.
    fn step(&mut self, at: usize, depth: usize, step: i64) {
        let Some((l, trips)) = self.around.get(depth).copied() else { return };
        let back = step.wrapping_mul(trips as i64).wrapping_neg();
        let (step, back) = (self.word(step as u64), self.word(back as u64));
        self.made.loops[l].cells.push(Cell { at, step, back });
    }
}

/// A word of a leaf's block.
enum Word<'a> {
    Number(u64),
    Address(&'a Access),
    Place(&'a Place),
    Size(Size),
}

/// The block of a leaf: as its form says; of a Block as [`block::Word`] says.
fn words(leaf: &Leaf) -> Vec<Word<'_>> {
    if let Form::Block(_) = &leaf.form {
        return product(leaf);
    }
    let numbers = |of: &dyn Fn(&Access) -> i64| leaf.operands.iter().map(|o| Word::Number(of(o) as u64)).collect();
    let mut words: Vec<Word> = leaf.operands.iter().map(Word::Address).collect();
    let rows: Vec<Word> = numbers(&|o| o.row);
    words.extend(rows);
    match &leaf.form {
        Form::Map(_) => {
            let columns: Vec<Word> = numbers(&|o| o.column);
            words.extend(columns);
        }
        Form::Move(_) | Form::Block(_) => {}
    }
    words.extend(leaf.sizes.iter().map(|s| Word::Size(*s)));
    if let Form::Move(_) = &leaf.form {
        words.resize_with(movement::Arg::Indices as usize, || Word::Number(0));
    }
    words.extend(leaf.operands.iter().filter_map(|o| o.indices.as_deref()).map(Word::Address));
    if let Form::Move(_) = &leaf.form {
        words.resize_with(movement::ARGS, || Word::Number(0));
    }
    words.extend(leaf.places.iter().map(Word::Place));
    words
}

/// The words of a product; what depends on its tiles and its Contracts is not known here.
fn product(leaf: &Leaf) -> Vec<Word<'_>> {
    let mut words: Vec<Word> = (0..contract::ARGS).map(|_| Word::Number(0)).collect();
    words.extend(leaf.operands.iter().map(Word::Address));
    words.extend(leaf.sizes.iter().map(|s| Word::Size(*s)));
    words.resize_with(block::WORDS, || Word::Number(0));
    words
}
