//! Strings, n-grams and image files.
mod common;

use common::case::*;
use common::{node, with};
use tilewright_onnx::proto::{AttributeProto, NodeProto};
use tilewright_tensor::Tensor;

fn op(name: &str, attributes: &[AttributeProto]) -> NodeProto {
    attributes.iter().cloned().fold(node(name, &["x0"], &["y"]), with)
}

fn refused(version: i64, n: NodeProto, x: Tensor) -> String {
    one(version, n, &[x]).refused(&["y"])
}

#[test]
fn strings_joined_split_and_matched() {
    let joined = one(20, node("StringConcat", &["x0", "x1"], &["y"]), &[words(&[2], &["a", "b"]), words(&[], &["c"])]);
    assert_eq!(joined.tensor("y"), words(&[2], &["ac", "bc"]));

    let split = |attributes: &[AttributeProto]| {
        let n = attributes.iter().cloned().fold(node("StringSplit", &["x0"], &["y", "n"]), with);
        one(20, n, &[words(&[2], &["a,b,c", "d e"])])
    };
    let parts = split(&[text("delimiter", ","), int("maxsplit", 1)]).tensors(&["y", "n"]);
    assert_eq!(parts, [words(&[2, 2], &["a", "b,c", "d e", ""]), i64s(&[2], &[2, 1])]);
    assert_eq!(split(&[]).tensors(&["n"]), [i64s(&[2], &[1, 2])]);
    let message = split(&[int("maxsplit", -1)]).refused(&["y"]);
    assert_eq!(message, "attribute \"maxsplit\" must not be negative, found -1");

    let x = words(&[3], &["ab", "abb", "cab"]);
    assert_eq!(
        one(20, op("RegexFullMatch", &[text("pattern", "ab+")]), std::slice::from_ref(&x)).tensor("y"),
        of(&[3], &[true, true, false])
    );
    assert_eq!(refused(20, op("RegexFullMatch", &[]), x), "attribute \"pattern\" is required but missing");
}

#[test]
fn strings_normalized() {
    let x = words(&[1, 3], &["Monday", "tuesday", "monday"]);
    let normalize = |case: &str, sensitive| {
        let stop = texts("stopwords", &["monday"]);
        op("StringNormalizer", &[stop, text("case_change_action", case), int("is_case_sensitive", sensitive)])
    };
    assert_eq!(one(10, normalize("UPPER", 0), std::slice::from_ref(&x)).tensor("y"), words(&[1, 1], &["TUESDAY"]));
    assert_eq!(
        one(10, normalize("NONE", 1), std::slice::from_ref(&x)).tensor("y"),
        words(&[1, 2], &["Monday", "tuesday"])
    );
    assert!(refused(10, normalize("upper", 1), x).ends_with("none of LOWER, UPPER, NONE"));
}

#[test]
fn ngrams_counted() {
    let count = |mode, skips| {
        let sizes = [int("min_gram_length", 1), int("max_gram_length", 2), int("max_skip_count", skips)];
        let lists = [ints("ngram_counts", &[0, 1]), ints("ngram_indexes", &[1, 0]), ints("pool_int64s", &[2, 2, 3])];
        let rest = [text("mode", mode), floats("weights", &[0.5, 10.0])];
        op("TfIdfVectorizer", &[sizes.to_vec(), lists.to_vec(), rest.to_vec()].concat())
    };
    let x = i64s(&[5], &[2, 3, 2, 2, 3]);
    for (mode, expected) in [("TF", [2., 3.]), ("IDF", [10., 0.5]), ("TFIDF", [20., 1.5])] {
        assert_eq!(one(9, count(mode, 0), std::slice::from_ref(&x)).tensor("y"), f32s(&[2], &expected), "{mode}");
    }
    assert!(refused(9, count("tf", 0), x.clone()).ends_with("none of TF, IDF, TFIDF"));
    assert!(refused(9, count("TF", -1), x).contains("must not be negative"));
}

#[test]
fn images_decoded() {
    let decode = |format: &str, file: &[u8]| {
        one(20, op("ImageDecoder", &[text("pixel_format", format)]), &[of(&[file.len()], file)])
    };
    let file = b"P6 1 1 255\n\x01\x02\x03";
    assert_eq!(decode("RGB", file).tensor("y"), of(&[1, 1, 3], &[1u8, 2, 3]));
    assert_eq!(decode("BGR", file).tensor("y"), of(&[1, 1, 3], &[3u8, 2, 1]));
    assert_eq!(decode("Grayscale", file).tensor("y"), of(&[1, 1, 1], &[2u8]));
    assert!(decode("YUV", file).refused(&["y"]).ends_with("none of RGB, BGR, Grayscale"));
    assert_eq!(decode("RGB", b"\0\0\0\x0cjP  \r\n").refused(&["y"]), "JPEG 2000 images");
}
