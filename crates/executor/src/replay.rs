//! A kernel with its arguments in a file, to be run again at any level.
//!
//! ```text
//! tilewright kernel 1 avx512
//! text 431
//! (the text form of the kernel)
//! input 512
//! (bytes of the first argument; one such section for each argument, scratch is none)
//! expected 512
//! (bytes that the loop interpreter gives for the first argument that is written; likewise)
//! ```
//!
//! Every section ends with a line break that does not count. A file of strangers is safe to run: the interpreter goes
//! first, which checks every access.

use crate::different::{Different, arguments, compare};
use crate::watch::Observed;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tilewright_kernels::Machine;
use tilewright_kernels::nest::Nest;
use tilewright_nests::{Buffer as Argument, Form, Kernel, Role, interpret};
use tilewright_runtime::aligned::Buffer;
use tilewright_support::target::{Level, Target};
use tilewright_support::{Code, Diagnostic, Result};

const MAGIC: &str = "tilewright kernel 1 ";

/// The most scratch memory of a kernel that is replayed.
const MOST_SCRATCH: usize = 1 << 30;

/// The most work of a kernel that is replayed: elements, and bytes that every leaf looks through.
const MOST_WORK: u64 = 1 << 36;

/// Runs that are timed, unless they take long.
const RUNS: usize = 21;

/// When no more of them are begun.
const LONG: Duration = Duration::from_millis(200);

/// A kernel and its arguments.
#[derive(Clone, Debug)]
pub struct Replay {
    kernel: Arc<Kernel>,
    level: Level,
    inputs: Vec<Vec<u8>>,
    /// All arguments afterwards, at that level.
    expected: Vec<Vec<u8>>,
}

/// What a kernel did at a level.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The level.
    pub level: Level,
    /// Whether its loops were machine code.
    pub whole: bool,
    /// The time of a run on one thread: the median.
    pub time: Duration,
    /// The time of the loop interpreter.
    pub interpreted: Duration,
    /// What differs from the loop interpreter.
    pub different: Option<Different>,
    /// What differs between the loop interpreter and the file, which knows one level.
    pub unexpected: Option<Different>,
}

impl Replay {
    /// A kernel that was observed, with what the loop interpreter makes of its arguments.
    ///
    /// # Errors
    /// What the interpreter refuses.
    pub fn of(observed: &Observed<'_>) -> Result<Self> {
        let mut expected = observed.before.to_vec();
        interpret(observed.kernel, observed.level, &mut expected)?;
        let (kernel, level) = (observed.kernel.clone(), observed.level);
        Ok(Self { kernel, level, inputs: observed.before.to_vec(), expected })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }

    /// What the loop interpreter gave: all arguments.
    pub fn expected(&self) -> &[Vec<u8>] {
        &self.expected
    }

    /// The contents of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = format!("{MAGIC}{}\n", self.level.name()).into_bytes();
        let mut section = |word: &str, bytes: &[u8]| {
            out.extend_from_slice(format!("{word} {}\n", bytes.len()).as_bytes());
            out.extend_from_slice(bytes);
            out.push(b'\n');
        };
        section("text", self.kernel.to_string().as_bytes());
        self.inputs.iter().for_each(|bytes| section("input", bytes));
        let written = arguments(&self.kernel).zip(&self.expected).filter(|(b, _)| b.role != Role::Read);
        written.for_each(|(_, bytes)| section("expected", bytes));
        out
    }

    /// Reads the contents of a file.
    ///
    /// # Errors
    /// Io, with the byte at which something is wrong; Limit, for kernels that take too long or too much memory.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader { bytes, at: 0 };
        let name = reader.line()?.strip_prefix(MAGIC).ok_or_else(|| reader.error("a kernel to replay was expected"))?;
        let level = Level::named(name).ok_or_else(|| reader.error("there is no such level"))?;
        let text = reader.section("text", None)?;
        let text = std::str::from_utf8(text).map_err(|_| reader.error("the kernel's text is no UTF-8"))?;
        let kernel = Kernel::parse(text).map_err(|mut e| {
            e.code = Code::Io;
            e.note("in the text of the kernel")
        })?;
        admit(&kernel)?;
        let read = |b: &Argument| reader.section("input", Some(b.bytes)).map(<[u8]>::to_vec);
        let inputs = arguments(&kernel).map(read).collect::<Result<Vec<_>>>()?;
        let mut expected = inputs.clone();
        for (b, bytes) in arguments(&kernel).zip(&mut expected).filter(|(b, _)| b.role != Role::Read) {
            *bytes = reader.section("expected", Some(b.bytes))?.to_vec();
        }
        if reader.at < bytes.len() {
            return Err(reader.error("something follows the end"));
        }
        Ok(Self { kernel: Arc::new(kernel), level, inputs, expected })
    }

    /// Runs it at every level of this machine.
    ///
    /// # Errors
    /// As [`interpret`] and [`Nest::new`].
    pub fn run(&self) -> Result<Vec<Replayed>> {
        let here = Target::detect();
        let levels = Level::ALL.into_iter().filter(|l| *l <= here.level);
        levels.map(|level| self.run_at(&Machine::new(here.at_most(level)))).collect()
    }

    fn run_at(&self, machine: &Machine) -> Result<Replayed> {
        let level = machine.target().level;
        let (begun, mut want) = (Instant::now(), self.inputs.clone());
        interpret(&self.kernel, level, &mut want)?;
        let interpreted = begun.elapsed();
        let nest = Nest::new(machine, self.kernel.clone())?;
        let (got, time) = self.measure(&nest)?;
        Ok(Replayed {
            level,
            whole: nest.is_whole(),
            time,
            interpreted,
            different: compare(&self.kernel, &got, &want),
            unexpected: compare(&self.kernel, &want, &self.expected).filter(|_| level == self.level),
        })
    }

    /// What the first run gave, and the median of the times of all.
    fn measure(&self, nest: &Nest) -> Result<(Vec<Vec<u8>>, Duration)> {
        let mut scratch = Buffer::zeroed(self.kernel.scratch())?;
        let buffers = arguments(&self.kernel).map(|b| Buffer::zeroed(b.bytes));
        let mut buffers = buffers.collect::<Result<Vec<Buffer>>>()?;
        let (mut got, mut times, begun) = (None, Vec::new(), Instant::now());
        while times.is_empty() || (times.len() < RUNS && begun.elapsed() < LONG) {
            buffers.iter_mut().zip(&self.inputs).for_each(|(b, from)| b.bytes_mut().copy_from_slice(from));
            let addresses: Vec<*mut u8> = buffers.iter_mut().map(Buffer::as_mut_ptr).collect();
            let start = Instant::now();
            // SAFETY: the arguments are as long as the kernel says, each in memory of its own. The kernel is verified,
            // and its interpretation on the same bytes found all that depends on these in range.
            unsafe { nest.run(&addresses, 0..self.kernel.iterations(), scratch.as_mut_ptr()) };
            times.push(start.elapsed());
            got.get_or_insert_with(|| buffers.iter().map(|b| b.bytes().to_vec()).collect());
        }
        times.sort_unstable();
        Ok((got.unwrap_or_default(), times[times.len() / 2]))
    }
}

