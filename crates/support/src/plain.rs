//! Text that others wrote, fit to be printed: a model's names must not move the cursor or begin a line of their own.

use std::borrow::Cow;

/// A text with its control characters, line ends, and marks of direction escaped.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if acts(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Whether a character does something to the text around it.
fn acts(c: char) -> bool {
    let directs = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || directs || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_acts_is_escaped() {
        for (text, shown) in [
            ("conv é \\ \"x\"", "conv é \\ \"x\""),
            ("\u{1b}[31mq\nFAKE\r\t", "\\u{1b}[31mq\\nFAKE\\r\\t"),
            ("\u{9b}2J\u{7f}", "\\u{9b}2J\\u{7f}"),
            ("a\u{202e}b\u{2028}c\u{2066}", "a\\u{202e}b\\u{2028}c\\u{2066}"),
        ] {
            assert_eq!(plain(text), shown);
            assert_eq!(plain(shown), shown);
        }
    }
}
