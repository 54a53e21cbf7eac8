//! Reads comprehensions.

use crate::comp::{Axis, Check, Combiner, Comp, Role};
use crate::op::{Combine, Scatter};
use std::sync::Arc;
use tilewright_scalar::text::{Names, Parser, Token};
use tilewright_support::Result;
use tilewright_tensor::DType;

/// What [`super::print_comp::comp`] prints.
pub(super) fn comp(p: &mut Parser<'_>, name: &str, operands: &[Option<DType>]) -> Result<Comp> {
    let mut scope = Names { axes: Vec::new(), operands };
    p.expect("{")?;
    let mut axes = axis_list(p, &mut scope, Role::Parallel)?;
    let mut combiner = Combiner::Map;
    if p.eat("|")? {
        let start = p.start();
        let word = p.word("a combiner")?;
        let found = Combiner::ALL.into_iter().find(|c| c.name() == word);
        combiner = found.ok_or_else(|| p.error(start, &format!("no combiner is called `{word}`")))?;
        axes.extend(axis_list(p, &mut scope, Role::Reduce)?);
    }
    p.expect(":")?;
    let body = p.expression(&scope)?;
    let mut checks = Vec::new();
    while p.eat(";")? {
        let left = p.size()?;
        p.expect("==")?;
        checks.push(Check { left, right: p.size()?, about: p.text()?.into() });
    }
    p.expect("}")?;
    Ok(Comp { name: name.into(), axes, combiner, body, checks })
}

/// What [`super::print_comp::scatter`] prints.
pub(super) fn scatter(p: &mut Parser<'_>, combine: Combine, operands: &[Option<DType>]) -> Result<Scatter> {
    let mut scope = Names { axes: Vec::new(), operands };
    p.expect("{")?;
    let axes = axis_list(p, &mut scope, Role::Parallel)?.into_iter().map(|a| (a.name, a.extent)).collect();
    p.expect(":")?;
    p.word_is("out")?;
    p.expect("[")?;
    let index = p.list("]", &mut |p| p.index(&scope))?;
    p.expect("<-")?;
    let body = p.expression(&scope)?;
    p.expect("}")?;
    Ok(Scatter { axes, index, body, combine })
}

/// `i:N, i_1 "i":4, s:3 scan reverse`.
fn axis_list(p: &mut Parser<'_>, scope: &mut Names<'_>, role: Role) -> Result<Vec<Axis>> {
    let mut out = Vec::new();
    while matches!(p.token, Token::Word(_)) {
        let start = p.start();
        let unique = p.word("an axis")?;
        if scope.axes.iter().any(|a| a == unique) {
            return Err(p.error(start, &format!("two axes are called `{unique}`")));
        }
        let name = p.eat_text()?.map_or_else(|| Arc::from(unique), Arc::from);
        p.expect(":")?;
        let extent = p.size()?;
        let role = if p.eat_word("scan")? {
            Role::Scan { reverse: p.eat_word("reverse")?, exclusive: p.eat_word("exclusive")? }
        } else {
            role
        };
        scope.axes.push(unique.to_string());
        out.push(Axis { name, extent, role });
        if !p.eat(",")? {
            break;
        }
    }
    Ok(out)
}
