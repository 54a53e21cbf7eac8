//! Linear forms of index expressions.

use tilewright_tensor::ix::{Atom, Ix};

/// Products and sums of a few coefficients up to this do not overflow.
const LARGEST: i64 = 1 << 31;

/// `sum of coefficient * axis + rest`: coefficients are free of axes and operand elements, `rest`
/// is free of the axes asked for.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Axes that occur, and their coefficients.
    pub terms: Vec<(u32, Ix)>,
    /// What remains.
    pub rest: Ix,
}

impl Linear {
    /// The form of `e` in the axes for which `of` holds; `None` where it is not linear in them, or
    /// with coefficients of more than 31 bits.
    pub fn of(e: &Ix, of: &dyn Fn(u32) -> bool) -> Option<Self> {
        let mut terms: Vec<(u32, Ix)> = Vec::new();
        let mut rest = e.clone();
        for (product, c) in e.terms() {
            if !product.iter().any(|a| uses(a, of)) {
                continue;
            }
            let mut axis = None;
            let mut coefficient = Ix::konst(*c);
            for a in product {
                match a {
                    Atom::Axis(a) if axis.is_none() && of(*a) => axis = Some(*a),
                    a => coefficient = &coefficient * &Ix::atom(a.clone()),
                }
            }
            let fits = (-LARGEST..=LARGEST).contains(c) && coefficient.is_dim();
            let axis = axis.filter(|_| fits)?;
            rest = rest - &coefficient * &Ix::axis(axis);
            match terms.iter_mut().find(|(a, _)| *a == axis) {
                Some((_, sum)) => *sum = &*sum + &coefficient,
                None => terms.push((axis, coefficient)),
            }
        }
        Some(Self { terms, rest })
    }

    /// The coefficient of an axis.
    pub fn coefficient(&self, axis: u32) -> Ix {
        self.terms.iter().find(|(a, _)| *a == axis).map_or_else(Ix::zero, |(_, c)| c.clone())
    }

    /// The form with all signs turned.
    pub fn negated(&self) -> Self {
        let terms = self.terms.iter().map(|(a, c)| (*a, -c.clone())).collect();
        Self { terms, rest: -self.rest.clone() }
    }
}

/// Whether an axis for which `of` holds occurs in an atom.
pub fn uses(atom: &Atom, of: &dyn Fn(u32) -> bool) -> bool {
    let mut found = false;
    Ix::atom(atom.clone()).visit(&mut |x| found |= matches!(x, Atom::Axis(a) if of(*a)));
    found
}
