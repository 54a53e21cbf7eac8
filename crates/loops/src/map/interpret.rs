//! The meaning of a map: element by element, in the order that the form promises.

use super::{Fold, LANES, Map, Operand, Order, Pass, Program, Rows, Stride};
use crate::block::Step;
use tilewright_support::{Diagnostic, Result};

/// The memory of an operand.
#[derive(Debug)]
pub struct Tile<'a> {
    /// Bytes from element `[0, 0]` on.
    pub bytes: &'a mut [u8],
    /// Bytes from row to row.
    pub row: usize,
    /// Bytes from column to column, where it is general.
    pub column: usize,
    /// Which row of the memory each row is, where they are indexed.
    pub indices: &'a [usize],
}

/// Runs a map over `m` rows and `n` columns.
///
/// # Errors
/// As [`Program::new`]; invalid, where a tile is smaller than the operand.
pub fn interpret(map: &Map, [m, n]: [usize; 2], tiles: &mut [Tile]) -> Result<()> {
    interpret_program(map, &Program::new(map)?, [m, n], tiles)
}

/// Runs a program over the operands of a map; its stages are not looked at.
///
/// # Errors
/// As [`interpret`].
pub fn interpret_program(map: &Map, program: &Program, [m, n]: [usize; 2], tiles: &mut [Tile]) -> Result<()> {
    check(map, [m, n], tiles)?;
    let mut run = Run { map, tiles, columns: n };
    let (outer, inner) = if map.order == Order::Rows { (m, n) } else { (n, m) };
    for at in 0..outer {
        let mut values = Vec::new();
        for pass in &program.passes {
            let found = run.pass(pass, (at, inner), &values);
            values.extend(found);
        }
    }
    Ok(())
}

fn check(map: &Map, sizes: [usize; 2], tiles: &[Tile]) -> Result<()> {
    let fits = map.operands.iter().zip(tiles).all(|(operand, tile)| reaches(operand, tile, sizes));
    match fits && tiles.len() == map.operands.len() {
        true => Ok(()),
        false => Err(Diagnostic::invalid("a tile is smaller than its operand")),
    }
}

/// Whether the memory of an operand has all its elements.
fn reaches(operand: &Operand, tile: &Tile, [m, n]: [usize; 2]) -> bool {
    let (rows, columns) = (if operand.has_rows() { m } else { 1 }, if operand.column == Stride::Zero { 1 } else { n });
    if rows == 0 || columns == 0 {
        return true;
    }
    let last = match operand.rows {
        Rows::Indexed(_) => tile.indices.get(..m).and_then(|i| i.iter().max()).copied(),
        _ => Some(rows - 1),
    };
    let line = match operand.column {
        Stride::General => (columns - 1).checked_mul(tile.column).and_then(|far| far.checked_add(operand.row_bytes(1))),
        _ => Some(operand.row_bytes(columns)),
    };
    let far = last.and_then(|row| row.checked_mul(tile.row));
    far.zip(line).and_then(|(far, line)| far.checked_add(line)).is_some_and(|end| end <= tile.bytes.len())
}

struct Run<'a, 'b> {
    map: &'a Map,
    tiles: &'a mut [Tile<'b>],
    columns: usize,
}

impl Run<'_, '_> {
    /// One pass along row or column `outer`; gives its reductions.
    fn pass(&mut self, pass: &Pass, (outer, length): (usize, usize), values: &[u64]) -> Vec<u64> {
        let lanes = if self.map.order == Order::Rows { LANES } else { 1 };
        let mut accumulators: Vec<Vec<Vec<u64>>> =
            pass.folds.iter().map(|f| vec![f.combine.identity.clone(); lanes]).collect();
        for inner in 0..length {
            let bits = self.element(pass, self.place(outer, inner), values);
            for (fold, lanes) in pass.folds.iter().zip(&mut accumulators) {
                let lane = inner % lanes.len();
                let value: Vec<u64> = fold.values.iter().map(|v| bits[v.index()]).collect();
                lanes[lane] = combine(fold, &lanes[lane], &value);
            }
            self.store(pass, self.place(outer, inner), &bits, true);
        }
        let bits = self.element(pass, self.place(outer, 0), values);
        self.store(pass, self.place(outer, 0), &bits, false);
        pass.folds.iter().zip(accumulators).map(|(fold, lanes)| tree(fold, lanes)).collect()
    }

