//! Attributes of opaque operations as named values. A struct lists its fields once with
//! `attributes!`; printing, reading back and the binding of symbols follow.

use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Sym};

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    /// Yes or no.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// A word or text.
    Text(Arc<str>),
    /// A size.
    Size(Ix),
    /// Several.
    List(Vec<Attr>),
}

impl Attr {
    /// Every symbol that occurs.
    pub fn syms(&self) -> Vec<Sym> {
        match self {
            Self::Size(e) => e.syms(),
            Self::List(all) => all.iter().flat_map(Self::syms).collect(),
            _ => Vec::new(),
        }
    }

    /// The same with every size rewritten.
    pub fn map_sizes(&self, f: &dyn Fn(&Ix) -> Ix) -> Self {
        match self {
            Self::Size(e) => Self::Size(f(e)),
            Self::List(all) => Self::List(all.iter().map(|a| a.map_sizes(f)).collect()),
            other => other.clone(),
        }
    }
}

/// Attributes by name.
pub type Attrs = Vec<(Arc<str>, Attr)>;

/// What a field of an operation must be to be an attribute. An enum of words is `Attr::Text`.
pub trait Attribute: Sized {
    /// As a value.
    fn to_attr(&self) -> Attr;
    /// From a value of the right kind and range.
    fn from_attr(attr: &Attr) -> Option<Self>;
}

macro_rules! attribute {
    ($($ty:ty: $self:ident => $to:expr, $pattern:pat => $from:expr;)*) => {$(
        impl Attribute for $ty {
            fn to_attr(&$self) -> Attr {
                $to
            }
            fn from_attr(attr: &Attr) -> Option<Self> {
                match attr {
                    $pattern => $from,
                    _ => None,
                }
            }
        }
    )*};
}
attribute! {
    bool: self => Attr::Bool(*self), Attr::Bool(b) => Some(*b);
    i64: self => Attr::Int(*self), Attr::Int(i) => Some(*i);
    usize: self => Attr::Int(i64::try_from(*self).unwrap_or(i64::MAX)), Attr::Int(i) => usize::try_from(*i).ok();
    f64: self => Attr::Float(*self), Attr::Float(x) => Some(*x);
    f32: self => Attr::Float((*self).into()), Attr::Float(x) => Some(*x as f32);
    Ix: self => Attr::Size(self.clone()), Attr::Size(e) => Some(e.clone());
    String: self => Attr::Text(self.as_str().into()), Attr::Text(t) => Some(t.to_string());
    Arc<str>: self => Attr::Text(self.clone()), Attr::Text(t) => Some(t.clone());
    DType: self => Attr::Text(self.name().into()), Attr::Text(t) => DType::parse(t);
}

impl<T: Attribute> Attribute for Vec<T> {
    fn to_attr(&self) -> Attr {
        Attr::List(self.iter().map(T::to_attr).collect())
    }
    fn from_attr(attr: &Attr) -> Option<Self> {
        match attr {
            Attr::List(all) => all.iter().map(T::from_attr).collect(),
            _ => None,
        }
    }
}

/// `None` is an empty list.
impl<T: Attribute> Attribute for Option<T> {
    fn to_attr(&self) -> Attr {
        Attr::List(self.iter().map(T::to_attr).collect())
    }
    fn from_attr(attr: &Attr) -> Option<Self> {
        match Vec::from_attr(attr)? {
            all if all.len() <= 1 => Some(all.into_iter().next()),
            _ => None,
        }
    }
}

/// An enum without fields whose variants print as words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$about])* $variant),*
        }

        impl $crate::attribute::Attribute for $name {
            fn to_attr(&self) -> $crate::attribute::Attr {
                let word = match self { $(Self::$variant => $word),* };
                $crate::attribute::Attr::Text(word.into())
            }

            fn from_attr(attr: &$crate::attribute::Attr) -> Option<Self> {
                match attr {
                    $($crate::attribute::Attr::Text(word) if &**word == $word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use words;

/// The attribute `name`.
pub fn find<T: Attribute>(attrs: &Attrs, name: &str) -> Result<T> {
    let Some((_, attr)) = attrs.iter().find(|(n, _)| **n == *name) else {
        return Err(Diagnostic::invalid(format!("attribute `{name}` is missing")));
    };
    T::from_attr(attr).ok_or_else(|| Diagnostic::invalid(format!("attribute `{name}` cannot be {attr:?}")))
}

/// Refuses attributes that are not among `known`.
pub fn only(attrs: &Attrs, known: &[&str]) -> Result<()> {
    match attrs.iter().find(|(n, _)| !known.contains(&&**n)) {
        Some((n, _)) => Err(Diagnostic::invalid(format!("attribute `{n}` is unknown"))),
        None => Ok(()),
    }
}

/// The two attribute methods of [`Algorithm`](super::Algorithm), from the names of all fields; `pub(super)` for structs
/// that hold the fields of an operation.
macro_rules! attributes {
    (@ [$($visible:tt)*] $($field:ident)*) => {
        $($visible)* fn attributes(&self) -> $crate::attribute::Attrs {
            vec![$((stringify!($field).into(), $crate::attribute::Attribute::to_attr(&self.$field))),*]
        }

        $($visible)* fn from_attributes(
            attrs: &$crate::attribute::Attrs,
        ) -> tilewright_support::Result<Self> {
            $crate::attribute::only(attrs, &[$(stringify!($field)),*])?;
            Ok(Self { $($field: $crate::attribute::find(attrs, stringify!($field))?),* })
        }
    };
    (pub(super) $($field:ident),* $(,)?) => {
        $crate::attribute::attributes!(@ [pub(super)] $($field)*);
    };
    ($($field:ident),* $(,)?) => {
        $crate::attribute::attributes!(@ [] $($field)*);
    };
}
pub(crate) use attributes;
