//! Constants that steps made, shared by all plans of the process.
//!
//! One is found by its *recipe*: the kernels that made it and the constants, by their identity, that these read. So
//! a plan for other sizes, or another session of the same model, packs nothing again. What another recipe made, as that
//! of the same model loaded once more, is found by its contents, and kept once.

use crate::constants::Constants;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Arc, Weak};
use tilewright_lower::{Module, SlotId, Source, Step, Work};
use tilewright_runtime::global::{Global, Part, Release};
use tilewright_runtime::guarded::Guarded;
use tilewright_tensor::Tensor;

static MADE: Global<Cache> = Global::new();

/// Constants smaller than this are not worth sharing.
const SMALL: usize = 1 << 10;

/// A constant that kernels made.
#[derive(Debug)]
pub struct Made {
    pub tensor: Tensor,
    /// What it is made of: while it is there nothing else has their identity.
    _sources: Vec<Tensor>,
}

/// Two hashes by secret seeds: no model can be made to meet another one's.
type Key = [u64; 2];

struct Cache {
    seeds: [RandomState; 2],
    made: Guarded<HashMap<Key, Weak<Made>>>,
}

impl Part for Cache {
    /// The map is guarded.
    fn hold(&'static self) -> Release {
        Box::new(|_| ())
    }
}

impl Cache {
    fn key(&self, of: impl Hash) -> Key {
        [0, 1].map(|n| self.seeds[n].hash_one(&of))
    }

    fn find(&self, key: &Key) -> Option<Arc<Made>> {
        self.made.with(|made| made.get(key)?.upgrade())
    }

    fn keep(&self, key: Key, constant: &Arc<Made>) {
        self.made.with(|made| {
            if made.len() == made.capacity() {
                made.retain(|_, m| m.strong_count() > 0);
            }
            made.insert(key, Arc::downgrade(constant));
        });
    }

    /// A key of what a tensor holds, from a part of its bytes.
    fn sample(&self, tensor: &Tensor) -> Key {
        let bytes = tensor.bytes();
        let step = (bytes.len() / 64).max(1);
        let some: Vec<u8> = bytes.iter().step_by(step).copied().collect();
        self.key((tensor.dtype(), tensor.shape(), some))
    }
}

fn cache() -> &'static Cache {
    MADE.get_or_build(|| Cache { seeds: [RandomState::new(), RandomState::new()], made: Guarded::default() })
}

/// How the slots of a module come to be, of those that kernels make of constants.
pub struct Recipes {
    keys: Vec<Option<Key>>,
    sources: Vec<Vec<SlotId>>,
}

impl Recipes {
    /// For kernels that are made for a machine of this name.
    pub fn of(module: &Module, constants: &Constants, machine: &str) -> Self {
        let cache = cache();
        let count = module.slots.len();
        let mut recipes = Self { keys: vec![None; count], sources: vec![Vec::new(); count] };
        for (n, slot) in module.slots.iter().enumerate() {
            match &slot.source {
                Source::Constant(t) if t.strings().is_none() => {
                    recipes.keys[n] = Some(cache.key((t.dtype(), t.shape(), t.identity())));
                    recipes.sources[n].push(SlotId(n));
                }
                Source::Memory => recipes.keys[n] = Some(cache.key(machine)),
                _ => {}
            }
        }
        module.steps.iter().filter(|step| constants.done(step)).for_each(|step| recipes.step(module, step));
        recipes
    }

    fn step(&mut self, module: &Module, step: &Step) {
        let read: Option<Vec<Key>> = step.reads.iter().map(|r| self.keys[module.root(*r).0]).collect();
        let sources: Vec<SlotId> =
            step.reads.iter().flat_map(|r| self.sources[module.root(*r).0].iter().copied()).collect();
        for (w, slot) in step.writes.iter().enumerate() {
            let SlotId(slot) = module.root(*slot);
            self.keys[slot] = match (&step.work, &read, self.keys[slot]) {
                (Work::Kernel(kernel), Some(read), Some(before)) => Some(cache().key((before, kernel, read, w))),
                _ => None,
            };
            self.sources[slot].extend(&sources);
        }
    }

    /// The constant of a slot, if a plan has it.
    pub fn find(&self, SlotId(slot): SlotId) -> Option<Arc<Made>> {
        cache().find(&self.keys[slot]?)
    }

    /// Lets other plans find what was made for a slot; gives what they made if it is the same.
    pub fn share(&self, module: &Module, SlotId(slot): SlotId, tensor: Tensor) -> Option<Arc<Made>> {
        let key = self.keys[slot].filter(|_| tensor.byte_len() >= SMALL)?;
        let sample = cache().sample(&tensor);
        let same = cache().find(&sample).filter(|m| m.tensor == tensor);
        let sources = self.sources[slot].iter().filter_map(|s| match &module.slots[s.0].source {
            Source::Constant(t) => Some(t.clone()),
            _ => None,
        });
        // The addresses of this recipe must stay taken too, so it gets an entry of its own over the same bytes.
        let tensor = same.map_or(tensor, |m| m.tensor.clone());
        let made = Arc::new(Made { tensor, _sources: sources.collect() });
        cache().keep(key, &made);
        cache().keep(sample, &made);
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arenas, Executable, Settings};
    use std::sync::Arc;
    use tilewright_graph::{Builder, Type};
    use tilewright_kernels::Machine;
    use tilewright_support::target::Target;
    use tilewright_tensor::ix::Ix;
    use tilewright_tensor::{DType, Tensor, Value};

    /// An executable of `x + tanh(constant)` that has run.
    fn executable(constant: &Tensor) -> Executable {
        let mut b = Builder::new();
        let x = b.input("x", Type::tensor(DType::F32, vec![Ix::sym("n"), Ix::konst(1024)]));
        let c = b.constant(constant.clone());
        let made = b.map(&[c], |a| a[0].tanh()).unwrap();
        let y = b.map(&[x, made], |a| &a[0] + &a[1]).unwrap();
        let machine = Machine::new(Target::detect());
        let (arenas, trial) = (Arc::new(Arenas::default()), crate::trial::Trial::default());
        let settings = Settings { machine, threads: 1, arenas, trial };
        let executable = Executable::new(Arc::new(b.finish(&[y])), settings);
        for n in [1, 3] {
            let x = Tensor::zeros(DType::F32, &[n, 1024]).unwrap();
            executable.run(&[Value::Tensor(x)]).unwrap();
        }
        executable
    }

    /// Where its plans have what was made of the constant.
    fn addresses(executable: &Executable) -> Vec<*const u8> {
        executable
            .plans()
            .flat_map(|p| p._shared.iter().map(|m| m.tensor.bytes().as_ptr()).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn what_is_made_of_constants_is_there_once() {
        let constant = Tensor::full(&[1024], 0.25f32).unwrap();
        let first = executable(&constant);
        let [a, b] = addresses(&first)[..] else { panic!("two plans") };
        assert_eq!(a, b);
        assert_eq!(addresses(&executable(&constant)), [a, a]);
        let again = Tensor::full(&[1024], 0.25f32).unwrap();
        assert_eq!(addresses(&executable(&again)), [a, a]);
        let other = Tensor::full(&[1024], 0.5f32).unwrap();
        assert!(addresses(&executable(&other)).iter().all(|o| *o != a));
    }
}
