//! How a command ends: its exit status, and what it says when it fails.

use crate::render;
use std::io::{self, Write};
use std::process::ExitCode;
use tilewright::{Code, Diagnostic};

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
    /// The status for an error while a model is used.
    pub fn of(code: Code) -> Self {
        match code {
            Code::Usage => Self::Usage,
            Code::Unsupported | Code::Dynamic => Self::Unsupported,
            Code::Invalid => Self::Invalid,
            Code::Shape | Code::Dtype | Code::Limit | Code::Value | Code::Io | Code::Internal => Self::Failed,
        }
    }

    /// The status for the problems that a model has by itself, whatever it is run on. It is `Unsupported` only when all
    /// of them are.
    pub fn of_model(problems: &[Diagnostic]) -> Self {
        let other = problems.iter().find(|p| p.code != Code::Unsupported).or(problems.first());
        match other.map(|p| p.code) {
            None => Self::Done,
            Some(Code::Shape | Code::Dtype) => Self::Invalid,
            Some(code) => Self::of(code),
        }
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// Nobody reads its output any more.
    BrokenPipe,
    /// Something went wrong.
    Problems {
        /// What.
        problems: Vec<Diagnostic>,
        /// The status.
        exit: Exit,
        /// The model's file, when it is about one.
        model: Option<String>,
    },
}

impl From<Box<Diagnostic>> for Failure {
    fn from(error: Box<Diagnostic>) -> Self {
        Self::Problems { exit: Exit::of(error.code), problems: vec![*error], model: None }
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
    /// Problems of a model by itself.
    pub fn of_model(problems: Vec<Diagnostic>, model: &str) -> Self {
        Self::Problems { exit: Exit::of_model(&problems), problems, model: Some(model.to_string()) }
    }

    /// An error while a model ran.
    pub fn of_run(error: Diagnostic, model: &str) -> Self {
        Self::Problems { exit: Exit::of(error.code), problems: vec![error], model: Some(model.to_string()) }
    }

    /// Says on standard error what went wrong, and gives the status.
    pub fn report(self) -> Exit {
        match self {
            Self::BrokenPipe => Exit::Done,
            Self::Problems { problems, exit, model } => {
                let text = render::problems(&problems, model.as_deref(), render::FEW);
                // With standard error closed there is nobody left to tell.
                let _ = writeln!(anstream::stderr(), "{text}");
                exit
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_give_their_exit_status() {
        let of = |code| (Exit::of(code) as u8, Exit::of_model(&[*Diagnostic::new(code, "")]) as u8);
        assert_eq!(of(Code::Usage), (2, 2));
        assert_eq!(of(Code::Unsupported), (3, 3));
        assert_eq!(of(Code::Dynamic), (3, 3));
        assert_eq!(of(Code::Invalid), (4, 4));
        assert_eq!(of(Code::Shape), (1, 4));
        assert_eq!(of(Code::Dtype), (1, 4));
        assert_eq!(of(Code::Io), (1, 1));
        let both = [*Diagnostic::unsupported(""), *Diagnostic::invalid("")];
        assert_eq!(Exit::of_model(&both), Exit::Invalid);
        assert_eq!(Exit::of_model(&[]), Exit::Done);
    }
}