    fn place(&self, outer: usize, inner: usize) -> [usize; 2] {
        if self.map.order == Order::Rows { [outer, inner] } else { [inner, outer] }
    }

    /// Where an element is: a byte and a bit in it. None where a table of indices ends before.
    fn offset(&self, o: u32, [i, j]: [usize; 2]) -> Option<(usize, u32)> {
        let (operand, tile) = (self.map.operands[o as usize], &self.tiles[o as usize]);
        let row = match operand.rows {
            Rows::One => 0,
            Rows::Strided => i,
            Rows::Indexed(_) => *tile.indices.get(i)?,
        };
        let (byte, bit) = operand.place(j, tile.column);
        Some((row * tile.row + byte, bit))
    }

    /// The bits of every step at a place. Elements that an empty tile lacks are zeros.
    fn element(&self, pass: &Pass, place: [usize; 2], values: &[u64]) -> Vec<u64> {
        pass.block.eval(&mut |step, _| match step {
            Step::Load(o) => self.load(o, place),
            Step::Row => place[0] as u64,
            Step::Column => place[1] as u64,
            Step::OfRow(r) => values[r as usize],
            Step::Const(_) | Step::Prim(..) => 0,
        })
    }

    fn load(&self, o: u32, place: [usize; 2]) -> u64 {
        let operand = self.map.operands[o as usize];
        let size = operand.dtype.bits() / 8;
        let found = self.offset(o, place);
        let bytes = found.and_then(|(at, bit)| Some((self.tiles[o as usize].bytes.get(at..at + size)?, bit)));
        let Some((bytes, bit)) = bytes else { return 0 };
        let mut eight = [0; 8];
        eight[..size].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(eight);
        match (operand.dtype.is_int() && operand.dtype.is_signed(), size) {
            _ if operand.column == Stride::Bits => bits >> bit & 1,
            (true, 1) => u64::from(bits as u8 as i8 as u32),
            (true, 2) => u64::from(bits as u16 as i16 as u32),
            _ => bits,
        }
    }

    /// Stores what moves along the pass, or what does not.
    fn store(&mut self, pass: &Pass, place: [usize; 2], bits: &[u64], moving: bool) {
        for (o, val) in &pass.stores {
            let operand = self.map.operands[*o as usize];
            let moves = if self.map.order == Order::Rows { operand.column != Stride::Zero } else { operand.has_rows() };
            let Some((at, bit)) = self.offset(*o, place).filter(|_| moves == moving) else { continue };
            let size = operand.dtype.bits() / 8;
            let bytes = &mut self.tiles[*o as usize].bytes[at..at + size];
            if operand.column == Stride::Bits {
                let keep = if place[1] + 1 == self.columns { (1 << bit) - 1 } else { !(1 << bit) };
                bytes[0] = bytes[0] & keep | (bits[val.index()] as u8) << bit;
            } else {
                bytes.copy_from_slice(&bits[val.index()].to_le_bytes()[..size]);
            }
        }
    }
}

fn combine(fold: &Fold, acc: &[u64], value: &[u64]) -> Vec<u64> {
    let leaves: Vec<u64> = acc.iter().chain(value).copied().collect();
    let bits = fold.combine.block.eval(&mut |step, _| leaf(step, &leaves));
    fold.combine.results.iter().map(|v| bits[v.index()]).collect()
}

fn leaf(step: Step, leaves: &[u64]) -> u64 {
    if let Step::OfRow(n) = step { leaves[n as usize] } else { 0 }
}

fn tree(fold: &Fold, mut lanes: Vec<Vec<u64>>) -> u64 {
    while lanes.len() > 1 {
        let upper = lanes.split_off(lanes.len() / 2);
        lanes = lanes.iter().zip(&upper).map(|(a, b)| combine(fold, a, b)).collect();
    }
    let (block, value) = &fold.combine.finish;
    block.eval(&mut |step, _| leaf(step, &lanes[0]))[value.index()]
}
