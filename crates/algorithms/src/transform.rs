//! Fourier transforms of any length: mixed radix, and chirps for large prime factors.

use std::f64::consts::FRAC_PI_2;
use std::ops::{Add, Mul};

/// A complex number.
#[derive(Clone, Copy, Default)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    pub(super) fn conj(self) -> Self {
        Self { im: -self.im, ..self }
    }

    fn scale(self, by: f64) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (re, im) = (self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re);
        Self { re, im }
    }
}

/// Factors up to this are summed directly.
const DIRECT: usize = 64;

/// What transforms of one length share.
pub(super) struct Plan {
    /// `e^(-2 pi i k / n)` for every `k`.
    roots: Vec<Complex>,
    chirp: Option<Chirp>,
}

/// Bluestein's algorithm: as `jk = (j^2 + k^2 - (k - j)^2) / 2`, a transform is a convolution with
/// `e^(pi i j^2 / n)`, which transforms of a power of two compute.
struct Chirp {
    /// `e^(-pi i j^2 / n)`.
    wave: Vec<Complex>,
    /// The transform of the conjugate wave, laid out for cyclic convolution.
    spectrum: Vec<Complex>,
    plan: Box<Plan>,
}

impl Plan {
    /// The plan of length `n`, at least 1.
    pub(super) fn new(n: usize) -> Self {
        let roots = (0..n).map(|k| root(k, n)).collect();
        Self { roots, chirp: (largest_factor(n) > DIRECT).then(|| Chirp::new(n)) }
    }

    /// The transform of as many numbers as the plan is for; `inverse` has the opposite sign and divides by `n`.
    pub(super) fn run(&self, x: &[Complex], inverse: bool) -> Vec<Complex> {
        if !inverse {
            return self.forward(x);
        }
        let scale = 1.0 / x.len() as f64;
        let conjugate: Vec<Complex> = x.iter().map(|c| c.conj()).collect();
        self.forward(&conjugate).into_iter().map(|c| c.conj().scale(scale)).collect()
    }

    fn forward(&self, x: &[Complex]) -> Vec<Complex> {
        match &self.chirp {
            Some(chirp) => chirp.forward(x),
            None => self.mixed(x, 0, 1),
        }
    }

    /// The transform of `x[start]`, `x[start + step]`, ...: those of every `p`-th element, joined.
    fn mixed(&self, x: &[Complex], start: usize, step: usize) -> Vec<Complex> {
        let n = self.roots.len() / step;
        if n == 1 {
            return vec![x[start]];
        }
        let p = smallest_factor(n);
        let parts: Vec<Vec<Complex>> = (0..p).map(|r| self.mixed(x, start + r * step, step * p)).collect();
        let at = |k: usize| {
            let terms = parts.iter().enumerate().map(|(r, part)| part[k % (n / p)] * self.roots[r * k % n * step]);
            terms.fold(Complex::default(), Complex::add)
        };
        (0..n).map(at).collect()
    }
}

impl Chirp {
    fn new(n: usize) -> Self {
        let square = |j: usize| (j as u128 * j as u128 % (2 * n as u128)) as usize;
        let wave: Vec<Complex> = (0..n).map(|j| root(square(j), 2 * n)).collect();
        let plan = Box::new(Plan::new((2 * n - 1).next_power_of_two()));
        let mut kernel = vec![Complex::default(); plan.roots.len()];
        for (j, w) in wave.iter().enumerate() {
            let end = kernel.len() - j;
            (kernel[j], kernel[end % plan.roots.len()]) = (w.conj(), w.conj());
        }
        Self { spectrum: plan.forward(&kernel), wave, plan }
    }

    fn forward(&self, x: &[Complex]) -> Vec<Complex> {
        let mut signal: Vec<Complex> = x.iter().zip(&self.wave).map(|(x, w)| *x * *w).collect();
        signal.resize(self.spectrum.len(), Complex::default());
        let product = self.plan.forward(&signal).into_iter().zip(&self.spectrum).map(|(a, b)| a * *b);
        let convolved = self.plan.run(&product.collect::<Vec<_>>(), true);
        convolved.into_iter().zip(&self.wave).map(|(c, w)| c * *w).collect()
    }
}

/// `e^(-2 pi i k / n)`, exact at quarter turns.
fn root(k: usize, n: usize) -> Complex {
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    let (sin, cos) = libm::sincos(rest as f64 / n as f64 * FRAC_PI_2);
    let (re, im) = match quarter {
        0 => (cos, -sin),
        1 => (-sin, -cos),
        2 => (-cos, sin),
        _ => (sin, cos),
    };
    Complex { re, im }
}

fn smallest_factor(n: usize) -> usize {
    (2..).take_while(|p| p * p <= n).find(|p| n.is_multiple_of(*p)).unwrap_or(n)
}

fn largest_factor(mut n: usize) -> usize {
    let mut largest = 1;
    while n > 1 {
        largest = smallest_factor(n);
        n /= largest;
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, with exact angles.
    fn direct(x: &[Complex]) -> Vec<Complex> {
        let n = x.len();
        let term = |j: usize, k: usize| x[j] * root(j * k % n, n);
        (0..n).map(|k| (0..n).map(|j| term(j, k)).fold(Complex::default(), Complex::add)).collect()
    }

    #[test]
    fn every_length_follows_the_definition_and_inverts() {
        for n in (1..=40).chain([64, 67, 97, 134, 210, 256, 331]) {
            let x: Vec<Complex> =
                (0..n).map(|j| Complex { re: (j * j % 7) as f64, im: (j % 5) as f64 - 2.0 }).collect();
            let plan = Plan::new(n);
            let spectrum = plan.run(&x, false);
            let back = plan.run(&spectrum, true);
            for ((found, wanted), (b, x)) in spectrum.iter().zip(direct(&x)).zip(back.iter().zip(&x)) {
                let error = (found.re - wanted.re).abs() + (found.im - wanted.im).abs();
                assert!(error < 1e-11 * n as f64, "length {n}: {error}");
                assert!((b.re - x.re).abs() + (b.im - x.im).abs() < 1e-12 * n as f64, "length {n}");
            }
        }
    }
}
