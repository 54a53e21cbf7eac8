//! Comprehensions by kernels against their meaning: what kernels give equals the graph interpreter within bounds, and
//! machine code equals the interpreter of kernels bit for bit.

mod random;
mod run;

use random::Random;
use std::collections::BTreeMap;
use tilewright_graph::ops::STRUCTURED;
use tilewright_tensor::Tensor;

/// What is refused, and how often.
#[derive(Default)]
struct Refused(BTreeMap<String, Vec<String>>);

impl Refused {
    fn add(&mut self, reason: &str, about: String) {
        self.0.entry(reason.to_string()).or_default().push(about);
    }

    fn show(&self, of: usize) {
        let mut reasons: Vec<_> = self.0.iter().collect();
        reasons.sort_by_key(|(_, v)| std::cmp::Reverse(v.len()));
        for (reason, all) in reasons {
            println!("{} of {of}: {reason}: {}", all.len(), all[..all.len().min(8)].join(" "));
        }
    }
}

#[test]
fn every_sample_of_every_declaration() {
    let (mut refused, mut all) = (Refused::default(), 0);
    for row in STRUCTURED {
        for (k, sample) in (row.samples)().into_iter().enumerate() {
            let comp = sample.comp.unwrap();
            let about = format!("{}.{k}", row.name);
            for seed in 0..4 {
                let mut random = Random(seed * 7919 + k as u64 + 1);
                let tensor = |t: &tilewright_graph::TensorType| {
                    let shape = t.static_shape().unwrap();
                    let n: usize = shape.iter().product();
                    match t.dtype.is_float() {
                        true => random.tensor(t.dtype, &shape),
                        false => {
                            let values: Vec<i64> = (0..n).map(|_| random.below(3) as i64).collect();
                            Tensor::from_i64(t.dtype, &shape, &values).unwrap()
                        }
                    }
                };
                let operands: Vec<Tensor> = sample.operands.iter().map(tensor).collect();
                all += 1;
                if run::inexact(&comp) {
                    continue;
                }
                if let Err(e) = run::check(&comp, &operands, &mut random, &about) {
                    refused.add(&e.message, about.clone());
                }
            }
        }
    }
    refused.show(all);
}

#[test]
fn random_comprehensions() {
    let count = std::env::var("COMPS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let first = std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut refused = Refused::default();
    for seed in first..first + count {
        let mut random = Random(seed as u64 * 0x9e37_79b9 + 1);
        let case = random::case(&mut random);
        let about = format!("seed {seed}");
        if let Err(e) = run::check(&case.comp, &case.operands, &mut random, &about) {
            refused.add(&e.message, seed.to_string());
        }
    }
    refused.show(count);
}
