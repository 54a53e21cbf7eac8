//! The machine code of Moves against their meaning, byte for byte.
mod guarded;
mod random;

use guarded::Guarded;
use random::Random;
use std::collections::HashMap;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::movement::{emit_with, supports};
use tilewright_codegen::portable::Portable;
use tilewright_kernels::Callable;
use tilewright_loops::movement::{ARGS, Arg, Index, Move, Operands, Order, interpret};
use tilewright_runtime::code::CodeMemory;
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// The sizes of one run; distances are in bytes.
#[derive(Debug)]
struct Case {
    rows: usize,
    columns: usize,
    padded: usize,
    from_row: usize,
    to_row: usize,
    indices: Vec<usize>,
}

/// Lines of so many bytes at a distance.
fn length(lines: usize, stride: usize, bytes: usize) -> usize {
    if lines == 0 { 0 } else { (lines - 1) * stride + bytes }
}

impl Case {
    /// Distances a little larger than needed, and indices within bounds where the order has them.
    fn new(movement: &Move, rows: usize, columns: usize, random: &mut Random) -> Self {
        let size = usize::from(movement.element);
        let mut gap = |line: usize| line * size + random.below(3) * size * random.below(9);
        let padded = columns + [0, 1, 7, 40][rows % 4];
        let (from_row, to_row) = match movement.order {
            Order::Copy { .. } if rows % 5 == 4 => (0, gap(padded)),
            Order::Copy { .. } | Order::Gather(_) | Order::Scatter(_) => (gap(columns), gap(padded)),
            Order::Transpose => (gap(columns), gap(rows)),
            Order::Panel { .. } => (gap(columns), 0),
            Order::Interleave { group } => (gap(columns), gap(columns * usize::from(group))),
            Order::Separate { group } => (gap(columns * usize::from(group)), gap(columns)),
        };
        let indices = (0..rows).map(|_| random.below(rows + 3)).collect();
        Self { rows, columns, padded, from_row, to_row, indices }
    }

    /// Bytes of what is read and of what is written.
    fn lengths(&self, movement: &Move) -> [usize; 2] {
        let size = usize::from(movement.element);
        let (rows, wide) = (self.rows, self.columns * size);
        let padded = self.columns.max(self.padded) * size;
        match movement.order {
            Order::Copy { .. } => [length(rows, self.from_row, wide), length(rows, self.to_row, padded)],
            Order::Gather(_) => [length(rows + 3, self.from_row, wide), length(rows, self.to_row, padded)],
            Order::Scatter(_) => [length(rows, self.from_row, wide), length(rows + 3, self.to_row, padded)],
            Order::Transpose => [length(rows, self.from_row, wide), length(self.columns, self.to_row, rows * size)],
            Order::Panel { rows } => {
                let rows = usize::from(rows);
                [length(rows, self.from_row, wide), rows * wide]
            }
            Order::Interleave { group } => {
                let group = usize::from(group);
                [length(rows, self.from_row, wide), length(rows.div_ceil(group), self.to_row, wide * group)]
            }
            Order::Separate { group } => {
                let group = usize::from(group);
                [length(rows.div_ceil(group), self.from_row, wide * group), length(rows, self.to_row, wide)]
            }
        }
    }
}

/// Machine code by Move, each emitted once.
struct Kernels {
    target: Target,
    registers: Registers,
    memory: CodeMemory,
    emitted: HashMap<Move, (Callable, usize)>,
}

impl Kernels {
    fn new(target: Target, registers: Registers) -> Self {
        Self { target, registers, memory: CodeMemory::new(), emitted: HashMap::new() }
    }

    fn get(&mut self, movement: &Move) -> &(Callable, usize) {
        self.emitted.entry(*movement).or_insert_with(|| {
            if self.target.level == Level::Portable {
                return (Callable::Portable(Arc::new(Portable::movement(movement).unwrap())), 0);
            }
            let emitted = emit_with(movement, &self.target, self.registers).unwrap();
            let kernel = self.memory.publish(&emitted.name, &emitted.code.bytes, emitted.code.entry).unwrap();
            (Callable::Code(kernel), emitted.spilled)
        })
    }

