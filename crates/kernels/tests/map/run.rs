//! A kernel and its interpreter on the same buffers.

use super::guarded::Guarded;
use super::nan::canonical;
use super::random::Random;
use iced_x86::{Decoder, DecoderOptions};
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::map::emit_program;
use tilewright_codegen::portable;
use tilewright_loops::map::{Map, Operand, Program, Rows, Stride, Tile, interpret_program};
use tilewright_runtime::code::{CodeMemory, Kernel};
use tilewright_support::Code;
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// A map in executable memory, or without a kernel as loops.
pub struct Run<'a> {
    map: &'a Map,
    program: Program,
    kernel: Option<Arc<Kernel>>,
    listing: String,
}

impl<'a> Run<'a> {
    /// Emits a map; `None` where it is not supported.
    pub fn new(map: &'a Map, target: &Target, registers: Registers) -> Option<Self> {
        match Program::for_level(map, target.level) {
            Ok(program) => Self::of(map, program, target, registers),
            Err(e) if e.code == Code::Unsupported => None,
            Err(e) => panic!("{e:?} of {map:?}"),
        }
    }

    /// Emits a program over the operands of a map.
    pub fn of(map: &'a Map, program: Program, target: &Target, registers: Registers) -> Option<Self> {
        if target.level == Level::Portable {
            return Some(Self { map, program, kernel: None, listing: String::new() });
        }
        let emitted = match emit_program(map, &program, target, registers) {
            Ok(emitted) => emitted,
            Err(e) if e.code == Code::Unsupported => return None,
            Err(e) => panic!("{e:?} of {map:?}"),
        };
        let code = &emitted.code;
        let at = code.entry as u64;
        let decoder = Decoder::with_ip(64, &code.bytes[code.entry..], at, DecoderOptions::NONE);
        assert!(decoder.into_iter().all(|i| !i.is_invalid()), "{}", emitted.listing());
        let kernel = CodeMemory::new().publish(&emitted.name, &code.bytes, code.entry).unwrap();
        Some(Self { map, program, kernel: Some(kernel), listing: emitted.listing() })
    }

    /// Whether it runs as machine code.
    pub fn is_emitted(&self) -> bool {
        self.kernel.is_some()
    }

    /// # Safety
    /// The arguments describe operands that are there.
    unsafe fn call(&self, args: &[u64]) {
        // SAFETY: as the caller promises.
        unsafe {
            match &self.kernel {
                Some(kernel) => kernel.call(args.as_ptr()),
                None => portable::map(self.map, &self.program, args.as_ptr()),
            }
        }
    }

    /// Runs both on one random input and compares every byte.
    pub fn compare(&self, m: usize, n: usize, random: &mut Random) {
        let operands = &self.map.operands;
        let stored = |o: usize| self.program.passes.iter().any(|p| p.stores.iter().any(|s| s.0 as usize == o));
        let layout = |(o, operand)| Layout::new(operand, stored(o), [m, n], random);
        let layouts: Vec<Layout> = operands.iter().enumerate().map(layout).collect();
        let fill = |(o, l): (&Operand, &Layout)| match o.column {
            Stride::Bits => random.fill(DType::U8, l.len),
            _ => random.fill(o.dtype, l.len),
        };
        let mut plain: Vec<Vec<u8>> = operands.iter().zip(&layouts).map(fill).collect();
        let guarded: Vec<Guarded> = plain.iter().map(|b| Guarded::new(b, random.below(2) == 0)).collect();
        let mut args: Vec<u64> = guarded.iter().zip(&layouts).map(|(g, l)| g.address() + l.first as u64).collect();
        args.extend(layouts.iter().map(|l| l.row as u64));
        args.extend(layouts.iter().map(|l| l.column as u64));
        args.extend([m as u64, n as u64]);
        let tables: Vec<Guarded> = layouts.iter().filter_map(|l| Some(Guarded::new(l.table.as_ref()?, true))).collect();
        args.extend(tables.iter().map(Guarded::address));
        let places: Vec<i64> = (0..self.map.places).map(|_| random.place(self.map.narrow)).collect();
        args.extend(places.iter().map(|p| *p as u64));
        assert_eq!(args.len(), self.map.arguments());
        let tile = |(bytes, l)| tile(bytes, l);
        let mut tiles: Vec<Tile> = plain.iter_mut().zip(&layouts).map(tile).collect();
        interpret_program(self.map, &self.program, [m, n], &places, &mut tiles).unwrap();
        // SAFETY: the arguments are those of the calling convention, and the buffers are as large as the tiles.
        unsafe { self.call(&args) };
        for (o, (expected, found)) in plain.iter().zip(&guarded).enumerate() {
            let dtype = operands[o].dtype;
            let (expected, found) = (canonical(dtype, expected), canonical(dtype, found.bytes()));
            let size = dtype.bits() / 8;
            let differs = expected.chunks(size).zip(found.chunks(size)).position(|(a, b)| a != b);
            if let Some(at) = differs {
                let (a, b) = (&expected[at * size..][..size], &found[at * size..][..size]);
                panic!(
                    "operand {o} element {at}: {a:x?} interpreted, {b:x?} run; m = {m}, n = {n}, {:?} {layouts:?}\n{}",
                    self.map, self.listing
                );
            }
        }
    }

