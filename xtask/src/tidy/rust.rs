//! Just enough of Rust's lexical grammar: tells code, comments and literals apart, finds tests and functions.
//!
//! [`Source::code`] and [`Source::comments`] are copies of the text in which everything else is blank, so that byte
//! offsets and line numbers agree between all three.

use std::ops::Range;

/// One Rust file, split into code and comments.
pub struct Source {
    /// The file as it is.
    pub text: String,
    /// The text with comments and the contents of literals blank.
    pub code: String,
    /// The text with everything but comments blank.
    pub comments: String,
    /// Byte ranges of items under `#[cfg(test)]`.
    pub tests: Vec<Range<usize>>,
}

/// A function with a body.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Byte range from `fn` to the closing brace.
    pub range: Range<usize>,
}

/// What a byte belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

impl Source {
    /// Splits `text`.
    pub fn new(text: String) -> Self {
        let kinds = classify(&text);
        let only = |kind| {
            let byte = |(b, k): (u8, &Kind)| if b == b'\n' || *k == kind { b } else { b' ' };
            let bytes: Vec<u8> = text.bytes().zip(&kinds).map(byte).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (code, comments) = (only(Kind::Code), only(Kind::Comment));
        let tests = test_items(&code);
        Self { text, code, comments, tests }
    }

    /// The number of the line (from 1) that holds byte `at`.
    pub fn line(&self, at: usize) -> usize {
        self.text.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1
    }

    /// Lines within `range` that hold code.
    pub fn code_lines(&self, range: Range<usize>) -> usize {
        // A line inside a literal is code of a kind too: it is blank in both copies.
        let (text, comments) = (&self.text.as_bytes()[range.clone()], &self.comments.as_bytes()[range]);
        let lines = text.split(|&b| b == b'\n').zip(comments.split(|&b| b == b'\n'));
        let has_code = |(t, c): &(&[u8], &[u8])| t.iter().zip(*c).any(|(t, c)| !t.is_ascii_whitespace() && t != c);
        lines.filter(has_code).count()
    }

    /// Code lines under `#[cfg(test)]`.
    pub fn test_lines(&self) -> usize {
        self.tests.iter().map(|range| self.code_lines(range.clone())).sum()
    }

    /// Whether byte `at` lies in an item under `#[cfg(test)]`.
    pub fn in_tests(&self, at: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&at))
    }

    /// All functions with a body, nested ones too.
    pub fn functions(&self) -> Vec<Function> {
        words(&self.code).filter(|(_, word)| *word == "fn").filter_map(|(at, _)| self.function(at)).collect()
    }

    fn function(&self, at: usize) -> Option<Function> {
        let rest = &self.code[at + 2..];
        let name = rest.trim_start();
        let name: String = name.chars().take_while(|&c| is_word(c)).collect();
        let end = item_end(&self.code, at)?;
        (!name.is_empty() && self.code[..end].ends_with('}')).then_some(Function { name, range: at..end })
    }
}

/// The words (identifiers, keywords, numbers) of `code` with their offsets.
pub fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.split(|c| !is_word(c)).filter(|w| !w.is_empty()).map(|w| (w.as_ptr() as usize - code.as_ptr() as usize, w))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The end of the item that starts at `from`: behind its `;` or behind the brace that closes its body.
fn item_end(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, b) in code.bytes().enumerate().skip(from) {
        match b {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && b == b'}' {
                    return Some(i + 1);
                }
            }
            b';' if depth == 0 => return Some(i + 1),
            _ => {}
        }
    }
    None
}

fn test_items(code: &str) -> Vec<Range<usize>> {
    const ATTRIBUTE: &str = "#[cfg(test)]";
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in code.match_indices(ATTRIBUTE) {
        let end = item_end(code, at + ATTRIBUTE.len()).unwrap_or(code.len());
        if found.last().is_none_or(|last| last.end <= at) {
            found.push(at..end);
        }
    }
    found
}