/// Refuses kernels that take too much.
fn admit(kernel: &Kernel) -> Result<()> {
    let scratch = kernel
        .buffers
        .iter()
        .filter(|b| b.role == Role::Scratch)
        .fold(0usize, |n, b| n.saturating_add(b.bytes).saturating_add(64));
    if scratch > MOST_SCRATCH {
        return Err(Diagnostic::limit(format!("the kernel has more than {MOST_SCRATCH} bytes of scratch memory")));
    }
    let mut work = 0u64;
    kernel.leaves(&mut |loops, leaf| {
        let times = loops.iter().fold(1u64, |n, l| n.saturating_mul(l.trips as u64));
        let elements = leaf.sizes.iter().fold(1u64, |n, s| n.saturating_mul(s.largest().max(1) as u64));
        let elements = match &leaf.form {
            Form::Map(map) => elements.saturating_mul(map.stages.len().max(1) as u64),
            Form::Move(_) | Form::Block(_) => elements,
        };
        // The interpreter copies the whole of a buffer in which it finds elements or rows by number.
        let flat = |o: usize| matches!(&leaf.form, Form::Map(map) if map.operands[o].is_flat());
        let sought = leaf.operands.iter().enumerate().filter(|(o, access)| access.indices.is_some() || flat(*o));
        let bytes = sought.map(|(_, access)| kernel.buffers[access.buffer].bytes as u64 / 16);
        let once = bytes.fold(elements, u64::saturating_add);
        work = work.saturating_add(times.saturating_mul(once));
    });
    if work > MOST_WORK { Err(Diagnostic::limit("the kernel takes too long to be interpreted")) } else { Ok(()) }
}

/// What is left of a file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, what: &str) -> Box<Diagnostic> {
        Diagnostic::io(format!("at byte {}: {what}", self.at))
    }

    fn line(&mut self) -> Result<&'a str> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().take(100).position(|b| *b == b'\n').ok_or_else(|| self.error("a line was expected"))?;
        let line = std::str::from_utf8(&rest[..end]).map_err(|_| self.error("a line of text was expected"))?;
        self.at += end + 1;
        Ok(line)
    }

    /// A section, of that length if it is known.
    fn section(&mut self, word: &str, length: Option<usize>) -> Result<&'a [u8]> {
        let begun = self.at;
        let number = self.line()?.strip_prefix(word).and_then(|n| n.strip_prefix(' ')?.parse::<usize>().ok());
        let fits = number.filter(|n| length.is_none_or(|l| l == *n));
        let Some(number) = fits else {
            self.at = begun;
            let length = length.map_or_else(|| "its length".into(), |l| l.to_string());
            return Err(self.error(&format!("`{word} {length}` was expected")));
        };
        let rest = &self.bytes[self.at..];
        let Some(bytes) = rest.get(..number).filter(|_| rest.get(number) == Some(&b'\n')) else {
            return Err(self.error(&format!("{number} bytes and a line break were expected")));
        };
        self.at += number + 1;
        Ok(bytes)
    }
}
