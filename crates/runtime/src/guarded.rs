//! Locks that a fork never finds taken.

use crate::global::{Global, Part, Release};
use std::sync::{Mutex, PoisonError, RwLock};

static GATE: Global<Gate> = Global::new();

/// Shared by those who hold a [`Guarded`] value, held alone over a fork.
struct Gate(RwLock<()>);

impl Part for Gate {
    fn hold(&'static self) -> Release {
        let held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Box::new(move |_| drop(held))
    }
}

/// A value that threads take in turns, for a short time. In the child of a fork nobody has it.
#[derive(Debug, Default)]
pub struct Guarded<T>(Mutex<T>);

impl<T> Guarded<T> {
    /// A guarded value.
    pub fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Runs `body` on the value, while no other thread has it. The body takes no other guarded value.
    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        let gate = GATE.get_or_build(|| Gate(RwLock::new(())));
        let _held = gate.0.read().unwrap_or_else(PoisonError::into_inner);
        body(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_take_turns() {
        let count = Guarded::new(0u64);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| count.with(|n| *n += 1)));
            }
        });
        assert_eq!(count.with(|n| *n), 40_000);
    }

    #[test]
    fn a_panic_inside_leaves_it_usable() {
        let value = Guarded::new(1);
        let inside = std::panic::AssertUnwindSafe(|| value.with(|_| panic!("inside")));
        assert!(std::panic::catch_unwind(inside).is_err());
        assert_eq!(value.with(|n| *n), 1);
    }
}
