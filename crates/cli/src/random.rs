//! Random inputs: shapes from declarations and options, values from a seed.

use crate::args::RandomArgs;
use std::collections::HashMap;
use tilewright::{DType, Diagnostic, Result, Tensor, Value, ValueSpec};

/// Elements that a random input may have.
const MOST_ELEMENTS: usize = 1 << 31;

impl RandomArgs {
    /// Random values for the inputs, in their order.
    ///
    /// # Errors
    /// As [`RandomArgs::shapes`]; `Usage` for inputs that are no tensors of numbers.
    pub fn values(&self, specs: &[ValueSpec]) -> Result<Vec<(String, Value)>> {
        let shapes = self.shapes(specs)?;
        let mut rng = Rng(self.seed().unwrap_or(0));
        let values =
            specs.iter().zip(shapes).map(|(spec, shape)| Ok((spec.name.clone(), value(spec, &shape, &mut rng)?)));
        values.collect()
    }

    /// The shapes of random values: as `--shape` says, as declared, or by default; a symbol has one size.
    ///
    /// # Errors
    /// `Usage` for a shape of no input, one that is no shape, and one that contradicts the declaration.
    pub fn shapes(&self, specs: &[ValueSpec]) -> Result<Vec<Vec<usize>>> {
        if self.seed().is_none() {
            return Ok(Vec::new());
        }
        let mut given = HashMap::new();
        for text in &self.shape {
            let (name, shape) = parse(text, specs)?;
            if given.insert(name.clone(), shape).is_some() {
                return Err(Diagnostic::usage(format!("input \"{name}\" is given two shapes")));
            }
        }
        let mut symbols = HashMap::new();
        for spec in specs {
            if let (Some(dims), Some(shape)) = (&spec.dims, given.get(&spec.name)) {
                learn(spec, dims, shape, &mut symbols)?;
            }
        }
        let shape = |spec: &ValueSpec| match (given.get(&spec.name), &spec.dims) {
            (Some(shape), _) => Ok(shape.clone()),
            (None, Some(dims)) => Ok(complete(dims, &mut symbols)),
            (None, None) => {
                let help = format!("give --shape {}=DIMS", spec.name);
                Err(Diagnostic::usage(format!("the model declares no shape for input \"{}\"", spec.name)).help(help))
            }
        };
        specs.iter().map(shape).collect()
    }
}

/// Reads `NAME=2x3`; `NAME=` is a scalar.
fn parse(text: &str, specs: &[ValueSpec]) -> Result<(String, Vec<usize>)> {
    let wrong = || Diagnostic::usage(format!("`{text}` is no shape")).help("write NAME=1x3x224x224");
    let (name, dims) = text.rsplit_once('=').ok_or_else(wrong)?;
    if specs.iter().all(|spec| spec.name != name) {
        let names: Vec<&str> = specs.iter().map(|s| s.name.as_str()).collect();
        let help = format!("inputs with random values: {}", names.join(", "));
        return Err(Diagnostic::usage(format!("--shape names \"{name}\", which gets no random value")).help(help));
    }
    let sizes = if dims.is_empty() { Vec::new() } else { dims.split(['x', ',']).collect() };
    let sizes = sizes.into_iter().map(|d| d.trim().parse().map_err(|_| wrong()));
    Ok((name.to_string(), sizes.collect::<Result<_>>()?))
}

/// Compares a given shape with the declared dims and notes the sizes of symbols.
fn learn(spec: &ValueSpec, dims: &[String], shape: &[usize], symbols: &mut HashMap<String, usize>) -> Result<()> {
    let unfit = || Diagnostic::usage(format!("--shape {}={shape:?} does not fit {}", spec.name, spec.ty));
    if dims.len() != shape.len() {
        return Err(unfit());
    }
    for (dim, &size) in dims.iter().zip(shape) {
        let wanted = dim.parse().ok().or_else(|| symbols.get(dim).copied());
        if wanted.is_some_and(|w: usize| w != size) {
            return Err(unfit());
        }
        if dim != "?" {
            symbols.insert(dim.clone(), size);
        }
    }
    Ok(())
}

