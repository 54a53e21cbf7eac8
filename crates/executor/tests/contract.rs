//! Sums of products through kernels of Blocks: beside the graph interpreter within bounds, and machine code beside the
//! kernels' meaning bit for bit.

use std::sync::Arc;
use tilewright_graph::ops::{Contract, Conv, Structured};
use tilewright_graph::{Axis, Combiner, Comp, Role, Scalar, TensorType, interp};
use tilewright_kernels::Machine;
use tilewright_kernels::nest::Nest;
use tilewright_lower::contract::{Operand, kernels};
use tilewright_lower::{Layout, Ref, Steps};
use tilewright_nests::{Kernel, interpret};
use tilewright_support::Code;
use tilewright_support::target::{Level, Target};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// Numbers up to 2, or integers of all sizes.
    fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Tensor {
        let n = shape.iter().product();
        if dtype.is_int() {
            let values: Vec<i64> =
                (0..n).map(|_| self.below(256) as i64 - if dtype == DType::U8 { 0 } else { 128 }).collect();
            return Tensor::from_i64(dtype, shape, &values).unwrap();
        }
        let number = |_| (self.below(2001) as f64 - 1000.0) / 500.0;
        let values: Vec<f64> = (0..n).map(number).collect();
        Tensor::from_f64(dtype, shape, &values).unwrap()
    }
}

/// A comprehension, its operands, and which of them are known when it is lowered.
struct Case {
    comp: Comp,
    operands: Vec<Tensor>,
    constant: Vec<bool>,
}

impl Case {
    fn new<O: Structured>(op: &O, shapes: &[Vec<usize>], dtype: DType, random: &mut Random) -> Self {
        Self::of(op, shapes, &vec![dtype; shapes.len()], random)
    }

    fn of<O: Structured>(op: &O, shapes: &[Vec<usize>], dtypes: &[DType], random: &mut Random) -> Self {
        let dims = |s: &Vec<usize>| s.iter().map(|n| Ix::konst(*n as i64)).collect::<Vec<_>>();
        let types: Vec<TensorType> = shapes.iter().zip(dtypes).map(|(s, d)| TensorType::new(*d, dims(s))).collect();
        let comp = op.comp(&types).unwrap();
        let operands: Vec<Tensor> = shapes.iter().zip(dtypes).map(|(s, d)| random.tensor(*d, s)).collect();
        let constant = operands.iter().map(|_| random.below(2) == 0).collect();
        Self { comp, operands, constant }
    }

    fn result(&self) -> Layout {
        let shape: Vec<usize> = self.comp.shape().iter().map(|d| d.as_const().unwrap() as usize).collect();
        Layout::row_major(self.comp.dtype(), &shape)
    }

    fn lower(&self) -> tilewright_support::Result<Steps> {
        let layouts: Vec<Layout> = self.operands.iter().map(|t| Layout::row_major(t.dtype(), t.shape())).collect();
        let known = self.operands.iter().zip(&self.constant).map(|(t, c)| c.then_some(t));
        let operands: Vec<Operand<'_>> =
            layouts.iter().zip(known).map(|(layout, constant)| Operand { layout, constant }).collect();
        kernels(&self.comp, &operands, &self.result())
    }

    /// Runs all kernels in memory that starts as 0xff.
    fn run(&self, steps: &Steps, each: &mut dyn FnMut(&Kernel, &mut [Vec<u8>])) -> Vec<u8> {
        let mut made: Vec<Vec<u8>> = steps.made.iter().map(|l| vec![0xff; l.bytes()]).collect();
        let mut result = vec![0xff; self.result().bytes()];
        for planned in &steps.kernels {
            let take = |r: &Ref| match r {
                Ref::Operand(o) => self.operands[*o].bytes().to_vec(),
                Ref::Made(n) => made[*n].clone(),
                Ref::Result => result.clone(),
            };
            let mut buffers: Vec<Vec<u8>> = planned.reads.iter().chain([&planned.writes]).map(take).collect();
            each(&planned.kernel, &mut buffers);
            let written = buffers.pop().unwrap();
            match planned.writes {
                Ref::Made(n) => made[n] = written,
                _ => result = written,
            }
        }
        result
    }

    fn compiled(&self, steps: &Steps, level: Level) -> Vec<u8> {
        let machine = Machine::new(Target::detect().at_most(level));
        self.run(steps, &mut |kernel, buffers| {
            let nest = Nest::new(&machine, Arc::new(kernel.clone())).unwrap();
            let addresses: Vec<*mut u8> = buffers.iter_mut().map(|b| b.as_mut_ptr()).collect();
            let (all, cut) = (kernel.iterations(), kernel.iterations() / 3);
            for range in [cut..all, 0..cut] {
                let mut scratch = vec![0xffu8; kernel.scratch() + 64];
                let at = scratch.as_mut_ptr();
                let at = at.wrapping_add(at.align_offset(64));
                // SAFETY: the buffers have the lengths that the kernel says, and scratch is this run's own.
                unsafe { nest.run(&addresses, range, at) };
            }
        })
    }

