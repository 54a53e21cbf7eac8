//! Linear-scan register allocation (Poletto and Sarkar 1999), with spills to the frame.
//!
//! An interval reaches from a register's first mention to its last; one that is live where a loop starts and mentioned in
//! the loop reaches to the loop's end. Where registers run out the interval with the fewest mentions, those in loops
//! weighing more, goes to the frame, and a second round leaves registers free to carry such values. What lives across a
//! call is in a register that functions keep, or in the frame.

use crate::function::Function;
use crate::inst::{Access, Base, Class, GprOp, Inst, Masking, Mem, Operand, Reg, VecInst, Width};
use crate::x86::{KEPT, VecOp};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use tilewright_support::target::Level;
use tilewright_support::{Diagnostic, Result};

/// How many registers of each class may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Registers {
    /// Vector registers, at most 32.
    pub vectors: u16,
    /// Mask registers, at most 7: `k0` means no mask.
    pub masks: u16,
    /// General registers, at most 15.
    pub generals: u16,
    /// The widest vectors, which the frame keeps whole.
    pub widest: Width,
}

impl Registers {
    /// All registers of a level.
    pub fn of_level(level: Level) -> Self {
        match level {
            Level::Avx512 => Self { vectors: 32, masks: 7, generals: 15, widest: Width::Z },
            Level::Avx2 | Level::Portable => Self { vectors: 16, masks: 0, generals: 15, widest: Width::Y },
        }
    }

    fn of(self, class: Class) -> u16 {
        match class {
            Class::Vector => self.vectors,
            Class::Mask => self.masks,
            Class::General => self.generals,
        }
    }
}

/// A function whose registers are physical, and what its frame holds.
#[derive(Clone, Debug)]
pub struct Allocated {
    /// The instructions.
    pub insts: Vec<Inst>,
    /// The constants.
    pub pool: Vec<u8>,
    /// Bytes of the frame.
    pub frame: usize,
    /// Values that live in the frame.
    pub spilled: usize,
    /// General registers in use, by number.
    pub generals: u16,
}

/// Bytes of the frame for each value.
const SLOT: i32 = 64;

/// The largest frame: the stack of a thread may be small.
const LARGEST_FRAME: usize = 1 << 18;

/// Registers left free for values of the frame, by class: the most that one instruction mentions.
const CARRIERS: [u16; 3] = [4, 3, 4];

/// Gives each register of a function a physical one.
///
/// # Errors
/// Internal, when a class has fewer registers than one instruction needs; unsupported, when the frame becomes too large.
pub fn allocate(function: Function, registers: Registers) -> Result<Allocated> {
    let counts = Class::ALL.map(|class| function.count(class));
    let intervals = intervals(&function);
    let mut free = registers;
    let (mut places, mut spilled) = scan(&intervals, counts, free);
    if !spilled.is_empty() {
        let keep = |n: u16, class: Class| n.checked_sub(CARRIERS[class as usize]);
        let has = |class| spilled.iter().any(|r: &Reg| r.class == class);
        let left = |n, class| if has(class) { keep(n, class) } else { Some(n) };
        let three =
            (left(free.vectors, Class::Vector), left(free.masks, Class::Mask), left(free.generals, Class::General));
        let (Some(vectors), Some(masks), Some(generals)) = three else {
            return Err(Diagnostic::internal("too few registers for any instruction"));
        };
        free = Registers { vectors, masks, generals, ..registers };
        (places, spilled) = scan(&intervals, counts, free);
    }
    let (slots, frame) = slots(&intervals, &spilled, function.frame);
    if frame > LARGEST_FRAME {
        return Err(Diagnostic::unsupported("in machine code, so many values at once"));
    }
    let mut rewrite = Rewrite { places, slots, free, out: Vec::with_capacity(function.insts.len()) };
    for inst in function.insts {
        rewrite.inst(inst);
    }
    let mut insts = rewrite.out;
    let mut generals = 0u16;
    for inst in &mut insts {
        inst.visit(&mut |r, _| {
            if r.class == Class::General {
                generals |= 1 << r.id;
            }
        });
    }
    Ok(Allocated { insts, pool: function.pool, frame, spilled: spilled.len(), generals })
}

#[derive(Clone, Copy, Debug)]
struct Interval {
    reg: Reg,
    start: usize,
    end: usize,
    weight: f32,
    /// A register that ends where this starts, and would best be the same.
    hint: Option<Reg>,
    /// Whether it lives across a call.
    kept: bool,
}

