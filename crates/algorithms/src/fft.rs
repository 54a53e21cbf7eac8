//! Discrete Fourier transforms along an axis.

use super::operand::{Lanes, MOST, expect_floats, expect_single, int, no_axis, tensor};
use super::transform::{Complex, Plan};
use super::{Algorithm, attributes};
use std::ops::RangeInclusive;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, TensorMut, Value};

/// ONNX `DFT`: computes in f64, for any length.
///
/// Inputs: `x` (floats), whose last dim holds a real number or the real and the imaginary part of a complex one; the
/// length (one i64; absent: the size of the axis, `2 * (size - 1)` for a one-sided inverse). A signal is cut or filled
/// with zeros to the length. Output: complex numbers, scaled by `1/length` when inverse.
///
/// One-sided: a real signal of `n` gives the `n/2 + 1` values that determine the others; the inverse takes these and
/// gives the real signal, with a last dim of 1, whatever the imaginary parts of the first and (`n` even) last are.
#[derive(Clone, Debug, PartialEq)]
pub struct Fft {
    /// The axis of the signals; not the last.
    pub axis: usize,
    /// From the spectrum to the signal.
    pub inverse: bool,
    /// Spectra of real signals have only their first half.
    pub onesided: bool,
    /// What is known of the input length before it is computed; nothing without that input.
    pub length: Option<Ix>,
}

impl Algorithm for Fft {
    const NAME: &'static str = "fft";
    const DOC: &'static str = "The discrete Fourier transform of `x` along an axis, or its inverse.";

    attributes!(axis, inverse, onesided, length);

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=2
    }

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let x = inputs[0].as_tensor()?;
        expect_floats(x.dtype)?;
        let last = self.check_axis(x.rank())?;
        if let Some(parts) = x.shape[last].as_const() {
            self.check_parts(parts)?;
        }
        let length = match (inputs.get(1), &self.length) {
            (Some(ty), known) => {
                expect_single(ty, DType::I64, "the length")?;
                known.clone().unwrap_or_else(fresh)
            }
            (None, _) if self.restores() => &(&x.shape[self.axis] - &Ix::konst(1)) * &Ix::konst(2),
            (None, _) => x.shape[self.axis].clone(),
        };
        if let Some(length) = length.as_const() {
            check_length(length)?;
        }
        let mut shape = x.shape.clone();
        shape[last] = Ix::konst(if self.restores() { 1 } else { 2 });
        shape[self.axis] = match self.halves() {
            true => &length.floor_div(&Ix::konst(2)) + &Ix::konst(1),
            false => length,
        };
        Ok(vec![Type::tensor(x.dtype, shape)])
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let x = tensor(inputs, 0)?;
        expect_floats(x.dtype())?;
        let last = self.check_axis(x.rank())?;
        let parts = self.check_parts(x.shape()[last] as i64)?;
        let size = x.shape()[self.axis];
        let n = check_length(match inputs.get(1) {
            Some(_) => int(inputs, 1, "the length")?,
            None if self.restores() => 2 * (size as i64 - 1),
            None => size as i64,
        })?;
        let lanes = Lanes::of(&x.shape()[..last], self.axis)?;
        if n > size && lanes.outer.saturating_mul(lanes.inner).saturating_mul(n) > MOST {
            return Err(Diagnostic::limit(format!("{} signals of {size} filled to {n}", lanes.outer * lanes.inner)));
        }
        let (kept, made) = (if self.halves() { n / 2 + 1 } else { n }, if self.restores() { 1 } else { 2 });
        let mut shape = x.shape().to_vec();
        (shape[self.axis], shape[last]) = (kept, made);
        let mut out = TensorMut::new(x.dtype(), &shape)?;
        let plan = Plan::new(n);
        for (from, to) in lanes.starts(lanes.len).zip(lanes.starts(kept)) {
            let signal = self.signal(x, n, (from * parts, lanes.inner * parts));
            let result = plan.run(&signal, self.inverse);
            let stride = (lanes.inner * made) as isize;
            let real: Vec<f64> = result[..kept].iter().map(|c| c.re).collect();
            out.write_f64(to * made, stride, &real);
            if made == 2 {
                let imaginary: Vec<f64> = result[..kept].iter().map(|c| c.im).collect();
                out.write_f64(to * made + 1, stride, &imaginary);
            }
        }
        Ok(vec![Value::Tensor(out.finish())])
    }
}

impl Fft {
    /// Is the result half a spectrum?
    fn halves(&self) -> bool {
        self.onesided && !self.inverse
    }

    /// Is the result a real signal from half a spectrum?
    fn restores(&self) -> bool {
        self.onesided && self.inverse
    }

    /// The position of the last dim.
    fn check_axis(&self, rank: usize) -> Result<usize> {
        match rank.checked_sub(1) {
            Some(last) if self.axis < last => Ok(last),
            _ => Err(no_axis(self.axis, rank).help("the last axis holds the parts of complex numbers")),
        }
    }

