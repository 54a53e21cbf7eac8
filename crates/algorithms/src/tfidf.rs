//! Counts of n-grams: words or numbers that follow each other.

use super::attribute::{Attr, Attribute, Attrs, words};
use super::operand::{MOST, tensor};
use super::{Algorithm, attributes};
use std::collections::{BTreeMap, HashMap};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Sym};
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, Value};

words! {
    /// What an n-gram that is found adds to its column.
    Weighting {
        /// How often it occurs.
        Tf = "tf",
        /// Its weight, once.
        Idf = "idf",
        /// Its weight, each time.
        TfIdf = "tfidf",
    }
}

/// The items of n-grams.
#[derive(Clone, Debug, PartialEq)]
pub enum Pool {
    /// Numbers, for i32 and i64 inputs.
    Ints(Vec<i64>),
    /// Strings.
    Texts(Vec<Arc<str>>),
}

impl Attribute for Pool {
    fn to_attr(&self) -> Attr {
        match self {
            Self::Ints(all) => all.to_attr(),
            Self::Texts(all) => all.to_attr(),
        }
    }

    fn from_attr(attr: &Attr) -> Option<Self> {
        Vec::from_attr(attr).map(Self::Ints).or_else(|| Vec::from_attr(attr).map(Self::Texts))
    }
}

/// The attributes of [`TfIdf`], as ONNX's `TfIdfVectorizer` has them.
#[derive(Clone, Debug, PartialEq)]
pub struct NGrams {
    /// What is counted.
    pub mode: Weighting,
    /// The least length of n-grams that count.
    pub shortest: usize,
    /// The greatest length of n-grams that count.
    pub longest: usize,
    /// The most items that are skipped between those of an n-gram, the same number each time.
    pub skips: usize,
    /// Where in the pool the n-grams of length 1, 2, ... start.
    pub starts: Vec<usize>,
    /// The n-grams, those of a length together.
    pub pool: Pool,
    /// The column of each n-gram.
    pub columns: Vec<usize>,
    /// The weight of each n-gram; empty: all 1.
    pub weights: Vec<f32>,
}

impl NGrams {
    attributes!(mode, shortest, longest, skips, starts, pool, columns, weights);
}

/// ONNX `TfIdfVectorizer`.
///
/// Input: items `[n]` or `[rows, n]` of the pool's kind. Output: for each row the n-grams found in it, counted or
/// weighted by column, f32 `[columns]` or `[rows, columns]`. N-grams that share a column add up.
#[derive(Clone, Debug, PartialEq)]
pub struct TfIdf(Arc<Vectorizer>);

#[derive(Debug, PartialEq)]
struct Vectorizer {
    grams: NGrams,
    width: usize,
    items: Items,
    trie: Trie,
}

/// The different items of the pool, numbered.
#[derive(Debug, PartialEq)]
enum Items {
    Ints(HashMap<i64, usize>),
    Texts(HashMap<Arc<str>, usize>),
}

/// N-grams by their items.
#[derive(Debug, Default, PartialEq)]
struct Trie {
    /// The node that an item leads to from a node; 0 is the root.
    next: HashMap<(usize, usize), usize>,
    /// The n-gram that ends at a node after the root.
    ends: Vec<Option<usize>>,
}

impl TfIdf {
    /// Fails when the lists contradict each other.
    pub fn new(grams: NGrams) -> Result<Self> {
        let invalid = |why: String| Diagnostic::invalid(format!("n-grams: {why}"));
        let (items, pool) = number(&grams.pool);
        let ranges = ranges(&grams.starts, pool.len()).map_err(&invalid)?;
        let count = ranges.len();
        let (columns, weights) = (grams.columns.len(), grams.weights.len());
        if columns != count || (weights != 0 && weights != count) {
            return Err(invalid(format!("the pool has {count}, but there are {columns} columns, {weights} weights")));
        }
        let width = match grams.columns.iter().max() {
            Some(last) if *last < MOST => last + 1,
            Some(last) => return Err(Diagnostic::limit(format!("column {last} of n-grams; the last is {}", MOST - 1))),
            None => return Err(invalid("there are none".into())),
        };
        if grams.shortest == 0 || grams.shortest > grams.longest {
            return Err(invalid(format!("lengths from {} to {}", grams.shortest, grams.longest)));
        }
        let mut trie = Trie::default();
        for (gram, range) in ranges.into_iter().enumerate() {
            let counts = (grams.shortest..=grams.longest).contains(&range.len());
            if counts && !trie.insert(&pool[range.clone()], gram) {
                return Err(invalid(format!("the one at {} of the pool occurs twice", range.start)));
            }
        }
        Ok(Self(Arc::new(Vectorizer { grams, width, items, trie })))
    }
}

