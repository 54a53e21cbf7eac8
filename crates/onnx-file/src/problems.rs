//! Many problems reported at once, and one error made of them.
use crate::limits::Limits;
use std::borrow::Cow;
use tilewright_support::{Code, Diagnostic, Result};

/// Problems in the order found, the first so many of them.
#[derive(Debug)]
pub(crate) struct Problems {
    kept: Vec<Diagnostic>,
    more: usize,
    limit: usize,
}

impl Problems {
    /// None yet.
    pub fn new(limits: &Limits) -> Self {
        Self { kept: Vec::new(), more: 0, limit: limits.problems.max(1) }
    }

    /// One more.
    #[expect(clippy::boxed_local, reason = "constructors of diagnostics give boxes")]
    pub fn push(&mut self, problem: Box<Diagnostic>) {
        if self.kept.len() < self.limit {
            self.kept.push(*problem);
        } else {
            self.more += 1;
        }
    }

    /// The value of a step that went well; otherwise its problem is kept.
    pub fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|problem| self.push(problem)).ok()
    }

    /// All that were kept, and a last one that counts the others.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            self.kept.push(*Diagnostic::invalid(format!("{} more problems are not shown", self.more)));
        }
        self.kept
    }
}

/// One error for a list of problems: the first, with the others as notes. `None` for an empty list.
///
/// It is `Unsupported` only when all of them are.
pub fn merge(problems: Vec<Diagnostic>) -> Option<Box<Diagnostic>> {
    let leading = problems.iter().position(|problem| problem.code != Code::Unsupported).unwrap_or(0);
    let mut rest = problems;
    if rest.is_empty() {
        return None;
    }
    let first = Box::new(rest.remove(leading));
    Some(rest.iter().fold(first, |first, other| first.note(format!("also {other}"))))
}

/// A name from the file, cut to what a message can bear and without control characters.
pub(crate) fn clip(name: &str) -> Cow<'_, str> {
    const SHOWN: usize = 120;
    let end = name.char_indices().nth(SHOWN).map(|(end, _)| end);
    let shown = &name[..end.unwrap_or(name.len())];
    if end.is_none() && !shown.contains(char::is_control) {
        return Cow::Borrowed(name);
    }
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    let mut text: String = shown.chars().map(escape).collect();
    if end.is_some() {
        text.push('…');
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_into_one_error_and_counts_the_rest() {
        let mut problems = Problems::new(&Limits { problems: 2, ..Limits::default() });
        problems.push(Diagnostic::unsupported("a"));
        problems.push(Diagnostic::invalid("b"));
        problems.push(Diagnostic::invalid("c"));
        let error = merge(problems.finish()).unwrap();
        assert_eq!((error.code, error.message.as_str()), (Code::Invalid, "b"));
        assert_eq!(error.notes.len(), 2);
        assert!(error.notes[1].contains("1 more"));
        assert!(merge(Vec::new()).is_none());
    }

    #[test]
    fn clips_long_names_and_escapes_control_characters() {
        assert_eq!(clip("conv"), "conv");
        assert_eq!(clip("a\u{1b}[2J\n"), "a\\u{1b}[2J\\n");
        assert_eq!(clip(&"é".repeat(500)).chars().count(), 121);
    }
}
