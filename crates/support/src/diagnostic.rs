//! One error type for all crates.

use crate::{Loc, plain};
use std::fmt;

/// The kind of a [`Diagnostic`]; decides exit codes and exception classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// Shapes do not fit each other or an operation.
    Shape,
    /// A dtype is not what the operation takes.
    Dtype,
    /// A valid model uses something that is not supported (yet).
    Unsupported,
    /// The model breaks the rules of its format.
    Invalid,
    /// A limit on size, count, depth or time was reached.
    Limit,
    /// A value met at run time is not allowed: an index out of range, an assertion of the model.
    Value,
    /// The answer depends on a size or value that is known only when the model runs.
    Dynamic,
    /// The caller's arguments are wrong.
    Usage,
    /// A file cannot be read or written.
    Io,
    /// A rule of the program itself was broken: a bug in Tilewright.
    Internal,
}

impl Code {
    /// The word printed in `error[word]`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Dtype => "dtype",
            Self::Unsupported => "unsupported",
            Self::Invalid => "invalid",
            Self::Limit => "limit",
            Self::Value => "value",
            Self::Dynamic => "dynamic",
            Self::Usage => "usage",
            Self::Io => "io",
            Self::Internal => "internal",
        }
    }
}

/// What went wrong, where in the user's model, and what to try.
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Kind of the error.
    pub code: Code,
    /// One sentence: what was found and what was expected.
    pub message: String,
    /// The node or file at fault.
    pub loc: Loc,
    /// Further facts, one a line.
    pub notes: Vec<String>,
    /// What the user can try.
    pub help: Option<String>,
}

/// The result of every fallible step. The error is boxed so that the good path stays small.
pub type Result<T, E = Box<Diagnostic>> = std::result::Result<T, E>;

impl Diagnostic {
    /// A diagnostic without location, notes or help.
    pub fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { code, message: message.into(), loc: Loc::Unknown, notes: Vec::new(), help: None })
    }

    /// Shapes that do not fit.
    pub fn shape(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Shape, message)
    }

    /// A dtype that is not taken.
    pub fn dtype(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Dtype, message)
    }

    /// Something valid that is not supported.
    pub fn unsupported(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Unsupported, message)
    }

    /// A model that breaks its format's rules.
    pub fn invalid(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Invalid, message)
    }

    /// A limit that was reached.
    pub fn limit(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Limit, message)
    }

    /// A run-time value that is not allowed.
    pub fn value(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Value, message)
    }

    /// Something that is known only at run time.
    pub fn dynamic(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Dynamic, message)
    }

    /// Wrong arguments of the caller.
    pub fn usage(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Usage, message)
    }

    /// A file that cannot be read or written.
    pub fn io(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Io, message)
    }

    /// A broken rule of the program itself.
    pub fn internal(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::Internal, message)
    }

    /// The same with a location, unless it has one already.
    pub fn at(mut self: Box<Self>, loc: &Loc) -> Box<Self> {
        if self.loc.is_unknown() {
            self.loc = loc.clone();
        }
        self
    }

    /// The same with one more fact.
    pub fn note(mut self: Box<Self>, note: impl Into<String>) -> Box<Self> {
        self.notes.push(note.into());
        self
    }

    /// The same with advice.
    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }
}

/// Lines of its own alone: what comes from a file is shown without characters that act.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: ", self.code.word())?;
        if !self.loc.is_unknown() {
            write!(f, "{}: ", self.loc)?;
        }
        write!(f, "{}", plain(&self.message))?;
        for line in self.notes.iter().flat_map(|note| note.lines()) {
            write!(f, "\n  note: {}", plain(line))?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {}", plain(help))?;
        }
        Ok(())
    }
}

/// As for people: what a program whose `main` returns it prints.
impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_code_place_notes_and_help() {
        let shown = Diagnostic::shape("inner dims differ: 768 vs 512")
            .at(&Loc::node("layer.3/MatMul", "MatMul-13"))
            .at(&Loc::Unknown)
            .note("a is [batch, 768]")
            .help("check the model's exporter")
            .to_string();
        assert_eq!(
            shown,
            "error[shape]: node \"layer.3/MatMul\" (MatMul-13): inner dims differ: 768 vs 512\n  \
             note: a is [batch, 768]\n  help: check the model's exporter"
        );
    }

    #[test]
    fn names_from_files_do_not_act() {
        let bad = "\u{1b}[2J\nerror[io]: x";
        let error = Diagnostic::shape(bad).at(&Loc::node(bad, bad).part(bad)).note(bad).help(bad);
        let shown = error.to_string();
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
        assert!(shown.lines().skip(1).all(|line| line.starts_with("  ")), "{shown:?}");
        assert_eq!(shown.lines().count(), 4);
    }
}
