//! Blocks in kernels against their meaning, bit for bit, between guard pages.
mod guarded;
mod nan;
mod random;

use guarded::Guarded;
use nan::canonical;
use random::Random;
use std::sync::Arc;
use tilewright_kernels::Machine;
use tilewright_kernels::nest::Nest;
use tilewright_loops::contract::{Product, Steps};
use tilewright_nests::{Access, Block, Buffer, Form, Kernel, Kind, Leaf, Loop, Role, Size, Stmt, interpret};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// A product cut into blocks, with room between rows and a direction for the rows of A.
struct Case {
    product: Product,
    steps: Steps,
    sizes: [usize; 3],
    cuts: [usize; 3],
    gap: usize,
    backward: bool,
}

fn axis(name: &str, kind: Kind, trips: usize) -> Loop {
    Loop { axis: name.into(), kind, trips }
}

impl Case {
    fn random(r: &mut Random) -> Self {
        let most = [40, 150, 40][r.below(3)];
        let size = |r: &mut Random| if r.below(12) == 0 { r.below(2) } else { 1 + r.below(most) };
        let sizes = [size(r), size(r), size(r)];
        let cuts = sizes.map(|n| 1 + r.below(n + 2));
        let steps = if r.below(2) == 0 { Steps::Dense } else { Steps::Strided };
        let product = Product::ALL[r.below(Product::ALL.len())];
        Self { product, steps, sizes, cuts, gap: r.below(4), backward: steps == Steps::Dense && r.below(3) == 0 }
    }

    fn kernel(&self) -> Kernel {
        let ([m, n, k], cuts) = (self.sizes, self.cuts);
        let (size, c_size) = (self.product.step_bytes(), self.product.c_bytes());
        let trips = [0, 1, 2].map(|d: usize| self.sizes[d].div_ceil(cuts[d]));
        let gap = self.gap * size;
        let (mut a_row, a_step) = match self.steps {
            Steps::Dense => ((k * size + gap) as i64, size as i64),
            Steps::Strided => (size as i64, (m * size + gap) as i64),
        };
        let (b_row, c_row) = ((n * size + gap) as i64, (n * c_size + self.gap * c_size) as i64);
        let mut offset = 0;
        if self.backward {
            offset = a_row * (m as i64 - 1).max(0);
            a_row = -a_row;
        }
        let step = |row: i64, cut: usize| row * cut as i64;
        let access = |buffer: usize, offset: i64, steps: Vec<i64>, row: i64, column: i64| Access {
            buffer,
            offset,
            steps,
            row,
            column,
            indices: None,
        };
        let a = access(0, offset, vec![step(a_row, cuts[0]), 0, step(a_step, cuts[2])], a_row, a_step);
        let b = access(1, 0, vec![0, step(size as i64, cuts[1]), step(b_row, cuts[2])], b_row, 0);
        let c = access(2, 0, vec![step(c_row, cuts[0]), step(c_size as i64, cuts[1]), 0], c_row, 0);
        let rest = |depth: usize| Size::Rest { block: cuts[depth], total: self.sizes[depth], depth };
        let form = Form::Block(Block { product: self.product, steps: self.steps, accumulate: true });
        let sizes = vec![rest(0), rest(1), rest(2)];
        let leaf = Leaf { form, sizes, operands: vec![a, b, c], places: Vec::new() };
        let bytes = [
            self.steps_bytes(a_row.unsigned_abs() as usize, a_step as usize, size),
            reach(k, b_row, n * size),
            reach(m, c_row, n * c_size),
        ];
        let dtypes = [self.product.a(), self.product.b(), self.product.c()];
        let roles = [Role::Read, Role::Read, Role::Update];
        let buffers = [0, 1, 2].map(|at: usize| Buffer {
            name: ["a", "b", "c"][at].into(),
            dtype: dtypes[at],
            bytes: bytes[at],
            role: roles[at],
        });
        let inner = Stmt::Loop(axis("k", Kind::Reduce, trips[2]), vec![Stmt::Leaf(leaf)]);
        let parallel = vec![axis("i", Kind::Parallel, trips[0]), axis("j", Kind::Parallel, trips[1])];
        Kernel { name: "blocks".into(), buffers: buffers.to_vec(), parallel, body: vec![inner] }
    }

    fn steps_bytes(&self, row: usize, step: usize, size: usize) -> usize {
        let [m, _, k] = self.sizes;
        if m == 0 || k == 0 { 0 } else { (m - 1) * row + (k - 1) * step + size }
    }
}

fn reach(rows: usize, row: i64, used: usize) -> usize {
    if rows == 0 || used == 0 { 0 } else { (rows - 1) * row as usize + used }
}

fn fill(r: &mut Random, dtype: DType, bytes: usize) -> Vec<u8> {
    let mut out = vec![0; bytes];
    r.fill(dtype, 13.0, &mut out);
    let size = dtype.bits() / 8;
    if dtype.is_float() && bytes > 0 && r.below(4) == 0 {
        let at = r.below(bytes / size) * size;
        out[at..at + size].fill(0xff);
    }
    out
}

#[test]
fn blocks_agree_with_their_meaning() {
    let mut r = Random(7);
    for round in 0..400 {
        let case = Case::random(&mut r);
        let kernel = Arc::new(case.kernel());
        let given: Vec<Vec<u8>> = kernel.buffers.iter().map(|b| fill(&mut r, b.dtype, b.bytes)).collect();
        let mut meant = given.clone();
        interpret(&kernel, Level::Avx512, &mut meant).unwrap();
        let c = kernel.buffers[2].dtype;
        for level in Level::ALL {
            let machine = Machine::new(Target::detect().at_most(level));
            let nest = Nest::new(&machine, kernel.clone()).unwrap();
            assert_eq!(nest.is_whole(), machine.target().level != Level::Portable);
            let memory: Vec<Guarded> = given.iter().map(|g| Guarded::new(g, round % 2 == 0)).collect();
            let buffers: Vec<*mut u8> = memory.iter().map(|g| g.address() as *mut u8).collect();
            let (all, cut) = (kernel.iterations(), kernel.iterations() / 2);
            for range in [cut..all, 0..cut] {
                // SAFETY: the buffers have the lengths that the kernel says, and there is no scratch.
                unsafe { nest.run(&buffers, range, std::ptr::null_mut()) };
            }
            let (found, meant) = (canonical(c, memory[2].bytes()), canonical(c, &meant[2]));
            assert!(found == meant, "round {round}, {}: {kernel}", level.name());
        }
    }
}

#[test]
fn a_block_outside_its_buffer_is_refused() {
    let case =
        Case { product: Product::F32, steps: Steps::Dense, sizes: [5, 7, 3], cuts: [5, 7, 3], gap: 0, backward: false };
    for buffer in 0..3 {
        let mut kernel = case.kernel();
        kernel.verify().unwrap();
        kernel.buffers[buffer].bytes -= 1;
        assert!(kernel.verify().is_err());
    }
    let strided = Case { steps: Steps::Strided, ..case };
    let mut kernel = strided.kernel();
    kernel.verify().unwrap();
    let Stmt::Loop(_, body) = &mut kernel.body[0] else { panic!() };
    let Stmt::Leaf(leaf) = &mut body[0] else { panic!() };
    leaf.operands[0].row = 0;
    assert!(kernel.verify().is_err());
    let mut kernel = strided.kernel();
    kernel.buffers[1].dtype = DType::F64;
    assert!(kernel.verify().is_err());
}
