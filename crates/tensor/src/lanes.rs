//! Elements as computing lanes: floats in f64, integers and bools in i64 (u64 as its bits).
//!
//! One loop a storage type; the dtype is looked at once a call, and so are the bounds of a strided access.
use crate::DType;
use crate::convert::{self, decode_bf16, decode_f16, decode_table, encode_f64, float_to_int, int_to_float};

/// Which elements an access names.
#[derive(Clone, Copy)]
pub(crate) enum At<'a> {
    /// `start`, `start + stride`, ...
    Strided(usize, isize),
    /// Each by its own index.
    Listed(&'a [i64]),
}

/// Panics unless `count` elements from `start` in steps of `stride` lie in `0..len`.
fn check_span(len: usize, start: usize, stride: isize, count: usize) {
    let last = isize::try_from(count - 1)
        .ok()
        .and_then(|steps| steps.checked_mul(stride))
        .and_then(|distance| start.checked_add_signed(distance));
    assert!(
        start < len && last.is_some_and(|last| last < len),
        "{count} elements from {start} in steps of {stride} leave a tensor of {len}"
    );
}

fn read<S: Copy, D: Copy>(src: &[S], at: At, out: &mut [D], f: impl Fn(S) -> D) {
    let count = out.len();
    if count == 0 {
        return;
    }
    match at {
        At::Listed(index) => {
            assert_eq!(index.len(), count, "as many indices as results");
            out.iter_mut().zip(index).for_each(|(o, &i)| *o = f(src[i as usize]));
            return;
        }
        At::Strided(start, stride) => check_span(src.len(), start, stride, count),
    }
    match at {
        At::Strided(start, 0) => out.fill(f(src[start])),
        At::Strided(start, 1) => out.iter_mut().zip(&src[start..start + count]).for_each(|(o, &x)| *o = f(x)),
        At::Strided(start, step @ 1..) => {
            out.iter_mut().zip(src[start..].iter().step_by(step.unsigned_abs())).for_each(|(o, &x)| *o = f(x));
        }
        At::Strided(start, step) => {
            let backwards = src[..=start].iter().rev().step_by(step.unsigned_abs());
            out.iter_mut().zip(backwards).for_each(|(o, &x)| *o = f(x));
        }
        At::Listed(_) => {}
    }
}

fn write<S: Copy, D>(dst: &mut [D], start: usize, stride: isize, src: &[S], f: impl Fn(S) -> D) {
    let count = src.len();
    if count == 0 {
        return;
    }
    check_span(dst.len(), start, stride, count);
    match stride {
        0 => dst[start] = f(src[count - 1]),
        1 => dst[start..start + count].iter_mut().zip(src).for_each(|(o, &x)| *o = f(x)),
        2.. => dst[start..].iter_mut().step_by(stride.unsigned_abs()).zip(src).for_each(|(o, &x)| *o = f(x)),
        _ => {
            let backwards = dst[..=start].iter_mut().rev().step_by(stride.unsigned_abs());
            backwards.zip(src).for_each(|(o, &x)| *o = f(x));
        }
    }
}

/// Where packed element `i` lies: its byte and its shift there.
fn place(bits: usize, i: usize) -> (usize, usize) {
    (i * bits / 8, i * bits % 8)
}

/// The elements of a tensor, to be read.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<'a> {
    pub(crate) dtype: DType,
    pub(crate) len: usize,
    pub(crate) bytes: &'a [u8],
}

impl Lanes<'_> {
    fn of<T: bytemuck::AnyBitPattern>(&self) -> &[T] {
        bytemuck::cast_slice(self.bytes)
    }

    fn packed<D: Copy>(&self, at: At, out: &mut [D], f: impl Fn(u8) -> D) {
        let bits = self.dtype.bits();
        let get = |i: usize| {
            let (byte, shift) = place(bits, i);
            f(self.bytes[byte] >> shift & ((1 << bits) - 1))
        };
        match at {
            At::Listed(index) => {
                assert_eq!(index.len(), out.len(), "as many indices as results");
                for (o, &i) in out.iter_mut().zip(index) {
                    assert!((i as usize) < self.len, "index {i} leaves a tensor of {}", self.len);
                    *o = get(i as usize);
                }
            }
            At::Strided(..) if out.is_empty() => {}
            At::Strided(start, stride) => {
                check_span(self.len, start, stride, out.len());
                for (step, o) in out.iter_mut().enumerate() {
                    *o = get(start.wrapping_add_signed(stride.wrapping_mul(step as isize)));
                }
            }
        }
    }

    /// Elements as f64; integers are converted.
    pub(crate) fn f64(&self, at: At, out: &mut [f64]) {
        use DType::*;
        match self.dtype {
            F64 => read(self.of::<f64>(), at, out, |x| x),
            F32 => read(self.of::<f32>(), at, out, f64::from),
            F16 => read(self.of::<u16>(), at, out, decode_f16),
            BF16 => read(self.of::<u16>(), at, out, decode_bf16),
            F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0 => {
                let table = decode_table(self.dtype);
                read(self.bytes, at, out, |code| table[usize::from(code)]);
            }
            F4E2M1 => {
                let table = decode_table(F4E2M1);
                self.packed(at, out, |code| table[usize::from(code)]);
            }
            Bool | U8 => read(self.bytes, at, out, f64::from),
            I8 => read(self.of::<i8>(), at, out, f64::from),
            I16 => read(self.of::<i16>(), at, out, f64::from),
            U16 => read(self.of::<u16>(), at, out, f64::from),
            I32 => read(self.of::<i32>(), at, out, f64::from),
            U32 => read(self.of::<u32>(), at, out, f64::from),
            I64 => read(self.of::<i64>(), at, out, |x| x as f64),
            U64 => read(self.of::<u64>(), at, out, |x| x as f64),
            I2 | U2 | I4 | U4 => self.packed(at, out, |code| convert::wrap_to(self.dtype, i64::from(code)) as f64),
            String => panic!("strings have no lanes"),
        }
    }

    /// Elements as i64; floats are converted as [`float_to_int`] does for i64.
    pub(crate) fn i64(&self, at: At, out: &mut [i64]) {
        use DType::*;
        match self.dtype {
            I64 | U64 => read(self.of::<i64>(), at, out, |x| x),
            I32 => read(self.of::<i32>(), at, out, i64::from),
            U32 => read(self.of::<u32>(), at, out, i64::from),
            I16 => read(self.of::<i16>(), at, out, i64::from),
            U16 => read(self.of::<u16>(), at, out, i64::from),
            I8 => read(self.of::<i8>(), at, out, i64::from),
            Bool | U8 => read(self.bytes, at, out, i64::from),
            I2 | U2 | I4 | U4 => self.packed(at, out, |code| convert::wrap_to(self.dtype, i64::from(code))),
            String => panic!("strings have no lanes"),
            _ => {
                let mut floats = vec![0.0; out.len()];
                self.f64(at, &mut floats);
                out.iter_mut().zip(floats).for_each(|(o, x)| *o = float_to_int(I64, x));
            }
        }
    }
}

