//! Derivatives of scatters.
//!
//! | combine | cotangent of `x[u]` | cotangent of a value scattered to `u` |
//! |---|---|---|
//! | replace | `d[u]` where nothing is written | `d[u]` for the last that is written |
//! | add | `d[u]` | `d[u]` |
//! | mul | `d[u]` times the other factors | the same |
//! | min, max | an even share of `d[u]` if it equals the result | the same |

use super::invert::named_axes;
use super::site::{Site, total};
use crate::builder::Builder;
use crate::comp::{Axis, Combiner, Comp, Role};
use crate::graph::ValueId;
use crate::op::{Combine, Scatter};
use crate::scalar::Scalar;
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;

/// The gradients of the wanted inputs of a scatter, given its result and the cotangent of that.
pub(super) fn pull(
    b: &mut Builder,
    scatter: &Scatter,
    inputs: &[ValueId],
    ends: [ValueId; 2],
    wanted: &[bool],
) -> Result<Vec<Option<ValueId>>> {
    let x = b.tensor(inputs[0])?;
    let axis =
        |(name, extent): &(_, Ix)| Axis { name: Clone::clone(name), extent: extent.clone(), role: Role::Parallel };
    let axes: Vec<Axis> = scatter.axes.iter().map(axis).collect();
    let points = ("scatter".into(), axes, scatter.index.clone(), scatter.body.clone());
    let own: Vec<Ix> = (0..x.rank()).map(|d| Ix::axis(d as u32)).collect();
    let places = named_axes("u", &x.shape, Role::Parallel);
    let places = ("scatter".into(), places, own.clone(), Scalar::read(0, x.dtype, own));
    let mut both = Both { points: Site::new(points, inputs, ends), places: Site::new(places, inputs, ends) };
    let seeds = both.seeds(b, scatter.combine)?;
    let mut only_x = vec![false; inputs.len()];
    only_x[0] = wanted[0];
    let of_points = both.points.pull(b, seeds.points, None, wanted)?;
    let of_places = both.places.pull(b, seeds.places, None, &only_x)?;
    let join = |(i, (a, c)): (usize, (Option<ValueId>, Option<ValueId>))| {
        let ty = b.tensor(inputs[i])?;
        total(b, &a.into_iter().chain(c).collect::<Vec<_>>(), &ty)
    };
    of_points.into_iter().zip(of_places).enumerate().map(join).collect()
}

/// Something for the scattered values, and for the places they meet.
struct Both<T> {
    points: T,
    places: T,
}

impl Both<Site> {
    fn map(&self, f: impl Fn(&Site) -> Scalar) -> Both<Scalar> {
        Both { points: f(&self.points), places: f(&self.places) }
    }

    /// Scatters values onto those of the places; the result can be read at both.
    fn tally(&mut self, b: &mut Builder, values: Both<Scalar>, combine: Combine) -> Result<Both<Scalar>> {
        let dtype = values.places.dtype();
        let init = Comp::new("scatter_adjoint", self.places.axes.clone(), Combiner::Map, values.places);
        let init = self.places.emit(b, init);
        let at = self.points.at.clone();
        let value = self.points.scatter(b, (init, combine), &at, &values.points)?;
        Ok(Both { points: self.points.keep_value(value, dtype), places: self.places.keep_value(value, dtype) })
    }

    fn seeds(&mut self, b: &mut Builder, combine: Combine) -> Result<Both<Scalar>> {
        match combine {
            Combine::Add => Ok(self.map(Site::cotangent)),
            Combine::Replace => {
                let points = Scalar::index(self.points.order(Role::Parallel) + 1);
                let unwritten = Scalar::index(Ix::zero());
                let marks = Both { points: points.clone(), places: unwritten.clone() };
                let last = self.tally(b, marks, combine)?;
                let (at_point, at_place) = (self.points.cotangent(), self.places.cotangent());
                Ok(Both {
                    points: last.points.equals(&points).select(&at_point, &at_point.lit(0.0)),
                    places: last.places.equals(&unwritten).select(&at_place, &at_place.lit(0.0)),
                })
            }
            Combine::Mul => {
                let zeros = self.tally(b, self.map(Site::absences), Combine::Add)?;
                let rest = self.tally(b, self.map(Site::presences), Combine::Mul)?;
                let points = self.points.co_factor(zeros.points, rest.points);
                Ok(Both { points, places: self.places.co_factor(zeros.places, rest.places) })
            }
            Combine::Min | Combine::Max => {
                let count = self.tally(b, self.map(Site::winners), Combine::Add)?;
                Ok(Both { points: self.points.share(count.points), places: self.places.share(count.places) })
            }
        }
    }
}
