//! ONNX `Einsum`.

use super::linear::accumulator;
use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::builder::broadcast_shape;
use tilewright_graph::ops::Contract;
use tilewright_support::Result;

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new("Einsum", 1..=MANY, &["equation"], einsum).since(12)];

/// The first label of the dims that an ellipsis stands for, counted from the last dim.
const ELLIPSIS: u32 = 0xE000;

/// Dims that one ellipsis may stand for.
const MOST_DIMS: usize = 64;

fn einsum(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let equation = c.node.required("equation", crate::Node::attr_str)?;
    let operands = c.all()?;
    let ranks = operands.iter().map(|v| cx.b.rank(*v)).collect::<Result<Vec<_>>>()?;
    let (inputs, output) = parse(equation, &ranks).map_err(|m| c.invalid(format!("equation \"{equation}\": {m}")))?;
    check_sizes(cx, &operands, &inputs)?;
    let dtype = cx.b.dtype(operands[0])?;
    let y = contract_all(cx, &operands, &inputs, &output)?;
    Ok(vec![cx.b.cast(y, dtype)?])
}

/// Sizes that share a label are equal or 1.
fn check_sizes(cx: &Cx<'_>, operands: &[ValueId], inputs: &[Vec<char>]) -> Result<()> {
    let mut sizes: Vec<(char, tilewright_tensor::ix::Ix)> = Vec::new();
    for (v, labels) in operands.iter().zip(inputs) {
        for (label, size) in labels.iter().zip(cx.b.shape(*v)?) {
            match sizes.iter_mut().find(|(l, _)| l == label) {
                None => sizes.push((*label, size)),
                Some((_, known)) => {
                    let both = broadcast_shape(&[std::slice::from_ref(known), &[size]])?;
                    known.clone_from(&both[0]);
                }
            }
        }
    }
    Ok(())
}

/// Contracts operands two at a time, from the first on; a label is summed as soon as neither the
/// rest nor the output has it.
fn contract_all(cx: &mut Cx<'_>, operands: &[ValueId], inputs: &[Vec<char>], output: &[char]) -> Result<ValueId> {
    let (mut value, mut labels) = (operands[0], inputs[0].clone());
    let accumulate = accumulator(cx.b.dtype(value)?);
    if operands.len() == 1 {
        let sum = Contract { inputs: vec![labels], output: output.to_vec(), accumulate };
        return cx.b.apply(&sum, &[value]);
    }
    for (i, next) in operands.iter().enumerate().skip(1) {
        let last = i + 1 == operands.len();
        let wanted = |l: &char| output.contains(l) || inputs[i + 1..].iter().any(|ls| ls.contains(l));
        let mut kept: Vec<char> = Vec::new();
        for l in labels.iter().chain(&inputs[i]).filter(|l| wanted(l)) {
            if !kept.contains(l) {
                kept.push(*l);
            }
        }
        let kept = if last { output.to_vec() } else { kept };
        let inputs = vec![labels, inputs[i].clone()];
        value = cx.b.apply(&Contract { inputs, output: kept.clone(), accumulate }, &[value, *next])?;
        labels = kept;
    }
    Ok(value)
}

type Labels = (Vec<Vec<char>>, Vec<char>);

/// The labels of every operand and of the output, with ellipses written out.
fn parse(equation: &str, ranks: &[usize]) -> std::result::Result<Labels, String> {
    let text: String = equation.chars().filter(|c| *c != ' ').collect();
    let (left, right) = match text.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (text.as_str(), None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != ranks.len() {
        return Err(format!("{} terms for {} operands", terms.len(), ranks.len()));
    }
    let mut dots = 0;
    let mut inputs = Vec::new();
    for (term, rank) in terms.iter().zip(ranks) {
        let own = rank.checked_sub(term.chars().filter(|c| *c != '.').count());
        let own = own.filter(|n| *n == 0 || term.contains("...")).filter(|n| *n <= MOST_DIMS);
        let own = own.ok_or_else(|| format!("term \"{term}\" for an operand of rank {rank}"))?;
        dots = dots.max(own);
        inputs.push(expand(term, own)?);
    }
    let output = match right {
        Some(term) => expand(term, dots)?,
        None => implicit(&inputs, dots),
    };
    let known = |l: &char| inputs.iter().any(|ls| ls.contains(l));
    match output.iter().enumerate().find(|(i, l)| output[..*i].contains(l) || !known(l)) {
        Some((_, l)) => Err(format!("output label '{l}' occurs twice or in no operand")),
        None => Ok((inputs, output)),
    }
}

/// The labels of a term in which an ellipsis stands for `dots` dims.
fn expand(term: &str, dots: usize) -> std::result::Result<Vec<char>, String> {
    let (before, after) = term.split_once("...").map_or((term, None), |(b, a)| (b, Some(a)));
    let letters = before.chars().chain(after.unwrap_or_default().chars());
    if let Some(c) = letters.clone().find(|c| !c.is_ascii_alphabetic()) {
        return Err(format!("unexpected '{c}'"));
    }
    let mut labels: Vec<char> = before.chars().collect();
    if let Some(after) = after {
        labels.extend(ellipsis(dots));
        labels.extend(after.chars());
    }
    Ok(labels)
}

/// Labels of ellipsis dims: the same one for the same distance from the last.
fn ellipsis(dots: usize) -> impl Iterator<Item = char> {
    (0..dots as u32).rev().filter_map(|i| char::from_u32(ELLIPSIS + i))
}

/// The ellipsis dims, then the labels that occur once, in ASCII order.
fn implicit(inputs: &[Vec<char>], dots: usize) -> Vec<char> {
    let mut letters: Vec<char> = inputs.iter().flatten().copied().filter(char::is_ascii_alphabetic).collect();
    letters.sort_unstable();
    let once = |l: &&char| letters.iter().filter(|x| x == l).count() == 1;
    ellipsis(dots).chain(letters.iter().filter(once).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_and_outputs() {
        let shown = |equation: &str, ranks: &[usize]| {
            let text = |ls: &Vec<char>| ls.iter().map(|l| if l.is_ascii() { *l } else { '*' }).collect::<String>();
            parse(equation, ranks).map(|(i, o)| (i.iter().map(text).collect::<Vec<_>>().join(","), text(&o)))
        };
        let cases: [(&str, &[usize], &str, &str); 6] = [
            ("ij , jk -> ik", &[2, 2], "ij,jk", "ik"),
            ("ba", &[2], "ba", "ab"),
            ("ij,jB", &[2, 2], "ij,jB", "Bi"),
            ("...ii->...i", &[4], "**ii", "**i"),
            ("a...,...b", &[3, 2], "a**,*b", "**ab"),
            ("ii", &[2], "ii", ""),
        ];
        for (equation, ranks, inputs, output) in cases {
            assert_eq!(shown(equation, ranks), Ok((inputs.to_string(), output.to_string())), "{equation}");
        }
        for (equation, ranks) in [("ij", &[3][..]), ("ij,j", &[2]), ("i->j", &[1]), ("i->ii", &[1]), ("i-j", &[3])] {
            assert!(shown(equation, ranks).is_err(), "{equation}");
        }
        assert!(shown("a....b", &[4]).is_err());
    }
}
