//! In which pass over the rows each value of a group is found, and its expression there.

use super::{Gives, Group, Member};
use tilewright_graph::scalar::Kind;
use tilewright_graph::{Func, Scalar};

/// The most nodes of an expression.
pub const LARGEST: usize = 200;

/// Nodes of an expression, counted as often as they are used.
pub fn size(s: &Scalar) -> usize {
    let mut n = 0;
    if s.depth() as usize > LARGEST {
        return LARGEST + 1;
    }
    s.visit(&mut |_| n += 1);
    n
}

/// For each member, the first stage in which its value can be used; a reduced one is found in the stage before.
pub fn ready(group: &Group) -> Vec<usize> {
    let mut ready: Vec<usize> = Vec::with_capacity(group.members.len());
    for member in &group.members {
        let own = sources(group, member).into_iter().map(|at| ready[at]).max().unwrap_or(0);
        ready.push(if member.gives == Gives::Reduced { own + 1 } else { own });
    }
    ready
}

/// Members whose values a member reads.
pub fn sources(group: &Group, member: &Member) -> Vec<usize> {
    let mut out: Vec<usize> = member.inputs.iter().filter_map(|v| group.of(*v)).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// For each member the stages in which its expression is written out: those of the reductions and stores that need it,
/// where it is not kept.
pub fn uses(
    group: &Group,
    ready: &[usize],
    kept: &dyn Fn(usize) -> bool,
    stored: &dyn Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); group.members.len()];
    for at in (0..group.members.len()).rev() {
        let member = &group.members[at];
        let mut stages = match member.gives {
            Gives::Reduced => vec![ready[at] - 1],
            _ => uses[at].clone(),
        };
        if stored(at) && member.gives != Gives::Reduced {
            stages.push(ready[at]);
        }
        if kept(at) && !stages.is_empty() {
            stages = vec![ready[at]];
        }
        for source in sources(group, member) {
            let new = stages.iter().filter(|s| !uses[source].contains(s)).copied().collect::<Vec<_>>();
            uses[source].extend(new);
        }
        uses[at].sort_unstable();
    }
    uses
}

/// Whether an expression is computed again sooner than stored and read: a few steps without divisions or functions.
pub fn cheap(body: &Scalar) -> bool {
    let mut steps = 0;
    body.visit(&mut |s| {
        if let Kind::Call(f, _) = s.kind() {
            steps += match f {
                Func::Add | Func::Sub | Func::Mul | Func::Max | Func::Min | Func::Neg | Func::Abs => 1,
                Func::Cast(..) => 1,
                _ => 100,
            };
        }
    });
    steps <= 3
}
