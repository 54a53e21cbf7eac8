//! Strings cut into parts.

use crate::operand::{MOST, strings};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{DType, Tensor, element_count};

/// The parts of each string, filled up to the longest list, and how many each has.
pub(super) fn split(x: &Tensor, delimiter: &str, most: Option<usize>) -> Result<Vec<Tensor>> {
    let most = most.unwrap_or(usize::MAX);
    let cut = |text| match delimiter.is_empty() {
        true => at_white_space(text, most),
        false => str::splitn(text, most.saturating_add(1), delimiter).collect(),
    };
    let lists: Vec<Vec<&str>> = strings(x)?.iter().map(|s| cut(s.as_str())).collect();
    let width = lists.iter().map(Vec::len).max().unwrap_or(0);
    let shape = [x.shape(), &[width]].concat();
    let total = element_count(DType::String, &shape)?;
    if total - lists.iter().map(Vec::len).sum::<usize>() > MOST {
        return Err(Diagnostic::limit(format!("{} strings filled up to {width} parts each", lists.len())));
    }
    let mut parts = vec![String::new(); total];
    for (row, list) in parts.chunks_mut(width.max(1)).zip(&lists) {
        row.iter_mut().zip(list).for_each(|(part, text)| part.push_str(text));
    }
    let counts = lists.iter().map(|list| list.len() as i64).collect();
    Ok(vec![Tensor::from_strings(&shape, parts)?, Tensor::from_vec(x.shape(), counts)?])
}

fn at_white_space(text: &str, most: usize) -> Vec<&str> {
    let mut rest = text.trim();
    let mut parts = Vec::new();
    while let Some(end) = rest.find(char::is_whitespace).filter(|_| parts.len() < most) {
        parts.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use crate::testing::{refused, run, words};
    use crate::{StringFunction, Strings};
    use tilewright_tensor::{DType, Tensor};

    fn split(delimiter: &str, most: Option<usize>, x: Tensor) -> (Tensor, Vec<i64>) {
        let out = run(Strings { function: StringFunction::Split { delimiter: delimiter.into(), most } }, &[x]);
        assert_eq!(out[1].rank() + 1, out[0].rank());
        (out[0].clone(), out[1].to_vec_i64())
    }

    #[test]
    fn delimiters_keep_empty_parts() {
        let x = words(&[2], &["o-n-n--x-", "o-n----nx"]);
        let parts = words(&[2, 6], &["o", "n", "n", "", "x", "", "o", "n", "", "", "", "nx"]);
        assert_eq!(split("-", None, x.clone()), (parts, vec![6, 6]));
        let limited = words(&[2, 2], &["o", "n-n--x-", "o", "n----nx"]);
        assert_eq!(split("-", Some(1), x), (limited, vec![2, 2]));
        assert_eq!(split(".", None, words(&[1, 2], &["", "."])), (words(&[1, 2, 2], &[""; 4]), vec![1, 2]));
        assert_eq!(split("ab", Some(0), words(&[1], &["ab"])).0, words(&[1, 1], &["ab"]));
    }

    #[test]
    fn runs_of_white_space_are_one_separator() {
        let x = words(&[4], &["hello world !", "  the quick\t\tbrown  fox ", "", " \u{a0}"]);
        let parts = ["hello", "world", "!", "the", "quick", "brown  fox", "", "", "", "", "", ""];
        assert_eq!(split("", Some(2), x), (words(&[4, 3], &parts), vec![3, 3, 0, 0]));
        let none = Tensor::zeros(DType::String, &[2, 0]).unwrap();
        assert_eq!(split("", None, none.clone()).0.shape(), [2, 0, 0]);
        assert_eq!(split("", None, words(&[1], &[" "])).0.shape(), [1, 0]);
        let numbers = Strings { function: StringFunction::Split { delimiter: "".into(), most: None } };
        assert_eq!(refused(numbers, &[Tensor::scalar(1u8)]), "the elements must be strings, not u8");
    }

    #[test]
    fn filling_up_is_limited() {
        let mut texts = vec![""; 1 << 13];
        let long = "-".repeat(1 << 13);
        texts[0] = &long;
        let op = Strings { function: StringFunction::Split { delimiter: "-".into(), most: None } };
        assert!(refused(op, &[words(&[1 << 13], &texts)]).contains("8193 parts"));
    }
}