    /// The points that each element sums.
    fn steps(&self) -> i64 {
        self.comp.axes[self.comp.rank()..].iter().map(|a| a.extent.as_const().unwrap()).product()
    }

    /// Compares all ways; whether there were kernels.
    fn check(&self, name: &str) -> bool {
        let steps = match self.lower() {
            Err(error) if error.code == Code::Unsupported => return false,
            steps => steps.unwrap(),
        };
        let meant = self.run(&steps, &mut |kernel, buffers| interpret(kernel, Level::Avx512, buffers).unwrap());
        for level in Level::ALL {
            assert!(self.compiled(&steps, level) == meant, "{name} at {}", level.name());
        }
        let found = Tensor::from_bytes(self.comp.dtype(), &self.result().shape, &meant).unwrap().to_vec_f64();
        let expected = interp::eval_comp(&self.comp, &self.operands).unwrap().to_vec_f64();
        // Operands are at most 2.
        let k = self.steps();
        if self.comp.dtype().is_int() {
            assert_eq!(found, expected, "{name}");
            return true;
        }
        let narrow = if self.comp.dtype().bits() == 16 { 4.0 * k as f64 * (0.5f64).powi(8) } else { 0.0 };
        let bound = (k + 2) as f64 * (0.5f64).powi(24) * 4.0 * k as f64 + narrow;
        for (i, (x, y)) in found.iter().zip(&expected).enumerate() {
            assert!((x - y).abs() <= bound, "{name} at {i}: {x}, not {y}");
        }
        true
    }
}

fn contract(notation: &str, sizes: &dyn Fn(char) -> usize, dtype: DType, random: &mut Random) -> Case {
    let op = Contract::parse(notation);
    let shape = |labels: &Vec<char>| labels.iter().map(|l| sizes(*l)).collect::<Vec<_>>();
    let shapes: Vec<Vec<usize>> = op.inputs.iter().map(shape).collect();
    Case::new(&op, &shapes, dtype, random)
}

#[test]
fn products_of_every_order() {
    let notations = [
        "ik,kj->ij",
        "ki,kj->ij",
        "ik,jk->ij",
        "ki,jk->ji",
        "bik,bkj->bij",
        "bik,kj->bij",
        "bhik,bhjk->bhij",
        "bihk,bjhk->bhij",
        "bhij,bjhk->bihk",
        "k,kj->j",
        "ik,k->i",
        "k,k->",
        "ikl,klj->ij",
        "ilk,klj->ij",
        "akb,ckd->abcd",
        "bkij,bkl->bilj",
        "i,j->ij",
        "ijk,k->ij",
        "bk,bk->b",
        "hbk,bkh->bh",
    ];
    let mut random = Random(5);
    for round in 0..200 {
        let notation = notations[round % notations.len()];
        let most = [4, 30, 90][random.below(3)];
        let sizes: Vec<usize> =
            (0..26).map(|_| if random.below(9) == 0 { random.below(2) } else { 1 + random.below(most) }).collect();
        let size = |l: char| if "bhac".contains(l) { sizes[l as usize - 97].min(4) } else { sizes[l as usize - 97] };
        let dtype = [DType::F32, DType::F32, DType::F64, DType::F16, DType::BF16][random.below(5)];
        let case = contract(notation, &size, dtype, &mut random);
        let name = format!(
            "{notation} {:?} {:?}",
            case.operands.iter().map(|t| t.shape().to_vec()).collect::<Vec<_>>(),
            case.constant
        );
        let lowered = case.check(&name);
        assert!(lowered || case.steps() == 1, "{name}");
    }
}

#[test]
fn products_of_many_blocks() {
    let mut random = Random(6);
    for (notation, sizes) in [
        ("ik,kj->ij", [130, 0, 1100]),
        ("ki,jk->ij", [520, 70, 300]),
        ("ik,kj->ij", [3, 700, 1030]),
        ("ki,kj->ij", [600, 130, 65]),
        ("ik,ik->i", [130, 0, 1100]),
        ("ki,ik->i", [21, 0, 2100]),
    ] {
        let size = |l: char| match l {
            'i' => sizes[0],
            'j' => sizes[1].max(5),
            _ => sizes[2],
        };
        let case = contract(notation, &size, DType::F32, &mut random);
        assert!(case.check(notation));
    }
}