    /// Runs a Move between forbidden pages and compares every byte, gaps included.
    fn check(&mut self, movement: &Move, case: &Case, random: &mut Random) {
        let [from_len, to_len] = case.lengths(movement);
        let [from, to] = [from_len, to_len].map(|len| {
            let mut bytes = vec![0; len];
            random.fill(DType::U8, 0.0, &mut bytes);
            bytes
        });
        let mut want = to.clone();
        let Case { rows, columns, padded, from_row, to_row, ref indices } = *case;
        let mut operands = Operands { from: &from, to: &mut want, from_row, to_row, rows, columns, padded, indices };
        interpret(movement, &mut operands).unwrap();
        let at_end = random.below(2) == 1;
        let (from, to) = (Guarded::new(&from, at_end), Guarded::new(&to, at_end));
        let table: Vec<u8> = match movement.order {
            Order::Gather(Index::I32) | Order::Scatter(Index::I32) => {
                indices.iter().flat_map(|i| (*i as u32).to_le_bytes()).collect()
            }
            _ => indices.iter().flat_map(|i| i.to_le_bytes()).collect(),
        };
        let table = Guarded::new(&table, at_end);
        let mut args = [0u64; ARGS];
        let mut set = |arg: Arg, value: u64| args[arg as usize] = value;
        set(Arg::From, from.address());
        set(Arg::To, to.address());
        set(Arg::FromRow, from_row as u64);
        set(Arg::ToRow, to_row as u64);
        set(Arg::Rows, rows as u64);
        set(Arg::Columns, columns as u64);
        set(Arg::Padded, padded as u64);
        set(Arg::Indices, table.address());
        let level = self.target.level;
        let (kernel, spilled) = self.get(movement);
        // SAFETY: the arguments describe the buffers, as the interpreter's run over the same ones has shown.
        unsafe { kernel.call(args.as_ptr()) };
        assert!(to.bytes() == want, "{movement:?} on {level:?}, {spilled} spilled: {case:?}");
    }
}

fn targets() -> Vec<Target> {
    let here = Target::detect();
    let mut found: Vec<Target> = Level::ALL.into_iter().map(|level| here.at_most(level)).collect();
    found.dedup();
    found
}

fn orders() -> Vec<Order> {
    let plain = [
        Order::Copy { stream: false },
        Order::Copy { stream: true },
        Order::Gather(Index::I32),
        Order::Gather(Index::I64),
        Order::Scatter(Index::I32),
        Order::Scatter(Index::I64),
        Order::Transpose,
    ];
    let panels = [1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 16, 17, 27, 28].map(|rows| Order::Panel { rows });
    let groups = [2, 4].map(|group| [Order::Interleave { group }, Order::Separate { group }]);
    plain.into_iter().chain(panels).chain(groups.into_iter().flatten()).collect()
}

/// Every Move that there is; each level has all.
fn moves() -> Vec<Move> {
    let all =
        [1, 2, 4, 8].into_iter().flat_map(|element| orders().into_iter().map(move |order| Move { element, order }));
    all.filter(|m| Portable::movement(m).is_ok()).collect()
}

#[test]
fn every_order_and_size() {
    let mut random = Random(1);
    for target in targets() {
        let mut kernels = Kernels::new(target, Registers::of_level(target.level));
        let around = [79, 80, 81, 95, 96, 97, 127, 128, 129, 160, 191, 192, 193, 256, 257];
        let sizes: Vec<usize> = (0..=70).chain(around).collect();
        for movement in moves() {
            for size in &sizes {
                let other = sizes[random.below(sizes.len())];
                for (rows, columns) in [(*size, other), (other, *size)] {
                    let case = Case::new(&movement, rows, columns, &mut random);
                    kernels.check(&movement, &case, &mut random);
                }
            }
        }
    }
}

#[test]
fn few_registers_spill_and_change_nothing() {
    let mut random = Random(2);
    for target in targets().into_iter().filter(|t| t.level != Level::Portable) {
        let all = Registers::of_level(target.level);
        let masks = if all.masks == 0 { 0 } else { 4 };
        let mut kernels = Kernels::new(target, Registers { vectors: 6, masks, generals: 9, ..all });
        for movement in moves() {
            for _ in 0..12 {
                let case = Case::new(&movement, random.below(70), random.below(140), &mut random);
                kernels.check(&movement, &case, &mut random);
            }
        }
        assert!(kernels.emitted.values().filter(|(_, spilled)| *spilled > 0).count() > 40);
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let refused = [
        Move { element: 3, order: Order::Transpose },
        Move { element: 0, order: Order::Copy { stream: false } },
        Move { element: 4, order: Order::Panel { rows: 0 } },
        Move { element: 4, order: Order::Panel { rows: 29 } },
        Move { element: 2, order: Order::Interleave { group: 3 } },
        Move { element: 8, order: Order::Separate { group: 4 } },
    ];
    for movement in refused {
        assert!(Portable::movement(&movement).is_err(), "{movement:?}");
        assert!(targets().iter().all(|target| supports(&movement, target).is_err()), "{movement:?}");
    }
    assert!(supports(&Move { element: 4, order: Order::Transpose }, &Target::PORTABLE).is_err());
}
