//! What follows the sums of a product.

use crate::callable::Callable;
use crate::leaf::{Leaf, OPERANDS, Reach};
use crate::machine::Machine;
use tilewright_codegen::contract;
use tilewright_loops::block::Step;
use tilewright_loops::contract::{Contract, Product};
use tilewright_loops::map::{Map, Operand, Program};
use tilewright_support::{Diagnostic, Result};

/// Kernels by rows (whole tiles, the rest) and vectors (whole, the rest).
pub(crate) type Kernels = [[Option<Callable>; 2]; 2];

/// What becomes of the sums.
#[derive(Debug)]
pub(crate) enum After {
    /// They are stored.
    Nothing,
    /// They go through a map while they are in registers: the map, and the kernels that end with it.
    Registers(Map, Box<Kernels>),
    /// A map runs over what is stored, as soon as all that it has to see is there.
    Leaf(Leaf),
}

/// The most operations over all sums of a tile that run in registers: more take too long to emit.
const LONGEST: usize = 650;

impl After {
    /// Chooses, for tiles of so many sums; `emit` gives the kernels that a contract's kernel is made by.
    ///
    /// # Errors
    /// `Unsupported` for a map that no kernel runs, or whose operand 0 is not the sums.
    pub(crate) fn new(
        machine: &Machine,
        (product, sums): (Product, usize),
        map: &Map,
        emit: impl Fn(&dyn Fn(&Contract) -> Result<Callable>) -> Result<Kernels>,
    ) -> Result<Self> {
        Leaf::check(map)?;
        if map.operands.first() != Some(&Operand::tile(product.c())) {
            return Err(Diagnostic::unsupported("after a product, a map whose operand 0 is not the sums"));
        }
        let program = Program::for_level(map, machine.target().level)?;
        let steps = program.passes.iter().flat_map(|pass| pass.block.steps());
        let operations = steps.filter(|(step, _)| matches!(step, Step::Prim(..))).count();
        if operations * sums <= LONGEST && contract::fuses(product, map, &machine.target()).is_ok() {
            let kernels = emit(&|contract| machine.fused(contract, map))?;
            return Ok(Self::Registers(map.clone(), Box::new(kernels)));
        }
        Leaf::new(machine, map).map(Self::Leaf)
    }

    /// The map.
    pub(crate) fn map(&self) -> Option<&Map> {
        match self {
            Self::Nothing => None,
            Self::Registers(map, _) => Some(map),
            Self::Leaf(leaf) => Some(&leaf.map),
        }
    }

    /// The map, if it runs when so much is there.
    pub(crate) fn leaf(&self, reach: Reach) -> Option<&Leaf> {
        if let Self::Leaf(leaf) = self { Some(leaf).filter(|leaf| leaf.reach == reach) } else { None }
    }

    /// Arguments of a kernel beyond those of the Contract, at most.
    pub(crate) const ARGS: usize = 3 * OPERANDS + 2;
}