fn classify(text: &str) -> Vec<Kind> {
    let mut kinds = vec![Kind::Code; text.len()];
    let mut at = 0;
    while at < text.len() {
        let (length, kind) = token(&text[at..]);
        kinds[at..at + length].fill(kind);
        at += length;
    }
    kinds
}

/// Length and kind of the first token of `rest`; a token of code is one byte or one word.
fn token(rest: &str) -> (usize, Kind) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), Kind::Comment);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest.as_bytes()), Kind::Comment);
    }
    if rest.starts_with('"') {
        return (quoted(rest.as_bytes(), b'"'), Kind::Literal);
    }
    if rest.starts_with('\'') {
        return character(rest).map_or((1, Kind::Code), |length| (length, Kind::Literal));
    }
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    if matches!(&rest[..word], "r" | "br" | "cr")
        && let Some(length) = raw(&rest[word..])
    {
        return (word + length, Kind::Literal);
    }
    let other = rest.chars().next().map_or(1, char::len_utf8);
    (word.max(other), Kind::Code)
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut i) = (0usize, 0);
    while i < rest.len() {
        match rest.get(i..i + 2) {
            Some(b"/*") => (depth, i) = (depth + 1, i + 2),
            Some(b"*/") if depth == 1 => return i + 2,
            Some(b"*/") => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
    }
    rest.len()
}

/// Length of a literal in quotes with escapes.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut i = 1;
    while i < rest.len() {
        match rest[i] {
            b'\\' => i += 2,
            b if b == quote => return i + 1,
            _ => i += 1,
        }
    }
    rest.len()
}

/// Length of a character literal, or none for a lifetime.
fn character(rest: &str) -> Option<usize> {
    if rest.starts_with("'\\") {
        return Some(quoted(rest.as_bytes(), b'\''));
    }
    let length = 1 + rest.chars().nth(1)?.len_utf8();
    rest[length..].starts_with('\'').then_some(length + 1)
}

/// Length of a raw string from its hashes or quote on.
fn raw(rest: &str) -> Option<usize> {
    let hashes = rest.bytes().take_while(|&b| b == b'#').count();
    let body = rest[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close)?;
    Some(hashes + 1 + end + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_not_code() {
        let cases = [
            ("a \"unsafe\" z", "a z"),
            ("a r#\"un\"safe\"# z", "a z"),
            ("'x' 'a: '\\'' 'é' z", "a z"),
            ("a // b\nz", "a z"),
            ("a /* /* b */ */ z", "a z"),
            ("a b\"\\\"c\" r#type z", "a b r type z"),
        ];
        for (text, code) in cases {
            let source = Source::new(text.into());
            assert_eq!(words(&source.code).map(|(_, word)| word).collect::<Vec<_>>().join(" "), code, "{text}");
            assert_eq!(source.code.len(), text.len());
        }
    }

    #[test]
    fn comments_are_kept_apart() {
        let source = Source::new("let a = \"// no\"; // yes".into());
        assert_eq!(source.comments.trim(), "// yes");
    }

    #[test]
    fn lines_of_code() {
        let source = Source::new("//! Head\n\nfn f() {\n    // why\n    g(\"\n// text\n\");\n}\n".into());
        assert_eq!(source.code_lines(0..source.text.len()), 5);
    }

    #[test]
    fn tests_end_with_their_item() {
        let source =
            Source::new("#[cfg(test)]\nmod tests;\nfn f() {}\n#[cfg(test)]\nmod t { fn g() {} }\nfn h() {}".into());
        let outside: Vec<String> =
            source.functions().into_iter().filter(|f| !source.in_tests(f.range.start)).map(|f| f.name).collect();
        assert_eq!(outside, ["f", "h"]);
    }

    #[test]
    fn functions_with_bodies() {
        let text = "trait T { fn a(&self); fn b<const N: usize>(x: [u8; 4]) -> u8 { if x { 1 } else { 2 } } }\ntype F = fn(u8) -> u8;";
        let functions = Source::new(text.into()).functions();
        assert_eq!(functions.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["b"]);
        assert!(text[functions[0].range.clone()].ends_with("2 } }"));
    }
}