/// Numbers the items of a pool; gives the pool as numbers too.
fn number(pool: &Pool) -> (Items, Vec<usize>) {
    fn all<K: std::hash::Hash + Eq + Clone>(pool: &[K]) -> (HashMap<K, usize>, Vec<usize>) {
        let mut numbers = HashMap::new();
        let mut next = 0..;
        let numbered = pool.iter().map(|item| *numbers.entry(item.clone()).or_insert_with(|| next.next().unwrap_or(0)));
        let numbered = numbered.collect();
        (numbers, numbered)
    }
    match pool {
        Pool::Ints(pool) => {
            let (numbers, pool) = all(pool);
            (Items::Ints(numbers), pool)
        }
        Pool::Texts(pool) => {
            let (numbers, pool) = all(pool);
            (Items::Texts(numbers), pool)
        }
    }
}

/// Where each n-gram lies in a pool of `len` items.
fn ranges(starts: &[usize], len: usize) -> Result<Vec<Range<usize>>, String> {
    let mut ranges = Vec::new();
    for (n, start) in (1..).zip(starts) {
        let end = starts.get(n).copied().unwrap_or(len);
        if *start > end || end > len || (end - start) % n != 0 {
            return Err(format!("those of length {n} lie at {start}..{end} of a pool of {len}"));
        }
        ranges.extend((*start..end).step_by(n).map(|at| at..at + n));
    }
    Ok(ranges)
}

impl Trie {
    /// Whether the n-gram is new.
    fn insert(&mut self, items: &[usize], gram: usize) -> bool {
        let mut node = 0;
        for item in items {
            let fresh = self.ends.len() + 1;
            node = *self.next.entry((node, *item)).or_insert(fresh);
            if node == fresh {
                self.ends.push(None);
            }
        }
        self.ends[node - 1].replace(gram).is_none()
    }
}

impl Algorithm for TfIdf {
    const NAME: &'static str = "tfidf";
    const DOC: &'static str = "How often, or with what weight, the n-grams of a pool occur in each row of `x`.";

    fn attributes(&self) -> Attrs {
        self.0.grams.attributes()
    }

    fn from_attributes(attrs: &Attrs) -> Result<Self> {
        Self::new(NGrams::from_attributes(attrs)?)
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=1
    }

    fn infer(&self, inputs: &[Type], _: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let x = inputs[0].as_tensor()?;
        self.0.items.check(x.dtype)?;
        let width = Ix::from(self.0.width);
        match x.shape.as_slice() {
            [_] => Ok(vec![Type::tensor(DType::F32, vec![width])]),
            [rows, _] => Ok(vec![Type::tensor(DType::F32, vec![rows.clone(), width])]),
            _ => Err(wrong_shape(x)),
        }
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let (x, width) = (tensor(inputs, 0)?, self.0.width);
        let items = self.0.items.of(x)?;
        let (rows, len, shape) = match *x.shape() {
            [len] => (1, len, vec![width]),
            [rows, len] => (rows, len, vec![rows, width]),
            _ => return Err(wrong_shape(&Type::of(x))),
        };
        if rows.checked_mul(width).is_none_or(|total| total > 64 * MOST) {
            return Err(Diagnostic::limit(format!("{rows} rows of {width} columns of n-grams")));
        }
        let mut out = vec![0f32; rows * width];
        for row in 0..rows {
            self.0.count(&items[row * len..][..len], &mut out[row * width..][..width]);
        }
        Ok(vec![Value::Tensor(Tensor::from_vec(&shape, out)?)])
    }

    fn syms(&self) -> Vec<Sym> {
        Vec::new()
    }
}

fn wrong_shape(found: &dyn std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::shape(format!("n-grams are counted in items [n] or [rows, n], not {found}"))
}

impl Items {
    fn check(&self, dtype: DType) -> Result<()> {
        let (fits, kind) = match self {
            Self::Ints(_) => (matches!(dtype, DType::I32 | DType::I64), "i32 or i64"),
            Self::Texts(_) => (dtype == DType::String, "strings"),
        };
        match fits {
            true => Ok(()),
            false => Err(Diagnostic::dtype(format!("the items of these n-grams are {kind}, not {dtype}"))),
        }
    }

    /// The number of each element; none for what is not in the pool.
    fn of(&self, x: &Tensor) -> Result<Vec<Option<usize>>> {
        self.check(x.dtype())?;
        Ok(match self {
            Self::Ints(numbers) => x.to_vec_i64().iter().map(|item| numbers.get(item).copied()).collect(),
            Self::Texts(numbers) => {
                x.strings().unwrap_or_default().iter().map(|item| numbers.get(item.as_str()).copied()).collect()
            }
        })
    }
}

impl Vectorizer {
    /// Adds what the n-grams in `items` give to the columns.
    fn count(&self, items: &[Option<usize>], columns: &mut [f32]) {
        let mut found: BTreeMap<usize, u32> = BTreeMap::new();
        for step in 1..=self.grams.skips.min(items.len()) + 1 {
            for start in 0..items.len() {
                self.walk(&items[start..], step, &mut found);
            }
        }
        for (gram, count) in found {
            let weight = self.grams.weights.get(gram).copied().unwrap_or(1.0);
            columns[self.grams.columns[gram]] += match self.grams.mode {
                Weighting::Tf => count as f32,
                Weighting::Idf => weight,
                Weighting::TfIdf => count as f32 * weight,
            };
        }
    }

