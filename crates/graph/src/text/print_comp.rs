//! Comprehensions as text.

use crate::comp::{Combiner, Comp, Role};
use crate::op::Scatter;
use std::fmt::{self, Display};
use tilewright_scalar::text::{Scope, Shown, quoted};
use tilewright_tensor::ix::Ix;

/// `i:4`, or `i_1 "i":4` for the second axis called `i`.
fn axis_with_extent(scope: &Scope, a: usize, name: &str, extent: &Ix) -> String {
    format!("{}:{}", scope.declared(a as u32, name), Shown(extent, scope))
}

/// `{ i:N, j:64 | sum k:768 : $0[i, k] * $1[k, j] }`.
pub(super) fn comp(c: &Comp) -> String {
    let scope = Scope::new(c.axes.iter().map(|a| &a.name));
    let axes = c.axes.iter().enumerate().map(|(i, a)| {
        let role = match a.role {
            Role::Scan { reverse, exclusive } => {
                format!(" scan{}{}", if reverse { " reverse" } else { "" }, if exclusive { " exclusive" } else { "" })
            }
            _ => String::new(),
        };
        axis_with_extent(&scope, i, &a.name, &a.extent) + &role
    });
    let axes: Vec<String> = axes.collect();
    let (parallel, reduced) = axes.split_at(c.rank());
    let mut out = format!("{{ {} ", parallel.join(", "));
    if c.combiner != Combiner::Map || !reduced.is_empty() {
        let space = if reduced.is_empty() { "" } else { " " };
        out.push_str(&format!("| {}{space}{} ", c.combiner.name(), reduced.join(", ")));
    }
    out.push_str(": ");
    out.push_str(&scope.expression(&c.body));
    for check in &c.checks {
        let (left, right) = (Shown(&check.left, &scope), Shown(&check.right, &scope));
        out.push_str(&format!(" ; {left} == {right} {}", quoted(&check.about)));
    }
    out + " }"
}

/// `{ i:4, j:3 : out[$1[i], j] <- $2[i, j] }`.
pub(super) fn scatter(s: &Scatter) -> String {
    let scope = Scope::new(s.axes.iter().map(|(name, _)| name));
    let axes = s.axes.iter().enumerate().map(|(i, (name, extent))| axis_with_extent(&scope, i, name, extent));
    let axes = axes.collect::<Vec<_>>().join(", ");
    let mut out = format!("{{ {axes} : out[{}] <- ", scope.indices(&s.index));
    out.push_str(&scope.expression(&s.body));
    out + " }"
}

impl Display for Comp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&comp(self))
    }
}
