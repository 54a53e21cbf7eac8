//! Kernels over rows, beside those of a library of C functions if there is one.

use crate::turns::{PAIRS, pair};
use std::ffi::CString;
use std::fmt::Write as _;
use tilewright_kernels::{Machine, maps};
use tilewright_loops::map::Map;
use tilewright_tensor::DType;

/// A function of C: addresses of the tiles, rows, columns.
type Function = unsafe extern "C" fn(*const *const u8, usize, usize);

/// The names of the functions that do what a map of the report does.
const NAMES: [(&str, &str); 5] = [
    ("add + relu", "add_relu"),
    ("bias + gelu", "bias_gelu"),
    ("softmax", "softmax"),
    ("layer norm", "layernorm"),
    ("dequantize + gelu + quantize", "dq_gelu_q"),
];

const COLUMNS: usize = 768;

/// Tiles start at different places of their pages: a load must not wait for a store to another page whose address ends
/// alike.
const PAGE: usize = 4096;
const APART: usize = 21 * 64;

/// Memory of the operands of a map.
struct Tiles {
    memory: Vec<Vec<u64>>,
    rows: usize,
}

impl Tiles {
    fn new(map: &Map, rows: usize) -> Self {
        let tile = |dtype: DType| {
            let mut words = vec![0u64; rows * COLUMNS * dtype.bits() / 64 + 2 * PAGE / 8];
            words.iter_mut().enumerate().for_each(|(at, word)| *word = word_of(dtype, at));
            words
        };
        Self { memory: map.operands.iter().map(|operand| tile(operand.dtype)).collect(), rows }
    }

    fn addresses(&self) -> Vec<*const u8> {
        let apart = |(tile, words): (usize, &Vec<u64>)| {
            let start = words.as_ptr().cast::<u8>();
            start.wrapping_add(start.align_offset(PAGE) + tile * APART % PAGE)
        };
        self.memory.iter().enumerate().map(apart).collect()
    }

    /// The arguments of our kernel.
    fn arguments(&self, map: &Map) -> Vec<u64> {
        let addresses = self.addresses().into_iter().map(|address| address as u64);
        let strides = map.operands.iter().map(|operand| operand.row_bytes(COLUMNS) as u64);
        let none = map.operands.iter().map(|_| 0);
        addresses.chain(strides).chain(none).chain([self.rows as u64, COLUMNS as u64]).collect()
    }
}

/// Eight bytes of numbers between -3 and 3, or of any bytes.
fn word_of(dtype: DType, at: usize) -> u64 {
    let float = |i: usize| u64::from((((i * 7919 % 2001) as f32 - 1000.0) / 333.0).to_bits());
    match dtype {
        DType::F32 => float(2 * at) | float(2 * at + 1) << 32,
        _ => (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    }
}

/// The functions of a library.
struct Library(*mut libc::c_void);

impl Library {
    fn open(path: &str) -> Self {
        let path = CString::new(path).expect("a path without zeros");
        // SAFETY: loads a library that the user names; what it does when it is loaded is the user's business.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!library.is_null(), "a library that can be loaded");
        Self(library)
    }

    fn find(&self, name: &str) -> Option<Function> {
        let name = CString::new(name).ok()?;
        // SAFETY: the library is open, and the name ends with zero.
        let symbol = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        // SAFETY: the functions of such a library have this type.
        (!symbol.is_null()).then(|| unsafe { std::mem::transmute::<*mut libc::c_void, Function>(symbol) })
    }
}

/// The table.
pub fn table(machine: &Machine, library: Option<&str>) -> String {
    let library = library.map(Library::open);
    let mut text = format!(
        "## Rows\n\nMaps over {COLUMNS} columns of f32 (or i8) on one thread; microseconds, medians of {PAIRS} runs in turns. *C* are loops compiled by clang \
         with `-O3 -ffast-math`, whose functions are less exact.\n\n| kernel | rows | ours | C | ours / C |\n|---|---|---|---|---|\n"
    );
    for (name, map) in maps::rows() {
        let Some((_, symbol)) = NAMES.iter().find(|n| n.0 == name) else { continue };
        let kernel = machine.map(&map).expect("a map of the report");
        let function = library.as_ref().and_then(|library| library.find(symbol));
        for rows in [64, 128] {
            let tiles = Tiles::new(&map, rows);
            let (args, addresses) = (tiles.arguments(&map), tiles.addresses());
            // SAFETY: the arguments describe the tiles.
            let mut ours = || unsafe { kernel.call(args.as_ptr()) };
            let mut theirs = || {
                if let Some(function) = function {
                    // SAFETY: the tiles have so many rows and columns.
                    unsafe { function(addresses.as_ptr(), rows, COLUMNS) };
                }
            };
            let (one, other) = pair(&mut ours, &mut theirs);
            let (one, other) = (one * 1e6, other * 1e6);
            let _ = write!(text, "| {name} | {rows} | {one:.2} |");
            text += &match function {
                Some(_) => format!(" {other:.2} | {:.2} |\n", one / other),
                None => " | |\n".into(),
            };
        }
    }
    text
}
