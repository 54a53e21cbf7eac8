//! Names of maps in profiles: what is done, in order.

use super::{Map, Operand, Sink};
use tilewright_scalar::{Func, Kind, Scalar};

/// The bytes after which a name ends with the next word.
const LONGEST: usize = 48;

impl Map {
    /// A name of the functions in it, the innermost first: `map_bias_relu`.
    pub fn name(&self) -> String {
        let mut name = String::from("map");
        for sink in self.stages.iter().flat_map(|s| &s.sinks) {
            match sink {
                Sink::Store { value, .. } => self.describe(value, &mut name),
                Sink::Reduce { combiner, value } => {
                    name += combiner.name();
                    self.describe(value, &mut name);
                }
            }
        }
        name
    }

    /// The name of a kernel that this map ends: `contract_f32_8x48_bias_relu`.
    pub fn name_after(&self, kernel: &str) -> String {
        [kernel, self.name().trim_start_matches("map")].concat()
    }

    fn describe(&self, value: &Scalar, name: &mut String) {
        let (parts, word) = match value.kind() {
            Kind::Call(func, args) => (&args[..], self.word(*func, args)),
            Kind::Where(_, one, _) => (std::slice::from_ref(one), "where"),
            Kind::Const(_) | Kind::Index(_) | Kind::Read(..) => return,
        };
        // What many share is described each time, so there has to be an end.
        for part in parts {
            if name.len() < LONGEST {
                self.describe(part, name);
            }
        }
        if name.len() < LONGEST {
            *name += "_";
            *name += word;
        }
    }

    /// What a function is called by those who use it so.
    fn word(&self, func: Func, args: &[Scalar]) -> &'static str {
        let row = |operand: &Operand| *operand == Operand::row(operand.dtype);
        let of_row = |arg: &Scalar| match arg.kind() {
            Kind::Read(operand, _) => self.operands.get(*operand as usize).is_some_and(row),
            _ => false,
        };
        match func {
            Func::Max if args.iter().any(|arg| arg.is(0.0)) => "relu",
            Func::Add if args.iter().any(of_row) => "bias",
            _ => func.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_tensor::DType;

    #[test]
    fn names_say_what_is_done() {
        let (tile, row) = (Operand::tile(DType::F32), Operand::row(DType::F32));
        let map = Map { operands: vec![tile, row, tile], ..Map::default() };
        let sum = map.read(0) + map.read(1);
        let value = Scalar::call(Func::Max, vec![sum.clone(), sum.lit(0.0)]);
        let known = map.clone().stage([Sink::Store { operand: 2, value }]);
        assert_eq!(known.name(), "map_bias_relu");
        assert_eq!(known.name_after("contract_f32_8x48"), "contract_f32_8x48_bias_relu");
        // Shared many times over: the name ends.
        let value = (0..60).fold(sum, |x, _| &x * &(&x + &x));
        assert!(map.stage([Sink::Store { operand: 2, value }]).name().len() < LONGEST + 16);
    }
}
