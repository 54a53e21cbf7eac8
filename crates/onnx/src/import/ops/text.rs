//! Operators over strings, n-grams and image files: opaque algorithms with ONNX's attributes made explicit.

use crate::Node;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::opaque::{
    Case, ImageDecode, NGrams, Normalize, PixelFormat, Pool, StringFunction, Strings, TfIdf, Weighting,
};
use tilewright_support::Result;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("StringConcat", 2..=2, &[], |cx, c| strings(cx, c, StringFunction::Concat)).since(20),
    Row::new("StringSplit", 1..=1, &["delimiter", "maxsplit"], split).since(20).outputs(2..=2),
    Row::new("RegexFullMatch", 1..=1, &["pattern"], |cx, c| {
        let pattern = c.node.required("pattern", Node::attr_str)?.into();
        strings(cx, c, StringFunction::FullMatch { pattern })
    })
    .since(20),
    Row::new("StringNormalizer", 1..=1, &["case_change_action", "is_case_sensitive", "locale", "stopwords"], normalize)
        .since(10),
    Row::new(
        "TfIdfVectorizer",
        1..=1,
        &[
            "max_gram_length",
            "max_skip_count",
            "min_gram_length",
            "mode",
            "ngram_counts",
            "ngram_indexes",
            "pool_int64s",
            "pool_strings",
            "weights",
        ],
        count_ngrams,
    )
    .since(9),
    Row::new("ImageDecoder", 1..=1, &["pixel_format"], decode_image).since(20),
];

fn strings(cx: &mut Cx<'_>, c: &Call<'_>, function: StringFunction) -> Result<Vec<ValueId>> {
    cx.b.opaque(Strings { function }.into(), &c.all()?)
}

fn split(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let most = c.node.attr_int("maxsplit")?.map(|most| count(c, "maxsplit", most)).transpose()?;
    strings(cx, c, StringFunction::Split { delimiter: c.str("delimiter", "")?.into(), most })
}

fn normalize(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let case = match c.str("case_change_action", "NONE")? {
        "NONE" => Case::Keep,
        "LOWER" => Case::Lower,
        "UPPER" => Case::Upper,
        other => return Err(c.invalid(format!("case_change_action \"{other}\" is none of LOWER, UPPER, NONE"))),
    };
    let stopwords = c.node.attr_strs("stopwords")?.unwrap_or_default().into_iter().map(Into::into).collect();
    let case_sensitive = c.flag("is_case_sensitive", false)?;
    let locale = c.str("locale", "en_US")?.into();
    strings(cx, c, StringFunction::Normalize(Normalize { stopwords, case_sensitive, case, locale }))
}

fn count_ngrams(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let mode = match c.node.required("mode", Node::attr_str)? {
        "TF" => Weighting::Tf,
        "IDF" => Weighting::Idf,
        "TFIDF" => Weighting::TfIdf,
        other => return Err(c.invalid(format!("mode \"{other}\" is none of TF, IDF, TFIDF"))),
    };
    let pool = match (c.ints("pool_int64s")?, c.node.attr_strs("pool_strings")?) {
        (Some(numbers), None) => Pool::Ints(numbers.to_vec()),
        (None, Some(texts)) => Pool::Texts(texts.into_iter().map(Into::into).collect()),
        _ => return Err(c.invalid("TfIdfVectorizer takes either pool_int64s or pool_strings")),
    };
    let number = |name| count(c, name, c.node.required(name, Node::attr_int)?);
    let grams = NGrams {
        mode,
        shortest: number("min_gram_length")?,
        longest: number("max_gram_length")?,
        skips: number("max_skip_count")?,
        starts: counts(c, "ngram_counts")?,
        pool,
        columns: counts(c, "ngram_indexes")?,
        weights: c.node.attr_floats("weights")?.unwrap_or_default().to_vec(),
    };
    cx.b.opaque(TfIdf::new(grams)?.into(), &[c.x(0)?])
}

fn decode_image(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let pixels = match c.str("pixel_format", "RGB")? {
        "RGB" => PixelFormat::Rgb,
        "BGR" => PixelFormat::Bgr,
        "Grayscale" => PixelFormat::Grayscale,
        other => return Err(c.invalid(format!("pixel_format \"{other}\" is none of RGB, BGR, Grayscale"))),
    };
    cx.b.opaque(ImageDecode { pixels }.into(), &[c.x(0)?])
}

/// An entry of attribute `name` that counts or numbers something.
pub fn count(c: &Call<'_>, name: &str, entry: i64) -> Result<usize> {
    usize::try_from(entry).map_err(|_| c.invalid(format!("attribute \"{name}\" must not be negative, found {entry}")))
}

/// The entries of a required attribute that count or number something.
pub fn counts(c: &Call<'_>, name: &str) -> Result<Vec<usize>> {
    c.node.required(name, Node::attr_ints)?.iter().map(|entry| count(c, name, *entry)).collect()
}
