//! Comprehensions by kernels: interpreted, and as machine code.

use super::random::Random;
use std::sync::Arc;
use tilewright_graph::scalar::Kind;
use tilewright_graph::{Combiner, Comp, Func, Scalar, interp};
use tilewright_kernels::Machine;
use tilewright_kernels::nest::Nest;
use tilewright_lower::Layout;
use tilewright_lower::comp::{Lowered, lowered as lower};
use tilewright_nests::{Kernel, Role, interpret};
use tilewright_support::Result;
use tilewright_support::target::{Level, Target};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// What no kernel writes.
const POISON: u8 = 0xa5;

/// A layout for a tensor: row-major, or with gaps and dims in another order.
pub fn layout(random: &mut Random, dtype: DType, shape: &[usize]) -> Layout {
    let mut layout = Layout::row_major(dtype, shape);
    if random.chance(60) {
        return layout;
    }
    let mut order: Vec<usize> = (0..shape.len()).collect();
    (1..order.len()).for_each(|i| order.swap(i, random.below(i + 1)));
    let mut stride = 1 + random.below(2) as i64;
    for d in order {
        layout.strides[d] = stride;
        stride *= shape[d].max(1) as i64 + random.below(3) as i64;
    }
    layout.offset = random.below(4) as i64;
    layout.room = (stride + layout.offset + 2) as usize;
    layout
}

/// The places of elements in row-major order.
fn places(layout: &Layout) -> Vec<usize> {
    let mut all = vec![layout.offset];
    for (n, stride) in layout.shape.iter().zip(&layout.strides) {
        all = all.iter().flat_map(|at| (0..*n as i64).map(move |i| at + i * stride)).collect();
    }
    all.into_iter().map(|at| at as usize).collect()
}

/// A tensor's elements in a buffer.
fn spread(layout: &Layout, x: &Tensor) -> Vec<u8> {
    let (mut bytes, size) = (vec![POISON; layout.bytes()], layout.dtype.bits() / 8);
    for (at, element) in places(layout).into_iter().zip(x.bytes().chunks(size)) {
        bytes[at * size..][..size].copy_from_slice(element);
    }
    bytes
}

/// The elements of a buffer, and whether what lies between them is as it was.
fn collect(layout: &Layout, bytes: &[u8]) -> (Tensor, bool) {
    let size = layout.dtype.bits() / 8;
    let mut rest = bytes.to_vec();
    let mut elements = Vec::new();
    for at in places(layout) {
        elements.extend_from_slice(&bytes[at * size..][..size]);
        rest[at * size..][..size].fill(POISON);
    }
    let kept = rest.iter().all(|b| *b == POISON);
    (Tensor::from_bytes(layout.dtype, &layout.shape, &elements).unwrap(), kept)
}

/// Lowers a comprehension over given layouts and compares what its kernels give with its meaning.
///
/// # Errors
/// What lowering refuses.
pub fn check(comp: &Comp, operands: &[Tensor], random: &mut Random, about: &str) -> Result<Lowered> {
    let shape: Vec<usize> = comp.shape().iter().map(|d| d.as_const().unwrap() as usize).collect();
    let layouts: Vec<Layout> = operands.iter().map(|x| layout(random, x.dtype(), x.shape())).collect();
    let result = layout(random, comp.dtype(), &shape);
    let lowered = lower(comp, &layouts, &result)?;
    let mut given: Vec<Vec<u8>> = layouts.iter().zip(operands).map(|(l, x)| spread(l, x)).collect();
    given.push(vec![POISON; result.bytes()]);
    let holds = |c: &tilewright_lower::comp::Check| {
        operands[c.operand].to_vec_i64().iter().all(|x| (c.low..=c.high).contains(x))
    };
    assert!(lowered.checks.iter().all(holds), "{about}: a check fails");
    for level in Level::ALL {
        let meaning = interpreted(&lowered.kernels, level, &given);
        if level == Level::Portable {
            let (found, kept) = collect(&result, meaning.last().unwrap());
            assert!(kept, "{about}: bytes beside the result are written\n{:?}", comp);
            compare(comp, operands, &found, about, &lowered);
            assert!(found.bit_eq(&plain(comp, operands)?), "{about}: layouts change bits\n{comp:?}");
        }
        compiled(&lowered.kernels, level, (&given, &meaning), about);
    }
    Ok(lowered)
}

/// What a comprehension gives over tensors that lie as they are.
pub fn plain(comp: &Comp, operands: &[Tensor]) -> Result<Tensor> {
    let layouts: Vec<Layout> = operands.iter().map(|x| Layout::row_major(x.dtype(), x.shape())).collect();
    let shape: Vec<usize> = comp.shape().iter().map(|d| d.as_const().unwrap() as usize).collect();
    let result = Layout::row_major(comp.dtype(), &shape);
    let mut buffers: Vec<Vec<u8>> = layouts.iter().zip(operands).map(|(l, x)| spread(l, x)).collect();
    buffers.push(vec![POISON; result.bytes()]);
    let buffers = interpreted(&lower(comp, &layouts, &result)?.kernels, Level::Portable, &buffers);
    Ok(collect(&result, &buffers[operands.len()]).0)
}