    /// Counts the n-grams of every `step`-th item from the first on; single items have no gaps and count once.
    fn walk(&self, items: &[Option<usize>], step: usize, found: &mut BTreeMap<usize, u32>) {
        let mut node = 0;
        for (place, item) in items.iter().step_by(step).enumerate() {
            let Some(next) = item.and_then(|item| self.trie.next.get(&(node, item))) else { return };
            node = *next;
            if let Some(gram) = self.trie.ends[node - 1].filter(|_| place > 0 || step == 1) {
                *found.entry(gram).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{floats, ints, refused, run, words};

    /// Single items 1 and 2, pairs (1, 2) and (2, 1), and one triple.
    fn grams() -> NGrams {
        NGrams {
            mode: Weighting::Tf,
            shortest: 1,
            longest: 3,
            skips: 0,
            starts: vec![0, 2, 6],
            pool: Pool::Ints(vec![1, 2, 1, 2, 2, 1, 1, 2, 1]),
            columns: vec![0, 1, 2, 3, 4],
            weights: vec![],
        }
    }

    #[test]
    fn gaps_lengths_and_rows() {
        let row = [1, 2, 1, 2, 1, 1];
        let cases: [(usize, usize, usize, [f32; 5]); 4] = [
            (0, 1, 3, [4.0, 2.0, 2.0, 2.0, 2.0]),
            (2, 1, 3, [4.0, 2.0, 3.0, 4.0, 2.0]),
            (i64::MAX as usize, 1, 1, [4.0, 2.0, 0.0, 0.0, 0.0]),
            (1, 2, 2, [0.0, 0.0, 2.0, 3.0, 0.0]),
        ];
        for (skips, shortest, longest, wanted) in cases {
            let op = TfIdf::new(NGrams { skips, shortest, longest, ..grams() }).unwrap();
            assert_eq!(run(op.clone(), &[ints(&[6], &row)])[0], floats(&[5], &wanted));
            let rows = run(op, &[Tensor::from_slice(&[2, 6], &row.map(|i| i as i32).repeat(2)).unwrap()]);
            assert_eq!(rows[0], floats(&[2, 5], &wanted.repeat(2)));
        }
        let empty = run(TfIdf::new(grams()).unwrap(), &[ints(&[2, 0], &[])]);
        assert_eq!(empty[0], floats(&[2, 5], &[0.0; 10]));
    }

    #[test]
    fn weights_belong_to_ngrams() {
        let pool = Pool::Texts(vec!["a".into(), "b".into()]);
        let base = NGrams { longest: 1, starts: vec![0], pool, weights: vec![2.0, 3.0], ..grams() };
        let cases: [(Weighting, &[usize], &[f32]); 6] = [
            (Weighting::Tf, &[1, 0], &[2.0, 1.0]),
            (Weighting::Idf, &[1, 0], &[3.0, 2.0]),
            (Weighting::TfIdf, &[1, 0], &[6.0, 2.0]),
            (Weighting::TfIdf, &[2, 0], &[6.0, 0.0, 2.0]),
            (Weighting::TfIdf, &[0, 0], &[8.0]),
            (Weighting::Idf, &[0, 0], &[5.0]),
        ];
        for (mode, columns, wanted) in cases {
            let op = TfIdf::new(NGrams { mode, columns: columns.to_vec(), ..base.clone() }).unwrap();
            assert_eq!(run(op, &[words(&[3], &["a", "b", "b"])])[0], floats(&[wanted.len()], wanted));
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let cases = [
            (NGrams { starts: vec![0, 2, 5], ..grams() }, "those of length 2 lie at 2..5 of a pool of 9"),
            (NGrams { starts: vec![0, 20], ..grams() }, "those of length 1 lie at 0..20 of a pool of 9"),
            (NGrams { columns: vec![0], ..grams() }, "the pool has 5, but there are 1 columns, 0 weights"),
            (NGrams { weights: vec![1.0], ..grams() }, "the pool has 5, but there are 5 columns, 1 weights"),
            (NGrams { shortest: 0, ..grams() }, "lengths from 0 to 3"),
            (NGrams { starts: vec![9], columns: vec![], ..grams() }, "there are none"),
            (NGrams { pool: Pool::Ints(vec![1; 9]), ..grams() }, "the one at 1 of the pool occurs twice"),
        ];
        for (grams, why) in cases {
            assert_eq!(TfIdf::new(grams).unwrap_err().message, format!("n-grams: {why}"));
        }
        let wide = NGrams { columns: vec![0, 1, 2, 3, usize::MAX], ..grams() };
        assert!(TfIdf::new(wide).unwrap_err().message.contains("the last is"));
        let op = TfIdf::new(grams()).unwrap();
        assert_eq!(refused(op.clone(), &[words(&[1], &["a"])]), "the items of these n-grams are i32 or i64, not str");
        assert_eq!(refused(op, &[ints(&[], &[1])]), "n-grams are counted in items [n] or [rows, n], not i64[]");
    }
}
