//! Derivatives of comprehensions, which are comprehensions again, and reverse mode over graphs.
//!
//! For `out[p] = combine over r of body(p, r)` and the cotangent `d[p]`, the adjoint of a read
//! `x[index(p, r)]` in the body is `{ u | sum residual : Where(guards, g, 0) }`: `g` is what flows
//! into the read ([`flow`]) from the cotangent and the combiner (`reduce`), at those points with
//! `index(p, r) = u` ([`invert`](mod@invert)). So no adjoint scatters, except that of a gather through an index
//! tensor.

pub mod flow;
pub mod invert;
pub mod linear;
mod reduce;
mod scatter;
mod share;
mod site;
mod system;
pub mod term;
mod vjp;

pub(crate) use system::gcd;
pub use vjp::vjp;