fn interpreted(kernels: &[Kernel], level: Level, given: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut buffers = given.to_vec();
    for kernel in kernels {
        interpret(kernel, level, &mut buffers).unwrap_or_else(|e| panic!("{e:?}\n{kernel}"));
    }
    buffers
}

/// Runs machine code over copies and compares every byte.
fn compiled(kernels: &[Kernel], level: Level, (given, meaning): (&[Vec<u8>], &[Vec<u8>]), about: &str) {
    let here = Target::detect();
    if here.at_most(level).level != level {
        return;
    }
    let machine = Machine::new(here.at_most(level));
    let mut buffers = given.to_vec();
    for kernel in kernels {
        assert_eq!(kernel.buffers.iter().filter(|b| b.role != Role::Scratch).count(), buffers.len());
        let nest = Nest::new(&machine, Arc::new(kernel.clone())).unwrap();
        let mut scratch = vec![0xffu8; kernel.scratch() + 64];
        let aligned = scratch.as_mut_ptr().wrapping_add(scratch.as_ptr().align_offset(64));
        let addresses: Vec<*mut u8> = buffers.iter_mut().map(|b| b.as_mut_ptr()).collect();
        let all = kernel.iterations();
        // Two ranges, the later one first: iterations do not depend on each other.
        for range in [all / 2..all, 0..all / 2] {
            // SAFETY: buffers are as long as the kernel says, and nobody else uses them.
            unsafe { nest.run(&addresses, range, aligned) };
        }
    }
    if buffers != meaning {
        let texts: Vec<String> = kernels.iter().map(Kernel::to_string).collect();
        panic!("{about}: {level:?} differs from the interpreter\n{}", texts.concat());
    }
}

/// Compares with the meaning of the comprehension: exactly, but sums and products of floats within their bound.
fn compare(comp: &Comp, operands: &[Tensor], found: &Tensor, about: &str, lowered: &Lowered) {
    let meaning = interp::naive::eval_comp(comp, operands).unwrap();
    let bound = bounds(comp, operands);
    let (a, b) = (found.to_vec_f64(), meaning.to_vec_f64());
    for (n, (a, b)) in a.iter().zip(&b).enumerate() {
        let slack = bound.as_ref().map_or(0.0, |b| b[n]);
        let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= slack || slack.is_nan() || slack >= 1e30;
        let texts = || lowered.kernels.iter().map(Kernel::to_string).collect::<Vec<_>>().concat();
        assert!(same, "{about}: element {n} is {a}, not {b} (within {slack})\n{comp:?}\n{}", texts());
    }
}

/// What float accumulation in a narrower dtype may be off by: `(K + 2) * 2^-24` of the sum of what is summed, and a
/// rounding to the result's dtype.
fn bounds(comp: &Comp, operands: &[Tensor]) -> Option<Vec<f64>> {
    let dtype = comp.dtype();
    if !dtype.is_float() {
        return None;
    }
    let ulp = match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        DType::F64 => 2f64.powi(-52),
        _ => 2f64.powi(-23),
    };
    let reduced = comp.combiner != Combiner::Map;
    let adds = matches!(comp.combiner, Combiner::Sum | Combiner::Prod);
    if !reduced || !adds {
        return None;
    }
    let sizes = Comp { body: Scalar::call(Func::Abs, vec![comp.body.clone()]), ..comp.clone() };
    let sizes = interp::naive::eval_comp(&sizes, operands).unwrap().to_vec_f64();
    let points: i64 = comp.extents().iter().filter_map(Ix::as_const).product();
    let step = if dtype == DType::F64 { 2f64.powi(-52) } else { 2f64.powi(-23) };
    let reach = reach(comp, operands);
    // Beyond what accumulators hold there is no bound.
    let slack = |(s, reach): (&f64, f64)| match reach < 1e30 {
        true => s * (ulp + (points as f64 + 2.0) * step),
        false => f64::INFINITY,
    };
    Some(sizes.iter().zip(reach).map(slack).collect())
}

/// How large a product can get on the way.
fn reach(comp: &Comp, operands: &[Tensor]) -> Vec<f64> {
    let size = Scalar::call(Func::Abs, vec![comp.body.clone()]);
    let body = if comp.combiner == Combiner::Prod { size.maximum(&size.lit(1.0)) } else { size };
    interp::naive::eval_comp(&Comp { body, ..comp.clone() }, operands).unwrap().to_vec_f64()
}

/// Whether a body has functions that are exact only up to a bound.
pub fn inexact(comp: &Comp) -> bool {
    let mut found = false;
    comp.body.visit(&mut |s| {
        found |= matches!(
            s.kind(),
            Kind::Call(Func::Exp | Func::Log | Func::Tanh | Func::Erf | Func::Pow | Func::Sin | Func::Cos, _)
        );
    });
    found
}
