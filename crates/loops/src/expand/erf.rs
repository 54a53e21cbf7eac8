//! Family erf.
use crate::block::{Block, Val};
use tilewright_scalar::Func;

pub(super) fn call(_: &mut Block, _: Func, _: Val) -> Option<Val> {
    None
}
