//! The value of a step for some columns, and what moves it from memory and to it.

use tilewright_loops::map::{Operand, Stride};

/// Lanes of a strip: a multiple of those of a reduction along a row.
pub(super) const WIDTH: usize = 128;

/// Lanes of 32 or 64 bits each; truth values take 32 bits.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) union Strip {
    narrow: [u32; WIDTH],
    wide: [u64; WIDTH],
}

/// How elements of an operand become lanes.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// Bytes of an element.
    pub(super) size: usize,
    /// Whether it is extended by its sign.
    signed: bool,
    /// Whether eight share a byte.
    packed: bool,
}

impl Kind {
    pub(super) fn new(operand: &Operand) -> Self {
        let dtype = operand.dtype;
        let signed = dtype.is_int() && dtype.is_signed();
        Self { size: dtype.bits() / 8, signed, packed: operand.column == Stride::Bits }
    }
}

/// The bits of a lane.
pub(super) trait Cell: Copy + Default {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn lanes(strip: &Strip) -> &[Self; WIDTH];
    fn lanes_mut(strip: &mut Strip) -> &mut [Self; WIDTH];
}

macro_rules! cell {
    ($cell:ty, $field:ident) => {
        impl Cell for $cell {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn lanes(strip: &Strip) -> &[Self; WIDTH] {
                // SAFETY: every byte of a strip is set, and any bits are a number.
                unsafe { &strip.$field }
            }

            #[inline(always)]
            fn lanes_mut(strip: &mut Strip) -> &mut [Self; WIDTH] {
                // SAFETY: as above.
                unsafe { &mut strip.$field }
            }
        }
    };
}
cell!(u32, narrow);
cell!(u64, wide);

impl Strip {
    /// The same bits in every lane.
    pub(super) fn splat(bits: u64, wide: bool) -> Self {
        let mut strip = Self { wide: [0; WIDTH] };
        match wide {
            true => strip.wide = [bits; WIDTH],
            false => *u32::lanes_mut(&mut strip) = [bits as u32; WIDTH],
        }
        strip
    }

    /// The bits of a lane.
    pub(super) fn get(&self, lane: usize, wide: bool) -> u64 {
        if wide { u64::lanes(self)[lane] } else { u32::lanes(self)[lane].into() }
    }

    /// Sets the bits of a lane.
    pub(super) fn set(&mut self, lane: usize, wide: bool, bits: u64) {
        match wide {
            true => u64::lanes_mut(self)[lane] = bits,
            false => u32::lanes_mut(self)[lane] = bits as u32,
        }
    }

    /// Lanes of another strip, from one of them on, to the front.
    pub(super) fn copy(&mut self, from: &Self, first: usize, count: usize, wide: bool) {
        match wide {
            true => u64::lanes_mut(self)[..count].copy_from_slice(&u64::lanes(from)[first..first + count]),
            false => u32::lanes_mut(self)[..count].copy_from_slice(&u32::lanes(from)[first..first + count]),
        }
    }

    /// Elements, `step` bytes from each other, as steps have them.
    ///
    /// # Safety
    /// So many elements are there.
    pub(super) unsafe fn load(&mut self, kind: Kind, from: *const u8, step: isize, count: usize) {
        // SAFETY: as the caller promises.
        unsafe {
            match (kind.size, kind.signed) {
                _ if kind.packed => self.load_bits(from, count),
                (1, true) => gather(self, from, step, count, |x: i8| i32::from(x) as u32),
                (1, false) => gather(self, from, step, count, |x: u8| u32::from(x)),
                (2, true) => gather(self, from, step, count, |x: i16| i32::from(x) as u32),
                (2, false) => gather(self, from, step, count, |x: u16| u32::from(x)),
                (4, _) => gather(self, from, step, count, |x: u32| x),
                _ => gather(self, from, step, count, |x: u64| x),
            }
        }
    }

    /// Bits as truth values.
    ///
    /// # Safety
    /// So many bits are there.
    unsafe fn load_bits(&mut self, from: *const u8, count: usize) {
        for (n, lane) in u32::lanes_mut(self)[..count].iter_mut().enumerate() {
            // SAFETY: the caller promises that so many bits are there.
            *lane = u32::from(unsafe { from.add(n / 8).read() } >> (n % 8) & 1);
        }
    }

    /// Truth values as bits; those after the last one are zeros.
    ///
    /// # Safety
    /// There is memory for so many bits.
    unsafe fn store_bits(&self, to: *mut u8, count: usize) {
        for (byte, lanes) in u32::lanes(self)[..count].chunks(8).enumerate() {
            let bits = lanes.iter().enumerate().fold(0, |bits, (n, lane)| bits | (*lane as u8) << n);
            // SAFETY: the caller promises that there is room for so many bits.
            unsafe { to.add(byte).write(bits) };
        }
    }

    /// Stores the low bytes of lanes, `step` bytes from each other.
    ///
    /// # Safety
    /// There is memory for so many elements.
    pub(super) unsafe fn store(&self, wide: bool, kind: Kind, to: *mut u8, (step, count): (isize, usize)) {
        // SAFETY: as the caller promises.
        unsafe {
            match (wide, kind.size) {
                _ if kind.packed => self.store_bits(to, count),
                (false, 1) => scatter(self, to, step, count, |x: u32| x as u8),
                (false, 2) => scatter(self, to, step, count, |x: u32| x as u16),
                (false, 4) => scatter(self, to, step, count, |x: u32| x),
                (false, _) => scatter(self, to, step, count, |x: u32| u64::from(x)),
                (true, 1) => scatter(self, to, step, count, |x: u64| x as u8),
                (true, 2) => scatter(self, to, step, count, |x: u64| x as u16),
                (true, 4) => scatter(self, to, step, count, |x: u64| x as u32),
                (true, _) => scatter(self, to, step, count, |x: u64| x),
            }
        }
    }
}

/// Fills lanes with elements, `step` bytes from each other.
///
/// # Safety
/// So many elements are there, and every pattern of bits is a `T`.
unsafe fn gather<T: Copy, C: Cell>(
    strip: &mut Strip,
    from: *const u8,
    step: isize,
    count: usize,
    widen: impl Fn(T) -> C,
) {
    let lanes = C::lanes_mut(strip);
    // The compiler makes vectors of the loop whose distance it knows.
    let step = if step == size_of::<T>() as isize { None } else { Some(step) };
    let mut copy = |step: isize| {
        for (n, lane) in lanes[..count].iter_mut().enumerate() {
            // SAFETY: the caller promises that so many elements are there, at this distance.
            *lane = widen(unsafe { from.offset(n as isize * step).cast::<T>().read_unaligned() });
        }
    };
    match step {
        None => copy(size_of::<T>() as isize),
        Some(step) => copy(step),
    }
}

/// Stores lanes as elements, `step` bytes from each other.
///
/// # Safety
/// There is memory for so many elements.
unsafe fn scatter<T: Copy, C: Cell>(strip: &Strip, to: *mut u8, step: isize, count: usize, narrow: impl Fn(C) -> T) {
    let lanes = C::lanes(strip);
    let step = if step == size_of::<T>() as isize { None } else { Some(step) };
    let copy = |step: isize| {
        for (n, lane) in lanes[..count].iter().enumerate() {
            // SAFETY: the caller promises that there is room for so many elements, at this distance.
            unsafe { to.offset(n as isize * step).cast::<T>().write_unaligned(narrow(*lane)) };
        }
    };
    match step {
        None => copy(size_of::<T>() as isize),
        Some(step) => copy(step),
    }
}