/// What a mention weighs by the number of loops around it.
const WEIGHTS: [f32; 6] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5];

/// The intervals by start.
fn intervals(function: &Function) -> Vec<Interval> {
    let loops = loops(&function.insts);
    let mut found = Class::ALL.map(|class| vec![None; function.count(class)]);
    let (mut begin, mut end) = (vec![0; function.insts.len() + 1], vec![0; function.insts.len() + 1]);
    for (first, last) in &loops {
        begin[*first] += 1;
        end[last + 1] += 1;
    }
    let mut depth = 0usize;
    for (at, inst) in function.insts.iter().enumerate() {
        depth = depth + begin[at] - end[at];
        let weight = WEIGHTS[depth.min(WEIGHTS.len() - 1)];
        let hint = preferred(inst);
        let mut inst = *inst;
        inst.visit(&mut |r, access| {
            let new = Interval { reg: *r, start: at, end: at, weight: 0.0, hint: None, kept: false };
            let interval = found[r.class as usize][usize::from(r.id)].get_or_insert(new);
            interval.end = at;
            interval.weight += weight;
            if access == Access::Write && interval.start == at {
                interval.hint = hint;
            }
        });
    }
    let mut list: Vec<Interval> = found.into_iter().flatten().flatten().collect();
    // Inner loops end first, so one round in order of their ends is enough.
    for (start, end) in &loops {
        for interval in list.iter_mut().filter(|i| i.start < *start && (*start..*end).contains(&i.end)) {
            interval.end = *end;
        }
    }
    let calls: Vec<usize> =
        (0..function.insts.len()).filter(|n| matches!(function.insts[*n], Inst::Call { .. })).collect();
    for interval in &mut list {
        let next = calls.partition_point(|at| *at <= interval.start);
        interval.kept = calls.get(next).is_some_and(|at| *at < interval.end);
    }
    list.sort_by_key(|i| (i.start, i.reg));
    list
}

/// Places in the frame from a number of bytes on, and its bytes then: values that do not live together share one.
fn slots(intervals: &[Interval], spilled: &[Reg], start: usize) -> (HashMap<Reg, i32>, usize) {
    let spilled: HashSet<Reg> = spilled.iter().copied().collect();
    let mut slots = HashMap::with_capacity(spilled.len());
    let mut taken: BinaryHeap<Reverse<(usize, i32)>> = BinaryHeap::new();
    let mut count = 0;
    for interval in intervals.iter().filter(|i| spilled.contains(&i.reg)) {
        let slot = match taken.peek() {
            Some(Reverse((end, slot))) if *end < interval.start => {
                let slot = *slot;
                taken.pop();
                slot
            }
            _ => {
                count += 1;
                count - 1
            }
        };
        taken.push(Reverse((interval.end, slot)));
        slots.insert(interval.reg, start as i32 + slot * SLOT);
    }
    (slots, start + (count * SLOT) as usize)
}

/// A source whose register the destination would like.
fn preferred(inst: &Inst) -> Option<Reg> {
    match inst {
        Inst::General(GprOp::Move, _, Operand::Reg(a)) => Some(*a),
        Inst::Fma { c: Operand::Reg(c), .. } => Some(*c),
        Inst::Fma { a, .. } => Some(*a),
        Inst::Vec(VecInst { op: VecOp::Load | VecOp::LoadPd, srcs: [Some(Operand::Reg(a)), ..], .. }) => Some(*a),
        _ => None,
    }
}

/// The places of loops: a label and the last jump back to it, by their ends.
fn loops(insts: &[Inst]) -> Vec<(usize, usize)> {
    let mut bound = HashMap::new();
    let mut loops: HashMap<usize, usize> = HashMap::new();
    for (at, inst) in insts.iter().enumerate() {
        match inst {
            Inst::Bind(label) => {
                bound.insert(*label, at);
            }
            Inst::Jump(_, label) => {
                if let Some(start) = bound.get(label) {
                    loops.insert(*start, at);
                }
            }
            _ => {}
        }
    }
    let mut list: Vec<_> = loops.into_iter().collect();
    list.sort_by_key(|(_, end)| *end);
    list
}

/// Places of registers by class and number.
type Places = [Vec<Option<u16>>; 3];

fn place(places: &Places, reg: Reg) -> Option<u16> {
    places[reg.class as usize].get(usize::from(reg.id)).copied().flatten()
}

