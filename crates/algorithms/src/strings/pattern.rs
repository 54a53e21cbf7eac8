//! Regular expressions that match whole strings, in the syntax of RE2.

use crate::operand::strings;
use regex_lite::Regex;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Tensor;

/// A compiled pattern.
pub(super) struct Pattern {
    regex: Regex,
    insensitive: bool,
}

impl Pattern {
    /// Fails for what is no pattern, and for the constructs of RE2 that the matcher lacks or reads in another way:
    /// Unicode classes, case folding beyond ASCII, `\<` and `\>` (in RE2 the characters), braces after `\b`.
    pub(super) fn new(pattern: &str) -> Result<Self> {
        let wrong = |why: String| Diagnostic::unsupported(format!("the regular expression {pattern:?}: {why}"));
        // Alone first: a pattern must not close the group around it.
        Regex::new(pattern).map_err(|e| wrong(e.to_string()))?;
        let regex = Regex::new(&format!("^(?:{pattern})$")).map_err(|e| wrong(e.to_string()))?;
        let escapes = escapes(pattern);
        if let Some(escape) = ["\\<", "\\>", "\\b{"].iter().find(|e| escapes.iter().any(|rest| rest.starts_with(**e))) {
            return Err(wrong(format!("the escape `{escape}`")));
        }
        let insensitive = flags(pattern).any(|f| f.contains('i'));
        let beyond = !pattern.is_ascii() || escapes.iter().any(|rest| rest.starts_with("\\x"));
        match insensitive && beyond {
            true => Err(wrong("upper and lower case beyond ASCII".into())),
            false => Ok(Self { regex, insensitive }),
        }
    }

    /// For each string whether the pattern matches all of it.
    pub(super) fn matches(&self, x: &Tensor) -> Result<Tensor> {
        let texts = strings(x)?;
        // The only characters beyond ASCII that fold to ASCII letters: long s and the Kelvin sign.
        if self.insensitive && texts.iter().any(|t| t.contains(['\u{17f}', '\u{212a}'])) {
            return Err(Diagnostic::unsupported("a pattern without regard to case, on a long s or a Kelvin sign"));
        }
        Tensor::from_vec(x.shape(), texts.iter().map(|t| self.regex.is_match(t)).collect::<Vec<bool>>())
    }
}

/// The rests of a pattern from each backslash that escapes.
fn escapes(pattern: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('\\') {
        found.push(&rest[at..]);
        let escaped = rest[at + 1..].chars().next().map_or(0, char::len_utf8);
        rest = &rest[at + 1 + escaped..];
    }
    found
}

/// The flags of each group `(?flags)` or `(?flags:`.
fn flags(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split("(?").skip(1).map(|rest| rest.split([')', ':', '<', 'P']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::testing::{refused, run, words};
    use crate::{StringFunction, Strings};
    use tilewright_tensor::{DType, Tensor};

    fn op(pattern: &str) -> Strings {
        Strings { function: StringFunction::FullMatch { pattern: pattern.into() } }
    }

    #[test]
    fn the_whole_string_must_match() {
        let cases = [
            (r"www\.[\w.-]+\.\bcom\b", "www.google.com", true),
            (r"www\.[\w.-]+\.\bcom\b", "www.bbc.co.uk", false),
            (r"(\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$)", "account@gmail.com", true),
            (r"(\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$)", "account@hotmail.com", false),
            ("a|ab", "ab", true),
            ("a|ab", "abc", false),
            ("", "", true),
            (".", "\n", false),
            (".", "é", true),
            (r"\d", "\u{663}", false),
            ("(?i)Ab", "aB", true),
            ("(?P<i>a)", "A", false),
            (r"a$", "a\n", false),
        ];
        for (pattern, text, wanted) in cases {
            let found = run(op(pattern), &[words(&[1], &[text])]);
            assert_eq!(found[0], Tensor::from_slice(&[1], &[wanted]).unwrap(), "{pattern} on {text}");
        }
        assert_eq!(run(op("a"), &[Tensor::zeros(DType::String, &[2, 0]).unwrap()])[0].shape(), [2, 0]);
    }

    #[test]
    fn what_would_mean_something_else_is_refused() {
        for pattern in [r"\<a", r"\\\>", r"\b{start}a", "(?i)é", r"(?s-i:\x{e9})", r"\pL", "a)(b", "[a&&b]", "(?=a)"] {
            let message = refused(op(pattern), &[words(&[1], &["a"])]);
            assert!(message.starts_with("the regular expression"), "{pattern}: {message}");
        }
        assert!(refused(op("(?i)k"), &[words(&[1], &["\u{212a}"])]).contains("Kelvin"));
        assert_eq!(run(op(r"\\<"), &[words(&[1], &["\\<"])])[0].get_i64(0), 1);
    }
}
