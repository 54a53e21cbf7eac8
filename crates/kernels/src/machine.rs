//! A target, and the kernels of the process.
//!
//! All kernels lie in one cache, whichever machine asks for them: the key is what is baked into the code, that is the
//! form and the instructions that may be used.

use crate::callable::Callable;
use std::borrow::Cow;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::portable::Portable;
use tilewright_codegen::{Emitted, contract, map, movement, nest};
use tilewright_loops::contract::Contract;
use tilewright_loops::map::Map;
use tilewright_loops::movement::Move;
use tilewright_nests::Kernel as Loops;
use tilewright_runtime::code::{CacheUsage, CodeUsage, Kernel, Key, Library, ProfileOptions};
use tilewright_runtime::global::Global;
use tilewright_support::target::{Level, Target};
use tilewright_support::{Code, Diagnostic, Result};

/// Bytes of kernels that are kept although nobody uses them.
const LIMIT: usize = 64 << 20;

static LIBRARY: Global<Library<Baked<'static>, Callable>> = Global::new();

fn library() -> &'static Library<Baked<'static>, Callable> {
    LIBRARY.get_or_build(|| Library::new(LIMIT))
}

/// What the cache of kernels holds and has done, and what the code memory of the process holds.
pub fn usage() -> (CacheUsage, CodeUsage) {
    library().usage()
}

/// Shows the kernels that are emitted from now on to profilers and debuggers.
///
/// # Errors
/// When a file cannot be opened, or for what the system or the build lacks.
pub fn profile(options: &ProfileOptions) -> Result<()> {
    library().memory.profile(options)
}

/// What is baked into a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Baked<'a> {
    /// Without the sizes of caches, which drivers read and kernels do not.
    target: Target,
    form: Form<'a>,
}

/// The forms of kernels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form<'a> {
    Contract(Contract),
    Fused(Contract, Cow<'a, Map>),
    Map(Cow<'a, Map>),
    Move(Move),
    /// Loops without their numbers.
    Nest(Cow<'a, Loops>),
}

impl Key for Baked<'static> {
    type Asked<'a> = &'a Baked<'a>;

    fn is(&self, asked: &Baked<'_>) -> bool {
        self == asked
    }

    fn keep(asked: &Baked<'_>) -> Self {
        let owned = |map: &Cow<'_, Map>| Cow::Owned(map.clone().into_owned());
        let form = match &asked.form {
            Form::Contract(contract) => Form::Contract(*contract),
            Form::Fused(contract, map) => Form::Fused(*contract, owned(map)),
            Form::Map(map) => Form::Map(owned(map)),
            Form::Move(movement) => Form::Move(*movement),
            Form::Nest(loops) => Form::Nest(Cow::Owned(loops.clone().into_owned())),
        };
        Self { target: asked.target, form }
    }
}

impl Baked<'_> {
    /// Machine code, or loops where the target has none for a form.
    fn emit(&self) -> Result<Callable> {
        if self.target.level != Level::Portable {
            match self.code() {
                Ok(emitted) => return publish(&emitted).map(Callable::Code),
                Err(error) if error.code != Code::Unsupported => return Err(error),
                Err(_) => {}
            }
        }
        self.loops().map(|form| Callable::Portable(Arc::new(form)))
    }

    fn code(&self) -> Result<Emitted> {
        let target = &self.target;
        match &self.form {
            Form::Contract(contract) => contract::emit(contract, target),
            Form::Fused(contract, map) => {
                contract::emit_fused(contract, map, target, Registers::of_level(target.level))
            }
            Form::Map(map) => map::emit(map, target),
            Form::Move(movement) => movement::emit(movement, target),
            Form::Nest(loops) => nest::emit(loops, target),
        }
    }

    fn loops(&self) -> Result<Portable> {
        match &self.form {
            Form::Contract(contract) => Portable::contract(contract, self.target.level),
            Form::Fused(contract, map) => Portable::fused(contract, map, self.target.level),
            Form::Map(map) => Portable::map(map, self.target.level),
            Form::Move(movement) => Portable::movement(movement),
            Form::Nest(_) => Err(Diagnostic::unsupported("loops of a kernel without machine code")),
        }
    }
}

fn publish(emitted: &Emitted) -> Result<Arc<Kernel>> {
    library().memory.publish(&emitted.name, &emitted.code.bytes, emitted.code.entry)
}

/// What kernels are emitted for. Each is emitted once in the process, and found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    target: Target,
}

impl Machine {
    /// Kernels for a target; what this machine lacks is taken off it, so that every kernel can be called.
    pub fn new(target: Target) -> Self {
        let here = Target::detect();
        let target = target.at_most(here.level);
        Self { target: Target { vnni: target.vnni && here.vnni, bf16: target.bf16 && here.bf16, ..target } }
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
        self.find(Form::Contract(*form))
    }

    /// A Contract whose sums go through a map.
    ///
    /// # Errors
    /// As [`Machine::contract`], and `Unsupported` for a map that does not fit.
    pub fn fused(&self, form: &Contract, map: &Map) -> Result<Callable> {
        self.find(Form::Fused(*form, Cow::Borrowed(map)))
    }

    /// A map that can be called.
    ///
    /// # Errors
    /// As [`Machine::contract`].
    pub fn map(&self, form: &Map) -> Result<Callable> {
        self.find(Form::Map(Cow::Borrowed(form)))
    }

    /// A Move that can be called.
    ///
    /// # Errors
    /// As [`Machine::contract`].
    pub fn movement(&self, form: &Move) -> Result<Callable> {
        self.find(Form::Move(*form))
    }

    /// The loops of a kernel, given as [`Loops::structure`], with the leaves in them; none where they are no machine code.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn nest(&self, loops: &Loops) -> Result<Option<Callable>> {
        if self.target.level == Level::Portable {
            return Ok(None);
        }
        match self.find(Form::Nest(Cow::Borrowed(loops))) {
            Ok(callable) => Ok(Some(callable)),
            Err(error) if error.code == Code::Unsupported => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn find(&self, form: Form<'_>) -> Result<Callable> {
        let asked = Baked { target: Target { l1: 0, l2: 0, ..self.target }, form };
        library().cache.get_or_emit(&asked, || asked.emit())
    }

    /// Puts machine code that is no form where it can be called; it is not kept.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn publish(&self, emitted: &Emitted) -> Result<Arc<Kernel>> {
        publish(emitted)
    }
}