/// Places for intervals, and those that found none.
fn scan(intervals: &[Interval], counts: [usize; 3], registers: Registers) -> (Places, Vec<Reg>) {
    let mut places = counts.map(|n| vec![None; n]);
    let mut spilled = Vec::new();
    for class in Class::ALL {
        let mut free: Vec<u16> = (0..registers.of(class)).rev().collect();
        let mut active: Vec<Interval> = Vec::new();
        let mut first_end = usize::MAX;
        for interval in intervals.iter().filter(|i| i.reg.class == class) {
            if first_end <= interval.start {
                // What ends here is read before the destination is written.
                let ended = active.extract_if(.., |a| a.end <= interval.start);
                free.extend(ended.filter_map(|a| place(&places, a.reg)));
                first_end = active.iter().map(|a| a.end).min().unwrap_or(usize::MAX);
            }
            let fits = |place: u16| !interval.kept || (class == Class::General && usize::from(place) >= KEPT);
            let wish = interval.hint.and_then(|r| place(&places, r));
            let wished = wish.and_then(|w| free.iter().position(|f| *f == w && fits(w)));
            let found = wished.or_else(|| free.iter().rposition(|f| fits(*f))).map(|at| free.remove(at));
            let own = usize::from(interval.reg.id);
            if found.is_some() {
                places[class as usize][own] = found;
                first_end = first_end.min(interval.end);
                active.push(*interval);
                continue;
            }
            let taken = active.iter().enumerate().filter(|(_, a)| place(&places, a.reg).is_some_and(fits));
            let cheapest = taken.min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight));
            match cheapest {
                Some((at, other)) if other.weight < interval.weight => {
                    places[class as usize][own] = places[class as usize][usize::from(other.reg.id)].take();
                    spilled.push(other.reg);
                    active[at] = *interval;
                    first_end = first_end.min(interval.end);
                }
                _ => spilled.push(interval.reg),
            }
        }
    }
    (places, spilled)
}

/// Puts physical registers in; values of the frame are carried in and out around each mention.
struct Rewrite {
    places: Places,
    slots: HashMap<Reg, i32>,
    free: Registers,
    out: Vec<Inst>,
}

impl Rewrite {
    fn inst(&mut self, mut inst: Inst) {
        let mut carried: Vec<(Reg, Reg, Access)> = Vec::new();
        let mut next = [self.free.vectors, self.free.masks, self.free.generals];
        inst.visit(&mut |r, access| {
            if let Some(place) = place(&self.places, *r) {
                r.id = place;
                return;
            }
            let carrier = match carried.iter_mut().find(|(from, ..)| from == r) {
                Some((_, carrier, all)) => {
                    *all = if *all == access { access } else { Access::Update };
                    *carrier
                }
                None => {
                    let carrier = Reg { class: r.class, id: next[r.class as usize] };
                    next[r.class as usize] += 1;
                    carried.push((*r, carrier, access));
                    carrier
                }
            };
            *r = carrier;
        });
        for (from, carrier, _) in carried.iter().filter(|(.., a)| a.reads()) {
            self.move_slot(*carrier, self.slots[from], true);
        }
        self.out.push(inst);
        for (to, carrier, _) in carried.iter().filter(|(.., a)| a.writes()) {
            self.move_slot(*carrier, self.slots[to], false);
        }
    }

    fn move_slot(&mut self, reg: Reg, slot: i32, load: bool) {
        let mem = Operand::Mem(Mem { base: Base::Frame, index: None, disp: slot });
        let none: Option<Masking> = None;
        let inst = match (reg.class, load) {
            (Class::Vector, true) => vector(VecOp::Load, self.free.widest, reg.into(), mem, none),
            (Class::Vector, false) => vector(VecOp::Store, self.free.widest, mem, reg.into(), none),
            (Class::General, true) => Inst::General(GprOp::Load, reg, mem),
            (Class::General, false) => Inst::General(GprOp::Store, reg, mem),
            (Class::Mask, true) => Inst::MaskSlot(reg, slot, true),
            (Class::Mask, false) => Inst::MaskSlot(reg, slot, false),
        };
        self.out.push(inst);
    }
}

fn vector(op: VecOp, width: Width, dst: Operand, src: Operand, mask: Option<Masking>) -> Inst {
    Inst::Vec(VecInst { op, width, dst, srcs: [Some(src), None, None], imm: None, mask })
}
