//! Where something in a graph came from, in the user's terms.

use crate::plain;
use std::fmt;
use std::sync::Arc;

/// A source location. Cheap to clone; every node of a graph carries one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Loc {
    /// No location is known (a value that no user wrote).
    #[default]
    Unknown,
    /// A whole file, for example a model that does not decode.
    File(Arc<str>),
    /// A node of a model: its name in the file and its foreign operator.
    Node {
        /// Node name, or the name of its first output when the node has none.
        name: Arc<str>,
        /// Foreign operator with its version, such as `Conv-11`.
        op: Arc<str>,
    },
    /// A line of Rust source that built the graph.
    Source {
        /// Source file.
        file: Arc<str>,
        /// Line, from 1.
        line: u32,
    },
    /// A step inside something that has a location itself: a composite's part, a pass's product.
    Within {
        /// The step, such as `mean` or `pass fold`.
        part: Arc<str>,
        /// Where the whole came from.
        of: Arc<Loc>,
    },
}

impl Loc {
    /// The location of a node of a foreign model.
    pub fn node(name: impl Into<Arc<str>>, op: impl Into<Arc<str>>) -> Self {
        Self::Node { name: name.into(), op: op.into() }
    }

    /// The location of a whole file.
    pub fn file(path: impl Into<Arc<str>>) -> Self {
        Self::File(path.into())
    }

    /// The caller's line of Rust.
    #[track_caller]
    pub fn caller() -> Self {
        let at = std::panic::Location::caller();
        Self::Source { file: at.file().into(), line: at.line() }
    }

    /// A part of this location.
    pub fn part(&self, part: impl Into<Arc<str>>) -> Self {
        Self::Within { part: part.into(), of: Arc::new(self.clone()) }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

/// Without characters that act, whatever the file calls things.
impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => write!(f, "<unknown>"),
            Self::File(path) => write!(f, "{}", plain(path)),
            Self::Node { name, op } => write!(f, "node \"{}\" ({})", plain(name), plain(op)),
            Self::Source { file, line } => write!(f, "{file}:{line}"),
            Self::Within { part, of } => write!(f, "{} of {of}", plain(part)),
        }
    }
}
