//! A target with the kernels that were emitted for it.

use crate::callable::Callable;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::portable::Portable;
use tilewright_codegen::{Emitted, contract, map, movement};
use tilewright_loops::contract::Contract;
use tilewright_loops::map::Map;
use tilewright_loops::movement::Move;
use tilewright_runtime::code::{CodeMemory, Kernel, KernelCache};
use tilewright_support::Result;
use tilewright_support::target::{Level, Target};

/// Bytes of kernels that are kept although nobody uses them.
const LIMIT: usize = 64 << 20;

/// A target, and each kernel that was asked for, emitted once.
pub struct Machine {
    /// What the kernels may use.
    pub target: Target,
    memory: CodeMemory,
    contracts: KernelCache<Contract>,
    fused: KernelCache<(Contract, Map)>,
    maps: KernelCache<Map>,
    moves: KernelCache<Move>,
}

impl Machine {
    /// Kernels for a target, which must be this machine or a plainer one.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            memory: CodeMemory::new(),
            contracts: KernelCache::new(LIMIT),
            fused: KernelCache::new(LIMIT),
            maps: KernelCache::new(LIMIT),
            moves: KernelCache::new(LIMIT),
        }
    }

    /// The kernel of a Contract.
    ///
    /// # Errors
    /// `Unsupported` where the target lacks its instructions; `Limit` where there is no memory for it.
    pub fn contract(&self, contract: &Contract) -> Result<Callable> {
        if self.target.level == Level::Portable {
            return Portable::contract(contract).map(portable);
        }
        code(self.contracts.get_or_emit(contract, || self.publish(&contract::emit(contract, &self.target)?)))
    }

    /// The kernel of a Contract whose sums go through a map.
    ///
    /// # Errors
    /// As [`Machine::contract`], and `Unsupported` for a map that does not fit.
    pub fn fused(&self, contract: &Contract, map: &Map) -> Result<Callable> {
        if self.target.level == Level::Portable {
            return Portable::fused(contract, map).map(portable);
        }
        let key = (*contract, map.clone());
        let registers = Registers::of_level(self.target.level);
        let emit = || self.publish(&contract::emit_fused(contract, map, &self.target, registers)?);
        code(self.fused.get_or_emit(&key, emit))
    }

    /// The kernel of a map.
    ///
    /// # Errors
    /// As [`Machine::contract`].
    pub fn map(&self, map: &Map) -> Result<Callable> {
        if self.target.level == Level::Portable {
            return Portable::map(map).map(portable);
        }
        code(self.maps.get_or_emit(map, || self.publish(&map::emit(map, &self.target)?)))
    }

    /// The kernel of a Move.
    ///
    /// # Errors
    /// As [`Machine::contract`].
    pub fn movement(&self, movement: &Move) -> Result<Callable> {
        if self.target.level == Level::Portable {
            return Portable::movement(movement).map(portable);
        }
        code(self.moves.get_or_emit(movement, || self.publish(&movement::emit(movement, &self.target)?)))
    }

    /// Puts machine code where it can be called.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn publish(&self, emitted: &Emitted) -> Result<Arc<Kernel>> {
        self.memory.publish(&emitted.name, &emitted.code.bytes, emitted.code.entry)
    }
}

fn code(kernel: Result<Arc<Kernel>>) -> Result<Callable> {
    kernel.map(Callable::Code)
}

fn portable(form: Portable) -> Callable {
    Callable::Portable(Arc::new(form))
}
