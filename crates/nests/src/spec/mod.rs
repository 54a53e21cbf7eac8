//! Schedules as strings: the loop specs of PARLOOPER ("Harnessing Deep Learning and HPC Kernels via High-Level Loop and
//! Tensor Abstractions on CPU Architectures", §2).
//!
//! ```text
//! spec := item+ [ '@' clause ]
//! item := letter [ '[' start ',' end ',' step ',' '(' block { ',' block } ')' ']' ] [ '{' ('R'|'C'|'L') ':' ways '}' ] | '|'
//! ```
//!
//! Letters stand for axes in the order in which a kernel first names them, and follow each other as loops do, outermost
//! first: capitals for loops that threads share. An axis in blocks repeats its letter; blocks are in iterations of the
//! axis, the outermost first. A spec covers the loops that are perfectly nested; what is inside the innermost of them
//! stays as it is.

mod apply;

use crate::kernel::{Kernel, Loop, Stmt};
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};

/// A parsed spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Loops, outermost first.
    pub items: Vec<Item>,
}

/// A loop of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The number of the axis: 0 for `a`.
    pub axis: usize,
    /// Whether threads share it.
    pub parallel: bool,
    /// Iterations of the blocks of its axis, outermost first: at the first loop of the axis, if at all.
    pub blocks: Vec<usize>,
}

impl Kernel {
    /// The schedule of the loops that are perfectly nested.
    ///
    /// # Errors
    /// Unsupported, for more axes than there are letters.
    pub fn spec(&self) -> Result<String> {
        let (chain, _) = self.chain();
        let axes = axes(&chain);
        if axes.len() > 26 {
            return Err(Diagnostic::unsupported("a loop spec of more than 26 axes"));
        }
        let letter = |(depth, l): (usize, &&Loop)| {
            let axis = axes.iter().position(|a| *a == l.axis).unwrap_or(0) as u8;
            char::from(axis + if depth < self.parallel.len() { b'A' } else { b'a' })
        };
        Ok(chain.iter().enumerate().map(letter).collect())
    }

    /// The loops that are perfectly nested, outermost first, and what is inside.
    fn chain(&self) -> (Vec<&Loop>, &[Stmt]) {
        let mut chain: Vec<&Loop> = self.parallel.iter().collect();
        let mut body = &self.body[..];
        while let [Stmt::Loop(l, inner)] = body {
            chain.push(l);
            body = inner;
        }
        (chain, body)
    }
}

/// The axes of loops, each once.
fn axes(chain: &[&Loop]) -> Vec<Arc<str>> {
    let mut axes: Vec<Arc<str>> = Vec::new();
    for l in chain {
        if !axes.contains(&l.axis) {
            axes.push(l.axis.clone());
        }
    }
    axes
}

impl Spec {
    /// Reads a spec.
    ///
    /// # Errors
    /// Invalid, where it is no spec; unsupported, for what kernels lack: barriers, grids of threads, clauses, starts and
    /// steps other than those of the loops.
    pub fn parse(text: &str) -> Result<Self> {
        let mut reader = Reader { text, at: 0 };
        let mut items = Vec::new();
        while let Some(c) = reader.peek() {
            items.push(match c {
                'a'..='z' | 'A'..='Z' => reader.item()?,
                '|' => return Err(Diagnostic::unsupported("in a loop spec, a barrier")),
                '@' => return Err(Diagnostic::unsupported("in a loop spec, a clause after @")),
                _ => return Err(reader.error("a letter, | or @")),
            });
        }
        if items.is_empty() && !text.is_empty() {
            return Err(reader.error("a letter"));
        }
        Ok(Self { items })
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let here = self.peek() == Some(c);
        self.at += if here { c.len_utf8() } else { 0 };
        here
    }

    fn expect(&mut self, c: char) -> Result<()> {
        if self.eat(c) { Ok(()) } else { Err(self.error(&format!("`{c}`"))) }
    }

    fn error(&self, expected: &str) -> Box<Diagnostic> {
        let found = self.peek().map_or_else(|| "the end".to_string(), |c| format!("`{c}`"));
        Diagnostic::invalid(format!("loop spec, character {}: expected {expected}, found {found}", self.at + 1))
    }

    fn item(&mut self) -> Result<Item> {
        let letter = self.text.as_bytes()[self.at];
        self.at += 1;
        let mut item = Item {
            axis: usize::from(letter.to_ascii_lowercase() - b'a'),
            parallel: letter.is_ascii_uppercase(),
            blocks: Vec::new(),
        };
        if self.eat('[') {
            for (what, plain) in [("start", Some(0)), ("end", None), ("step", Some(1))] {
                if self.number()?.is_some_and(|n| Some(n) != plain) {
                    return Err(Diagnostic::unsupported(format!("in a loop spec, a {what} of its own")));
                }
                self.expect(',')?;
            }
            self.expect('(')?;
            loop {
                let block = self.number()?.ok_or_else(|| self.error("the size of a block"))?;
                item.blocks.push(block);
                if !self.eat(',') {
                    break;
                }
            }
            self.expect(')')?;
            self.expect(']')?;
        }
        match self.peek() {
            Some('{') => Err(Diagnostic::unsupported("in a loop spec, a grid of threads")),
            _ => Ok(item),
        }
    }

    fn number(&mut self) -> Result<Option<usize>> {
        let digits = self.text[self.at..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Ok(None);
        }
        let number = self.text[self.at..self.at + digits].parse().map_err(|_| self.error("a smaller number"))?;
        self.at += digits;
        Ok(Some(number))
    }
}
