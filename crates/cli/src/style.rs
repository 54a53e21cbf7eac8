//! Styles of what is printed; the streams drop them where they do not belong.

use anstyle::{AnsiColor, Style};

/// What is wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is right, and what to look at first.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// A heading.
pub const HEAD: Style = Style::new().bold();
/// What matters less.
pub const DIM: Style = Style::new().dimmed();
/// Labels of notes.
pub const NOTE: Style = AnsiColor::Cyan.on_default().bold();
