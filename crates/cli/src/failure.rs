//! How a command ends: its exit status, and what it says when it fails.

use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use std::process::ExitCode;
use tilewright::{Code, Diagnostic, Loc};

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Failed for another reason than the following.
    Failed = 1,
    /// Wrong arguments.
    Usage = 2,
    /// The model needs something that is not supported.
    Unsupported = 3,
    /// The model is invalid.
    Invalid = 4,
    /// Results differ from the expected ones.
    Differs = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The status for an error while a program is used.
    pub fn of(code: Code) -> Self {
        match code {
            Code::Usage => Self::Usage,
            Code::Unsupported | Code::Dynamic => Self::Unsupported,
            Code::Invalid => Self::Invalid,
            Code::Shape | Code::Dtype | Code::Limit | Code::Value | Code::Io | Code::Internal => Self::Failed,
        }
    }

    /// The status for an error that a model has by itself, whatever it is run on.
    pub fn of_model(code: Code) -> Self {
        match code {
            Code::Shape | Code::Dtype => Self::Invalid,
            other => Self::of(other),
        }
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// Nobody reads its output any more.
    BrokenPipe,
    /// An error, with the exit status for it and the model it is about.
    Error {
        /// What went wrong.
        error: Box<Diagnostic>,
        /// The status.
        exit: Exit,
        /// The model's file.
        model: Option<String>,
    },
}

impl From<Box<Diagnostic>> for Failure {
    fn from(error: Box<Diagnostic>) -> Self {
        let exit = Exit::of(error.code);
        Self::Error { error, exit, model: None }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Diagnostic::io(format!("cannot write: {error}")).into(),
        }
    }
}

impl Failure {
    /// An error of a model by itself.
    pub fn of_model(error: Box<Diagnostic>, model: &str) -> Self {
        let exit = Exit::of_model(error.code);
        Self::Error { error, exit, model: Some(model.to_string()) }
    }

    /// An error while a model ran.
    pub fn of_run(error: Box<Diagnostic>, model: &str) -> Self {
        let exit = Exit::of(error.code);
        Self::Error { error, exit, model: Some(model.to_string()) }
    }

    /// Says on standard error what went wrong, and gives the status.
    pub fn report(self) -> Exit {
        match self {
            Self::BrokenPipe => Exit::Done,
            Self::Error { error, exit, model } => {
                // With standard error closed there is nobody left to tell.
                let _ = writeln!(anstream::stderr(), "{}", render(&error, model.as_deref()));
                exit
            }
        }
    }
}

/// Styles of reports.
pub mod style {
    use super::{AnsiColor, Style};

    /// What is wrong.
    pub const BAD: Style = AnsiColor::Red.on_default().bold();
    /// What is right.
    pub const GOOD: Style = AnsiColor::Green.on_default().bold();
    /// A heading.
    pub const HEAD: Style = Style::new().bold();
    /// What matters less.
    pub const DIM: Style = Style::new().dimmed();
    /// Labels of notes.
    pub const NOTE: Style = AnsiColor::Cyan.on_default().bold();
}

/// A diagnostic for people:
///
/// ```text
/// error[shape]: node "layer.3" (MatMul-13): inner dims differ: 768 and 512
///   --> model.onnx
///   note: a is f32[batch, 768]
///   help: check the model's exporter
/// ```
pub fn render(error: &Diagnostic, model: Option<&str>) -> String {
    let (bad, head, note) = (style::BAD, style::HEAD, style::NOTE);
    let mut text = format!("{bad}error[{}]{bad:#}{head}:{head:#} ", error.code.word());
    if !error.loc.is_unknown() {
        text += &format!("{}: ", error.loc);
    }
    text += &error.message;
    let in_file = matches!(&error.loc, Loc::File(_));
    for file in model.iter().filter(|_| !in_file) {
        text += &format!("\n  {note}-->{note:#} {file}");
    }
    for line in &error.notes {
        text += &format!("\n  {note}note:{note:#} {}", line.replace('\n', "\n      "));
    }
    for line in &error.help {
        text += &format!("\n  {note}help:{note:#} {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_give_their_exit_status() {
        let of = |code| (Exit::of(code) as u8, Exit::of_model(code) as u8);
        assert_eq!(of(Code::Usage), (2, 2));
        assert_eq!(of(Code::Unsupported), (3, 3));
        assert_eq!(of(Code::Dynamic), (3, 3));
        assert_eq!(of(Code::Invalid), (4, 4));
        assert_eq!(of(Code::Shape), (1, 4));
        assert_eq!(of(Code::Dtype), (1, 4));
        assert_eq!(of(Code::Io), (1, 1));
    }

    #[test]
    fn names_the_file_once() {
        let error = Diagnostic::shape("dims differ").at(&Loc::node("a", "Add-14")).note("two\nlines").help("look");
        let shown = anstream::adapter::strip_str(&render(&error, Some("m.onnx"))).to_string();
        let want =
            "error[shape]: node \"a\" (Add-14): dims differ\n  --> m.onnx\n  note: two\n      lines\n  help: look";
        assert_eq!(shown, want);
        let error = Diagnostic::io("gone").at(&Loc::file("m.onnx"));
        assert_eq!(
            anstream::adapter::strip_str(&render(&error, Some("m.onnx"))).to_string(),
            "error[io]: m.onnx: gone"
        );
    }
}