    /// Runs a map from operand 0 to operand 1 in one buffer, and interprets it in two.
    pub fn compare_in_place(&self, [m, n]: [usize; 2], random: &mut Random) {
        let dtype = self.map.operands[0].dtype;
        let row = n * dtype.bits() / 8;
        let input = random.fill(dtype, m * row);
        let guarded = Guarded::new(&input, true);
        let mut plain = [input.clone(), input];
        let mut tiles: Vec<Tile> = plain.iter_mut().map(|b| Tile::rows(b, row)).collect();
        interpret_program(self.map, &self.program, [m, n], &[], &mut tiles).unwrap();
        let address = guarded.address();
        let args = [address, address, row as u64, row as u64, 0, 0, m as u64, n as u64];
        // SAFETY: as above.
        unsafe { self.call(&args) };
        assert_eq!(
            canonical(dtype, &plain[1]),
            canonical(dtype, guarded.bytes()),
            "m = {m}, n = {n}\n{}",
            self.listing
        );
    }
}

/// Elements of a flat operand.
pub const FLAT: usize = 37;

/// Strides and bytes of a buffer, where element `[0, 0]` is in it, and the indices of its rows.
#[derive(Debug)]
struct Layout {
    first: usize,
    row: isize,
    column: isize,
    len: usize,
    indices: Vec<usize>,
    /// The indices as a kernel reads them, where it does.
    table: Option<Vec<u8>>,
}

fn tile<'a>(bytes: &'a mut Vec<u8>, layout: &'a Layout) -> Tile<'a> {
    Tile { bytes, first: layout.first, row: layout.row, column: layout.column, indices: &layout.indices }
}

impl Layout {
    /// `distinct` where no two rows may be one.
    fn new(operand: &Operand, distinct: bool, [m, n]: [usize; 2], random: &mut Random) -> Self {
        let size = operand.dtype.bits() / 8;
        let column = match operand.column {
            Stride::Zero | Stride::Bits => 0,
            Stride::Unit => size,
            Stride::General => size * (1 + random.below(4)),
        };
        let line = match operand.column {
            Stride::General => n.saturating_sub(1) * column + size,
            _ => operand.row_bytes(n),
        };
        let row = line + size * random.below(4);
        let (indices, table) = match operand.rows {
            Rows::Indexed(index) => {
                let indices = random.indices(m, distinct);
                let table = indices.iter().flat_map(|i| i.to_le_bytes()[..index.bytes()].to_vec()).collect();
                (indices, Some(table))
            }
            Rows::Strided => ((0..m).collect(), None),
            Rows::One => (vec![0], None),
            Rows::Flat => (vec![0], None),
        };
        let empty = n == 0 && operand.column != Stride::Zero;
        let last = indices.iter().max().filter(|_| !empty).map(|last| last * row);
        let len = match operand.rows {
            Rows::Flat => FLAT * size,
            _ => last.map_or(0, |last| last + line),
        };
        let mut layout = Self { first: 0, row: row as isize, column: column as isize, len, indices, table };
        if let (Rows::Strided, Some(last), 0) = (operand.rows, last, random.below(3)) {
            (layout.first, layout.row) = (last, -layout.row);
        }
        if operand.column == Stride::General && !empty && len > 0 && random.below(3) == 0 {
            (layout.first, layout.column) = (layout.first + line - size, -layout.column);
        }
        layout
    }
}
