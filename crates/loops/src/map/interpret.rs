//! The meaning of a map: element by element, in the order that the form promises.

use super::{Fold, LANES, Map, Operand, Order, Pass, Program, Rows, Stride};
use crate::block::Step;
use tilewright_support::{Diagnostic, Result};

/// The memory of an operand.
#[derive(Debug)]
pub struct Tile<'a> {
    /// The bytes.
    pub bytes: &'a mut [u8],
    /// The byte where element `[0, 0]` starts.
    pub first: usize,
    /// Bytes from row to row.
    pub row: isize,
    /// Bytes from column to column, where it is general.
    pub column: isize,
    /// Which row of the memory each row is, where they are indexed.
    pub indices: &'a [usize],
}

impl<'a> Tile<'a> {
    /// Rows one after the other, so many bytes from each other.
    pub fn rows(bytes: &'a mut [u8], row: usize) -> Self {
        Self { bytes, first: 0, row: row as isize, column: 0, indices: &[] }
    }
}

/// Runs a map without places over `m` rows and `n` columns.
///
/// # Errors
/// As [`Program::new`]; invalid, where a tile is smaller than the operand.
pub fn interpret(map: &Map, [m, n]: [usize; 2], tiles: &mut [Tile]) -> Result<()> {
    interpret_program(map, &Program::new(map)?, [m, n], &[], tiles)
}

/// Runs a program over the operands of a map; its stages are not looked at.
///
/// # Errors
/// As [`interpret`]; invalid, where the number of an element of a flat operand is beyond its tile, or places are missing.
pub fn interpret_program(
    map: &Map,
    program: &Program,
    [m, n]: [usize; 2],
    places: &[i64],
    tiles: &mut [Tile],
) -> Result<()> {
    check(map, [m, n], tiles)?;
    if places.len() != map.places as usize {
        return Err(Diagnostic::invalid("places that are not those of the map"));
    }
    let mut run = Run { map, tiles, columns: n, places, beyond: None };
    let (outer, inner) = if map.order == Order::Rows { (m, n) } else { (n, m) };
    for at in 0..outer {
        let mut values = Vec::new();
        for pass in &program.passes {
            let found = run.pass(pass, (at, inner), &values);
            values.extend(found);
        }
    }
    match run.beyond {
        Some((o, at)) => Err(Diagnostic::invalid(format!("element {at} of flat operand {o} is not there"))),
        None => Ok(()),
    }
}

fn check(map: &Map, sizes: [usize; 2], tiles: &[Tile]) -> Result<()> {
    let fits = map.operands.iter().zip(tiles).all(|(operand, tile)| reaches(operand, tile, sizes));
    match fits && tiles.len() == map.operands.len() {
        true => Ok(()),
        false => Err(Diagnostic::invalid("a tile is smaller than its operand")),
    }
}

/// Whether the memory of an operand has all its elements; the numbers of a flat one are checked when it is read.
fn reaches(operand: &Operand, tile: &Tile, [m, n]: [usize; 2]) -> bool {
    let (rows, columns) = (if operand.has_rows() { m } else { 1 }, if operand.column == Stride::Zero { 1 } else { n });
    if rows == 0 || columns == 0 || operand.is_flat() {
        return true;
    }
    let furthest = match operand.rows {
        Rows::Indexed(_) => tile.indices.get(..m).and_then(|i| i.iter().max()).copied(),
        _ => Some(rows - 1),
    };
    let Some(furthest) = furthest else { return false };
    let (across, line) = match operand.column {
        Stride::General => ((columns - 1) as i128 * tile.column as i128, operand.row_bytes(1)),
        _ => (0, operand.row_bytes(columns)),
    };
    let ends = [furthest as i128 * tile.row as i128, across];
    let low = tile.first as i128 + ends.iter().map(|x| x.min(&0)).sum::<i128>();
    let high = tile.first as i128 + ends.iter().map(|x| x.max(&0)).sum::<i128>() + line as i128;
    low >= 0 && high <= tile.bytes.len() as i128
}

struct Run<'a, 'b> {
    map: &'a Map,
    tiles: &'a mut [Tile<'b>],
    columns: usize,
    places: &'a [i64],
    /// An element of a flat operand that was to be read, but is not there.
    beyond: Option<(u32, i64)>,
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
            Rows::One | Rows::Flat => 0,
            Rows::Strided => i,
            Rows::Indexed(_) => *tile.indices.get(i)?,
        };
        let (byte, bit) = operand.place(j, tile.column);
        let down = (row as isize).wrapping_mul(tile.row);
        Some((tile.first.wrapping_add_signed(down).wrapping_add_signed(byte), bit))
    }

    /// The bits of every step at a place. Elements that an empty tile lacks are zeros.
    fn element(&mut self, pass: &Pass, place: [usize; 2], values: &[u64]) -> Vec<u64> {
        pass.block.eval(&mut |step, index| match step {
            Step::Load(o) => self.offset(o, place).and_then(|at| self.load(o, at)).unwrap_or(0),
            Step::Gather { operand, along, .. } => {
                self.gather(operand, if along { index.wrapping_add(place[1] as i64) } else { index })
            }
            Step::Row => place[0] as u64,
            Step::Column => place[1] as u64,
            Step::OfRow(r) => values[r as usize],
            Step::Place(p) => self.places[p as usize] as u64,
            Step::Const(_) | Step::Prim(..) => 0,
        })
    }

    fn gather(&mut self, o: u32, number: i64) -> u64 {
        let size = self.map.operands[o as usize].dtype.bits() / 8;
        let far = usize::try_from(number).ok().and_then(|n| n.checked_mul(size));
        let at = far.and_then(|far| far.checked_add(self.tiles[o as usize].first));
        let found = at.and_then(|at| self.load(o, (at, 0)));
        if found.is_none() {
            self.beyond = Some((o, number));
        }
        found.unwrap_or(0)
    }

    fn load(&self, o: u32, (at, bit): (usize, u32)) -> Option<u64> {
        let operand = self.map.operands[o as usize];
        let size = operand.dtype.bits() / 8;
        let bytes = self.tiles[o as usize].bytes.get(at..at.checked_add(size)?)?;
        let mut eight = [0; 8];
        eight[..size].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(eight);
        Some(match (operand.dtype.is_int() && operand.dtype.is_signed(), size) {
            _ if operand.column == Stride::Bits => bits >> bit & 1,
            (true, 1) => u64::from(bits as u8 as i8 as u32),
            (true, 2) => u64::from(bits as u16 as i16 as u32),
            _ => bits,
        })
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
