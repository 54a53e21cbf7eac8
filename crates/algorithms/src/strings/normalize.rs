//! Words without stop words, in one case.

use crate::attribute::words;
use crate::operand::strings;
use std::collections::HashSet;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Tensor;
use tilewright_tensor::ix::{Ix, Shape, show_shape};

words! {
    /// A change of case, by Unicode's rules for all languages.
    Case {
        /// None.
        Keep = "keep",
        /// To lower case.
        Lower = "lower",
        /// To upper case.
        Upper = "upper",
    }
}

/// ONNX `StringNormalizer`: drops the stop words from `[n]` or `[1, n]`, then changes the case. When all are dropped,
/// one empty string is left.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalize {
    /// What is dropped.
    pub stopwords: Vec<Arc<str>>,
    /// Whether stop words match only as they are written.
    pub case_sensitive: bool,
    /// What happens to the others.
    pub case: Case,
    /// The language, such as `en_US`; empty for none. Those with letters of their own rules are unsupported where case
    /// matters.
    pub locale: Arc<str>,
}

impl Normalize {
    pub(super) fn infer(&self, shape: &[Ix], fresh: &mut dyn FnMut() -> Ix) -> Result<Shape> {
        self.check_locale()?;
        match shape {
            [_] => Ok(vec![fresh()]),
            [one, _] if one.as_const().is_none_or(|c| c == 1) => Ok(vec![Ix::konst(1), fresh()]),
            _ => Err(wrong_shape(shape)),
        }
    }

    pub(super) fn eval(&self, x: &Tensor) -> Result<Tensor> {
        self.check_locale()?;
        let mut shape = match x.shape() {
            [_] => vec![0],
            [1, _] => vec![1, 0],
            other => return Err(wrong_shape(&other.iter().map(|d| Ix::from(*d)).collect::<Vec<_>>())),
        };
        let form = |word: &str| if self.case_sensitive { word.to_string() } else { word.to_lowercase() };
        let stopwords: HashSet<String> = self.stopwords.iter().map(|w| form(w)).collect();
        let kept = strings(x)?.iter().filter(|word| !stopwords.contains(&form(word)));
        let mut words: Vec<String> = kept.map(|word| self.change_case(word)).collect();
        if words.is_empty() {
            words.push(String::new());
        }
        shape[x.rank() - 1] = words.len();
        Tensor::from_strings(&shape, words)
    }

    fn change_case(&self, word: &str) -> String {
        match self.case {
            Case::Keep => word.to_string(),
            Case::Lower => word.to_lowercase(),
            Case::Upper => word.to_uppercase(),
        }
    }

    fn check_locale(&self) -> Result<()> {
        let language = self.locale.split(['_', '-', '.']).next().unwrap_or_default();
        let plain = self.case == Case::Keep && self.case_sensitive;
        if plain || !["tr", "az", "lt"].contains(&language) {
            return Ok(());
        }
        Err(Diagnostic::unsupported(format!("upper and lower case of locale {:?}", self.locale)))
    }
}

fn wrong_shape(shape: &[Ix]) -> Box<Diagnostic> {
    Diagnostic::shape(format!("strings to normalize have shape [n] or [1, n], not {}", show_shape(shape)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refused, run, words};
    use crate::{StringFunction, Strings};

    fn op(stopwords: &[&str], case_sensitive: bool, case: Case) -> Normalize {
        let stopwords = stopwords.iter().map(|w| (*w).into()).collect();
        Normalize { stopwords, case_sensitive, case, locale: "en_US".into() }
    }

    fn normalize(op: Normalize, x: Tensor) -> Tensor {
        run(Strings { function: StringFunction::Normalize(op) }, &[x])[0].clone()
    }

    #[test]
    fn stop_words_and_case() {
        let week = words(&[1, 4], &["Monday", "tuesday", "", "monday"]);
        let both = normalize(op(&["monday"], false, Case::Upper), week.clone());
        assert_eq!(both, words(&[1, 2], &["TUESDAY", ""]));
        let one = normalize(op(&["monday"], true, Case::Lower), week.clone());
        assert_eq!(one, words(&[1, 3], &["monday", "tuesday", ""]));
        assert_eq!(normalize(op(&[], true, Case::Keep), week.clone()), week);
        let none = normalize(op(&["A"], false, Case::Keep), words(&[2], &["a", "A"]));
        assert_eq!(none, words(&[1], &[""]));
        assert_eq!(normalize(op(&[], true, Case::Upper), words(&[1], &["été"])), words(&[1], &["ÉTÉ"]));
    }

    #[test]
    fn unknown_rules_and_shapes() {
        let refuse = |n: Normalize, x| refused(Strings { function: StringFunction::Normalize(n) }, &[x]);
        let turkish = Normalize { locale: "tr_TR".into(), ..op(&[], true, Case::Lower) };
        assert_eq!(refuse(turkish, words(&[1], &["I"])), "upper and lower case of locale \"tr_TR\"");
        let column = words(&[2, 1], &["a", "b"]);
        let message = refuse(op(&[], true, Case::Keep), column);
        assert_eq!(message, "strings to normalize have shape [n] or [1, n], not [2, 1]");
    }
}