/// The elements of a tensor, to be written.
pub(crate) struct LanesMut<'a> {
    pub(crate) dtype: DType,
    pub(crate) len: usize,
    pub(crate) bytes: &'a mut [u8],
}

impl LanesMut<'_> {
    fn of<T: bytemuck::Pod>(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(self.bytes)
    }

    fn packed<S: Copy>(&mut self, start: usize, stride: isize, src: &[S], f: impl Fn(S) -> u8) {
        if src.is_empty() {
            return;
        }
        check_span(self.len, start, stride, src.len());
        let bits = self.dtype.bits();
        let mask = (1u8 << bits) - 1;
        for (step, &x) in src.iter().enumerate() {
            let (byte, shift) = place(bits, start.wrapping_add_signed(stride.wrapping_mul(step as isize)));
            let kept = self.bytes[byte] & !(mask << shift);
            self.bytes[byte] = kept | (f(x) & mask) << shift;
        }
    }

    /// Stores floats, rounded to the dtype. See `TensorMut::write_f64`.
    pub(crate) fn f64(&mut self, start: usize, stride: isize, src: &[f64]) {
        use DType::*;
        let dtype = self.dtype;
        match dtype {
            F64 => write(self.of::<f64>(), start, stride, src, |x| x),
            F32 => write(self.of::<f32>(), start, stride, src, |x| x as f32),
            F16 => write(self.of::<u16>(), start, stride, src, |x| encode_f64(F16, x, false) as u16),
            BF16 => write(self.of::<u16>(), start, stride, src, |x| encode_f64(BF16, x, false) as u16),
            F8E5M2 => write(self.bytes, start, stride, src, |x| encode_f64(F8E5M2, x, false) as u8),
            F8E4M3FN | F8E4M3FNUZ | F8E5M2FNUZ | F8E8M0 => {
                write(self.bytes, start, stride, src, |x| encode_f64(dtype, x, true) as u8);
            }
            F4E2M1 => self.packed(start, stride, src, |x| encode_f64(F4E2M1, x, true) as u8),
            Bool | U8 => write(self.bytes, start, stride, src, |x| float_to_int(dtype, x) as u8),
            I8 => write(self.of::<i8>(), start, stride, src, |x| float_to_int(I8, x) as i8),
            I16 => write(self.of::<i16>(), start, stride, src, |x| float_to_int(I16, x) as i16),
            U16 => write(self.of::<u16>(), start, stride, src, |x| float_to_int(U16, x) as u16),
            I32 => write(self.of::<i32>(), start, stride, src, |x| float_to_int(I32, x) as i32),
            U32 => write(self.of::<u32>(), start, stride, src, |x| float_to_int(U32, x) as u32),
            I64 | U64 => write(self.of::<i64>(), start, stride, src, |x| float_to_int(dtype, x)),
            I2 | U2 | I4 | U4 => self.packed(start, stride, src, |x| float_to_int(dtype, x) as u8),
            String => panic!("strings have no lanes"),
        }
    }

    /// Stores integers, wrapped to the dtype. See `TensorMut::write_i64`.
    pub(crate) fn i64(&mut self, start: usize, stride: isize, src: &[i64]) {
        use DType::*;
        let dtype = self.dtype;
        match dtype {
            I64 | U64 => write(self.of::<i64>(), start, stride, src, |x| x),
            I32 | U32 => write(self.of::<i32>(), start, stride, src, |x| x as i32),
            I16 | U16 => write(self.of::<i16>(), start, stride, src, |x| x as i16),
            I8 | U8 => write(self.of::<i8>(), start, stride, src, |x| x as i8),
            Bool => write(self.bytes, start, stride, src, |x| u8::from(x != 0)),
            I2 | U2 | I4 | U4 => self.packed(start, stride, src, |x| x as u8),
            String => panic!("strings have no lanes"),
            _ => {
                let floats: Vec<f64> = src.iter().map(|&x| int_to_float(dtype, x)).collect();
                self.f64(start, stride, &floats);
            }
        }
    }
}