    fn check_parts(&self, parts: i64) -> Result<usize> {
        let wanted = match (self.onesided, self.inverse) {
            (true, false) => "1, as a one-sided transform takes real signals",
            (true, true) => "2, as a one-sided inverse takes complex spectra",
            (false, _) => "1 (real) or 2 (complex)",
        };
        match parts {
            1 if !self.restores() => Ok(1),
            2 if !self.halves() => Ok(2),
            _ => Err(Diagnostic::shape(format!("the last dim is {parts}; it must be {wanted}"))),
        }
    }

    /// The `n` numbers to transform, of the elements that start at and lie apart by what `place` says.
    fn signal(&self, x: &Tensor, n: usize, place: (usize, usize)) -> Vec<Complex> {
        let (start, stride) = place;
        let parts = if x.shape().last() == Some(&2) { 2 } else { 1 };
        let given = x.shape()[self.axis].min(if self.restores() { n / 2 + 1 } else { n });
        let (mut re, mut im) = (vec![0.0; given], vec![0.0; given]);
        x.read_f64(start, stride as isize, &mut re);
        if parts == 2 {
            x.read_f64(start + 1, stride as isize, &mut im);
        }
        let mut signal = vec![Complex::default(); n];
        signal.iter_mut().zip(re.into_iter().zip(im)).for_each(|(s, (re, im))| *s = Complex { re, im });
        if self.restores() {
            signal[0].im = 0.0;
            if n.is_multiple_of(2) {
                signal[n / 2].im = 0.0;
            }
            (1..n.div_ceil(2)).for_each(|k| signal[n - k] = signal[k].conj());
        }
        signal
    }
}

fn check_length(length: i64) -> Result<usize> {
    match usize::try_from(length) {
        Ok(n @ 1..) => Ok(n),
        _ => Err(Diagnostic::value(format!("a transform of length {length}; it must be at least 1"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{floats, ints, refused, run};

    fn fft(axis: usize, inverse: bool, onesided: bool) -> Fft {
        Fft { axis, inverse, onesided, length: None }
    }

    fn close(found: &Tensor, shape: &[usize], wanted: &[f64]) {
        assert_eq!(found.shape(), shape);
        let off = found.to_vec_f64().iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{found:?}");
    }

    #[test]
    fn half_spectra_and_back() {
        let x = floats(&[1, 6, 1], &[0., 1., 2., 3., 4., 5.]);
        let half = run(fft(1, false, true), std::slice::from_ref(&x));
        close(&half[0], &[1, 4, 2], &[15.0, 0.0, -3.0, 5.1962, -3.0, 1.7321, -3.0, 0.0]);
        close(&run(fft(1, true, true), &half)[0], &[1, 6, 1], &[0., 1., 2., 3., 4., 5.]);
        // numpy.fft.irfft(spectrum, 5) of the same.
        let five = run(fft(1, true, true), &[half[0].clone(), ints(&[], &[5])]);
        close(&five[0], &[1, 5, 1], &[0.6, 1.21604, 3.03722, 4.16278, 5.98396]);
        close(&run(fft(1, true, true), &[half[0].clone(), ints(&[], &[1])])[0], &[1, 1, 1], &[15.0]);
    }

    #[test]
    fn lengths_axes_and_dtypes() {
        let x = Tensor::from_f64(DType::F16, &[3, 2, 1], &[1., 2., 3., 4., 5., 6.]).unwrap();
        let columns = run(fft(0, false, false), std::slice::from_ref(&x));
        let w = 1.7321;
        close(&columns[0], &[3, 2, 2], &[9., 0., 12., 0., -3., w, -3., w, -3., -w, -3., -w]);
        let padded = Fft { length: Some(Ix::konst(4)), ..fft(0, false, false) };
        let padded = run(padded, &[x.clone(), ints(&[], &[4])]);
        close(&padded[0], &[4, 2, 2], &[9., 0., 12., 0., -4., -3., -4., -4., 3., 0., 4., 0., -4., 3., -4., 4.]);
        close(
            &run(fft(1, true, false), &[x])[0],
            &[3, 2, 2],
            &[1.5, 0., -0.5, 0., 3.5, 0., -0.5, 0., 5.5, 0., -0.5, 0.],
        );
        let none = Tensor::zeros(DType::F64, &[0, 3, 2]).unwrap();
        assert_eq!(run(fft(1, false, false), &[none])[0].shape(), [0, 3, 2]);
    }

    #[test]
    fn what_has_no_transform() {
        let refuse = |op: Fft, x: Tensor, length: i64| refused(op, &[x, ints(&[], &[length])]);
        let x = floats(&[2, 1], &[1.0, 2.0]);
        let message = refuse(fft(0, true, true), x.clone(), 2);
        assert_eq!(message, "the last dim is 1; it must be 2, as a one-sided inverse takes complex spectra");
        assert_eq!(refuse(fft(1, false, false), x.clone(), 2), "axis 1 of a tensor of rank 2");
        assert_eq!(refuse(fft(0, false, false), x.clone(), 0), "a transform of length 0; it must be at least 1");
        assert_eq!(refuse(fft(0, false, false), x, 1 << 40), "1 signals of 2 filled to 1099511627776");
        assert_eq!(
            refused(fft(0, true, true), &[floats(&[0, 2], &[])]),
            "a transform of length -2; it must be at least 1"
        );
        assert_eq!(refused(fft(0, false, true), &[ints(&[1, 1], &[1])]), "the elements must be floats, not i64");
    }
}