#[test]
fn convolutions() {
    let mut random = Random(8);
    for round in 0..60 {
        let spatial = 1 + random.below(2);
        let groups = [1, 1, 2][random.below(3)];
        let transposed = random.below(4) == 0;
        let op = Conv {
            strides: (0..spatial).map(|_| if transposed { 1 } else { 1 + random.below(2) as i64 }).collect(),
            dilations: (0..spatial).map(|_| 1 + random.below(2) as i64).collect(),
            input_dilations: (0..spatial).map(|_| if transposed { 1 + random.below(3) as i64 } else { 1 }).collect(),
            pads: (0..spatial)
                .map(|_| (Ix::konst(random.below(3) as i64), Ix::konst(random.below(3) as i64)))
                .collect(),
            groups,
            transposed,
            accumulate: None,
        };
        let (c, o) = (1 + random.below(9), 1 + random.below(9));
        let (c, o) = (c * groups as usize, o * groups as usize);
        let mut x = vec![1 + random.below(2), c];
        let mut w = if transposed { vec![c, o / groups as usize] } else { vec![o, c / groups as usize] };
        for _ in 0..spatial {
            x.push(7 + random.below(20));
            w.push(1 + random.below(3));
        }
        let mut case = Case::new(&op, &[x, w], DType::F32, &mut random);
        case.constant[1] = true;
        let lowered = case.check(&format!("round {round}"));
        assert!(lowered || case.steps() == 1, "round {round}");
    }
}

/// Each channel by itself: padded planes in scratch, nothing of the whole operand beside it.
#[test]
fn padded_channels_by_themselves() {
    let mut random = Random(12);
    for round in 0..60 {
        let (spatial, channels, each) = (1 + random.below(3), 8 + random.below(9), 1 + round / 40);
        let (mut x, mut w) = (vec![1 + random.below(3), channels], vec![channels * each, 1]);
        let mut pads = Vec::new();
        for _ in 0..spatial {
            x.push(6 + random.below(9));
            w.push(2 + random.below(2));
            pads.push((Ix::konst(1 + random.below(2) as i64), Ix::konst(random.below(4) as i64)));
        }
        let mut steps = || (0..spatial).map(|_| 1 + random.below(2) as i64).collect::<Vec<_>>();
        let op = Conv {
            strides: steps(),
            dilations: steps(),
            input_dilations: vec![1; spatial],
            pads,
            groups: channels as i64,
            transposed: false,
            accumulate: None,
        };
        let mut case = Case::new(&op, &[x.clone(), w.clone()], DType::F32, &mut random);
        case.constant = vec![false, true];
        assert!(case.check(&format!("round {round}: {x:?} {w:?}")));
        let whole: usize = x.iter().product();
        let made = case.lower().unwrap().made;
        assert!(each > 1 || made.iter().all(|l| l.len() < whole), "round {round}: {made:?}");
    }
}

#[test]
fn products_of_integers() {
    let mut random = Random(9);
    for round in 0..40 {
        let op = Contract { accumulate: Some(DType::I32), ..Contract::parse(["ik,kj->ij", "bik,bjk->bij"][round % 2]) };
        let (b, i, j, k) = (1 + random.below(3), 1 + random.below(30), 1 + random.below(90), 2 + random.below(900));
        let shapes = if round % 2 == 0 { [vec![i, k], vec![k, j]] } else { [vec![b, i, k], vec![b, j, k]] };
        let all = [DType::U8, DType::I8, DType::I32];
        let dtypes = [all[random.below(3)], all[random.below(2)]];
        let mut case = Case::of(&op, &shapes, &dtypes, &mut random);
        assert!(case.check(&format!("{dtypes:?} {shapes:?}")));
        // Known bytes are converted block by block, never as a whole.
        if dtypes.iter().all(|d| d.bits() == 8) {
            case.constant = vec![true; 2];
            assert!(case.check(&format!("known {dtypes:?} {shapes:?}")));
            assert!(case.lower().unwrap().made.is_empty());
        }
    }
}

#[test]
fn sums_over_joined_axes() {
    let mut random = Random(10);
    let sizes = [(2usize, 6usize), (4, 16), (1, 8)];
    for (heads, width) in sizes {
        let [i, j, k] = [0, 1, 2].map(Ix::axis);
        let (h, w) = (Ix::konst(heads as i64), Ix::konst(width as i64));
        let left = vec![i, k.floor_div(&w), k.modulo(&w)];
        let body = Scalar::read(0, DType::F32, left) * Scalar::read(1, DType::F32, vec![k, j]);
        let axis = |name: &str, extent: Ix, role| Axis { name: name.into(), extent, role };
        let axes = vec![
            axis("i", Ix::konst(5), Role::Parallel),
            axis("j", Ix::konst(7), Role::Parallel),
            axis("k", h * w, Role::Reduce),
        ];
        let comp = Comp::new("joined", axes, Combiner::Sum, body);
        let operands =
            vec![random.tensor(DType::F32, &[5, heads, width]), random.tensor(DType::F32, &[heads * width, 7])];
        let case = Case { comp, operands, constant: vec![false, false] };
        assert!(case.check("joined"), "{heads} {width}");
    }
}
