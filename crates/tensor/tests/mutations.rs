//! Files with random damage: each is read, or refused with a diagnostic; none panics, hangs or grows.
use tilewright_tensor::{DType, Map, Tensor, Value, npy, pb};

/// Damaged copies of each file.
const ROUNDS: usize = 40_000;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    /// The file with a few bytes changed, removed, doubled or inserted.
    fn damage(&mut self, file: &[u8]) -> Vec<u8> {
        const STRIKING: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, b'9', b'\'', b','];
        let mut damaged = file.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(damaged.len().max(1));
            let byte = if self.below(2) == 0 { STRIKING[self.below(8)] } else { self.below(256) as u8 };
            match self.below(4) {
                0 if at < damaged.len() => damaged[at] = byte,
                1 => damaged.truncate(at),
                2 => damaged.extend_from_within(at.min(damaged.len())..),
                _ => damaged.insert(at.min(damaged.len()), byte),
            }
        }
        damaged
    }
}

fn tensors() -> Vec<Tensor> {
    let strings = ["", "ab", "ö"].map(String::from).to_vec();
    vec![
        Tensor::from_vec(&[2, 3], vec![1.0f32; 6]).unwrap(),
        Tensor::from_i64(DType::I64, &[], &[7]).unwrap(),
        Tensor::from_i64(DType::I4, &[3], &[1, -2, 3]).unwrap(),
        Tensor::from_strings(&[3], strings).unwrap(),
        Tensor::zeros(DType::U8, &[0, 4]).unwrap(),
    ]
}

#[test]
fn damaged_npy_files() {
    let mut random = Random(1);
    for file in tensors().iter().filter_map(|t| npy::write(t).ok()) {
        for _ in 0..ROUNDS {
            let damaged = random.damage(&file);
            if let Ok(tensor) = npy::read(damaged.into()) {
                assert!(tensor.bytes().len() <= file.len() * 16);
            }
        }
    }
}

#[test]
fn damaged_pb_files() {
    let mut random = Random(2);
    let tensors: Vec<Value> = tensors().into_iter().map(Value::Tensor).collect();
    let keys = Tensor::from_i64(DType::I32, &[2], &[1, 2]).unwrap();
    let map = Value::Map(Map { keys, values: tensors[..2].to_vec() });
    let sequence = Value::Sequence(vec![Value::Sequence(tensors.clone()), Value::Sequence(vec![])]);
    let optional = Value::Optional(Some(Box::new(sequence.clone())));
    let mut files: Vec<(pb::Kind, Value)> = tensors.into_iter().map(|t| (pb::Kind::Tensor, t)).collect();
    files.extend([(pb::Kind::Map, map), (pb::Kind::Sequence, sequence), (pb::Kind::Optional, optional)]);
    for (kind, value) in files {
        let file = pb::encode(&value).unwrap();
        for _ in 0..ROUNDS {
            if let Ok(value) = pb::decode(kind, random.damage(&file).into()) {
                // What was read can be written, and read again.
                let again = pb::encode(&value).unwrap();
                assert_eq!(pb::decode(kind, again.into()).unwrap(), value);
            }
        }
    }
}
