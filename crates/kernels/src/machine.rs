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
use tilewright_support::target::{Level, Target};
use tilewright_support::{Code, Result};

/// Bytes of kernels that are kept although nobody uses them.
const LIMIT: usize = 64 << 20;

/// A target, and each kernel that was asked for, emitted once.
pub struct Machine {
    target: Target,
    memory: CodeMemory,
    contracts: KernelCache<Contract>,
    fused: KernelCache<(Contract, Map)>,
    maps: KernelCache<Map>,
    moves: KernelCache<Move>,
}

impl Machine {
    /// Kernels for a target; what this machine lacks is taken off it, so that every kernel can be called.
    pub fn new(target: Target) -> Self {
        let here = Target::detect();
        let target = target.at_most(here.level);
        let target = Target { vnni: target.vnni && here.vnni, bf16: target.bf16 && here.bf16, ..target };
        Self {
            target,
            memory: CodeMemory::new(),
            contracts: KernelCache::new(LIMIT),
            fused: KernelCache::new(LIMIT),
            maps: KernelCache::new(LIMIT),
            moves: KernelCache::new(LIMIT),
        }
    }

    /// What the kernels may use.
    pub fn target(&self) -> Target {
        self.target
    }

    /// A Contract that can be called.
    ///
    /// # Errors
    /// `Unsupported` for a tile that no target has; `Limit` where there is no memory for it.
    pub fn contract(&self, form: &Contract) -> Result<Callable> {
        let emit = || self.contracts.get_or_emit(form, || self.publish(&contract::emit(form, &self.target)?));
        self.callable(emit, || Portable::contract(form, self.target.level))
    }

    /// A Contract whose sums go through a map.
    ///
    /// # Errors
    /// As [`Machine::contract`], and `Unsupported` for a map that does not fit.
    pub fn fused(&self, form: &Contract, map: &Map) -> Result<Callable> {
        let registers = Registers::of_level(self.target.level);
        let publish = || self.publish(&contract::emit_fused(form, map, &self.target, registers)?);
        let emit = || self.fused.get_or_emit(&(*form, map.clone()), publish);
        self.callable(emit, || Portable::fused(form, map, self.target.level))
    }

    /// A map that can be called.
    ///
    /// # Errors
    /// As [`Machine::contract`].
    pub fn map(&self, form: &Map) -> Result<Callable> {
        let emit = || self.maps.get_or_emit(form, || self.publish(&map::emit(form, &self.target)?));
        self.callable(emit, || Portable::map(form))
    }

    /// A Move that can be called.
    ///
    /// # Errors
    /// As [`Machine::contract`].
    pub fn movement(&self, form: &Move) -> Result<Callable> {
        let emit = || self.moves.get_or_emit(form, || self.publish(&movement::emit(form, &self.target)?));
        self.callable(emit, || Portable::movement(form))
    }

    /// Machine code, or loops where the target has none for a form.
    fn callable(
        &self,
        emit: impl FnOnce() -> Result<Arc<Kernel>>,
        loops: impl FnOnce() -> Result<Portable>,
    ) -> Result<Callable> {
        if self.target.level != Level::Portable {
            match emit() {
                Ok(kernel) => return Ok(Callable::Code(kernel)),
                Err(error) if error.code != Code::Unsupported => return Err(error),
                Err(_) => {}
            }
        }
        loops().map(|form| Callable::Portable(Arc::new(form)))
    }

    /// Puts machine code where it can be called.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn publish(&self, emitted: &Emitted) -> Result<Arc<Kernel>> {
        self.memory.publish(&emitted.name, &emitted.code.bytes, emitted.code.entry)
    }
}