/// Sizes for declared dims.
fn complete(dims: &[String], symbols: &mut HashMap<String, usize>) -> Vec<usize> {
    let size = |(axis, dim): (usize, &String)| {
        let default = match (axis, dims.len()) {
            (0, _) => 1,
            (_, 4) => 224,
            _ => 128,
        };
        match dim.parse() {
            Ok(fixed) => fixed,
            Err(_) if dim == "?" => default,
            Err(_) => *symbols.entry(dim.clone()).or_insert(default),
        }
    };
    dims.iter().enumerate().map(size).collect()
}

fn value(spec: &ValueSpec, shape: &[usize], rng: &mut Rng) -> Result<Value> {
    let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= MOST_ELEMENTS);
    let count = count.ok_or_else(|| Diagnostic::limit(format!("a random input of shape {shape:?} is too large")))?;
    let name = spec.name.to_lowercase();
    let tensor = match spec.dtype {
        Some(dtype) if dtype.is_float() => {
            Tensor::from_f64(dtype, shape, &(0..count).map(|_| rng.normal()).collect::<Vec<_>>())?
        }
        Some(dtype) if dtype.is_int() || dtype == DType::Bool => {
            let last = shape.last().map_or(1, |&n| n.max(1));
            let values: Vec<i64> = (0..count).map(|i| integer(&name, dtype, i % last, rng)).collect();
            Tensor::from_i64(dtype, shape, &values)?
        }
        _ => {
            let message = format!("input \"{}\" is {}, for which there are no random values", spec.name, spec.ty);
            return Err(Diagnostic::usage(message).help(format!("give --input {}=FILE", spec.name)));
        }
    };
    Ok(tensor.into())
}

/// An integer or bool for an input of that name, at that place of the last axis.
fn integer(name: &str, dtype: DType, place: usize, rng: &mut Rng) -> i64 {
    let most = match dtype.bits() {
        2 => 1,
        4 => 7,
        _ => 99,
    };
    match () {
        () if dtype == DType::Bool || name.contains("mask") => 1,
        () if name.contains("type") => 0,
        () if name.contains("position") => place as i64,
        () => (rng.next() % (most + 1)) as i64,
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1].
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, dtype: DType, dims: &[&str]) -> ValueSpec {
        let dims = Some(dims.iter().map(|d| d.to_string()).collect());
        ValueSpec { name: name.into(), ty: "as declared".into(), dtype: Some(dtype), dims, kinds: Vec::new() }
    }

    fn args(shape: &[&str]) -> RandomArgs {
        RandomArgs { random: Some(7), shape: shape.iter().map(|s| s.to_string()).collect() }
    }

    #[test]
    fn symbols_have_one_size() {
        let specs = [spec("a", DType::F32, &["N", "3", "H", "H"]), spec("b:0", DType::I64, &["N", "T"])];
        assert_eq!(args(&[]).shapes(&specs).unwrap(), [vec![1, 3, 224, 224], vec![1, 128]]);
        assert_eq!(args(&["b:0=2x5"]).shapes(&specs).unwrap(), [vec![2, 3, 224, 224], vec![2, 5]]);
        for wrong in ["a=2x3x4x5", "a=2x3", "c=1", "a=x=1", "a", "a=1x4x2x2", "a=-1x3x2x2"] {
            assert!(args(&[wrong]).shapes(&specs).is_err(), "{wrong}");
        }
        let scalar = spec("s", DType::F32, &[]);
        assert_eq!(args(&["s="]).shapes(&[scalar]).unwrap(), [vec![0; 0]]);
    }

    #[test]
    fn values_follow_seed_and_name() {
        let specs = [
            spec("x", DType::F32, &["2", "500"]),
            spec("attention_mask", DType::I64, &["1", "3"]),
            spec("position_ids", DType::I64, &["2", "3"]),
            spec("token_type_ids", DType::I64, &["1", "3"]),
        ];
        let values = args(&[]).values(&specs).unwrap();
        assert_eq!(values, args(&[]).values(&specs).unwrap());
        let tensor = |i: usize| values[i].1.as_tensor().unwrap().to_vec_f64();
        let mean = tensor(0).iter().sum::<f64>() / 1000.0;
        assert!(mean.abs() < 0.15, "{mean}");
        assert_eq!(tensor(1), [1.0, 1.0, 1.0]);
        assert_eq!(tensor(2), [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
        assert_eq!(tensor(3), [0.0; 3]);
        assert!(args(&[]).values(&[spec("s", DType::String, &["1"])]).is_err());
    }
}
