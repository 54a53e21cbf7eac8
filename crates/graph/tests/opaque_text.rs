//! Opaque operations print with their attributes and read back.

use tilewright_graph::opaque::*;
use tilewright_graph::{Builder, Graph, Type};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Trees whose tables hold every kind of attribute.
fn trees() -> Trees {
    let tables = Ensemble {
        tests: vec![Test::Member, Test::Neq],
        features: vec![0, 1],
        thresholds: vec![f64::MAX, -0.1],
        on_true: vec![Next::Node(1), Next::Leaf(0)],
        on_false: vec![Next::Leaf(1), Next::Leaf(1)],
        nan_is_true: vec![true, false],
        members: vec![vec![1.5, f64::INFINITY]],
        roots: vec![Next::Node(0)],
        leaves: vec![0, 1],
        targets: vec![0, 0],
        weights: vec![1.0, 1e-300],
        outputs: 1,
        aggregate: Aggregate::Max,
        base: vec![0.5],
        pair: Pair::Sign,
        post: Post::Probit,
        dtype: DType::F64,
    };
    Trees::new(tables).unwrap()
}

#[test]
fn operations_print_and_read_back() {
    let texts = Pool::Texts(vec!["a\"\n".into(), "é".into()]);
    let grams = NGrams {
        mode: Weighting::Idf,
        shortest: 1,
        longest: 1,
        skips: 0,
        starts: vec![0],
        pool: texts,
        columns: vec![3, 0],
        weights: vec![0.1, f32::MIN],
    };
    let normalize = Normalize {
        stopwords: vec!["".into(), ",]".into()],
        case_sensitive: true,
        case: Case::Lower,
        locale: "C".into(),
    };
    let strings = |function| Strings { function }.into();
    let n = || Ix::sym("n");
    let cases: Vec<(Opaque, Vec<Type>)> = vec![
        (trees().into(), vec![Type::tensor(DType::F32, vec![n(), Ix::konst(2)])]),
        (TfIdf::new(grams).unwrap().into(), vec![Type::tensor(DType::String, vec![n()])]),
        (strings(StringFunction::Normalize(normalize)), vec![Type::tensor(DType::String, vec![n()])]),
        (strings(StringFunction::FullMatch { pattern: "\\d\"".into() }), vec![Type::tensor(DType::String, vec![])]),
        (
            strings(StringFunction::Split { delimiter: "".into(), most: Some(2) }),
            vec![Type::tensor(DType::String, vec![])],
        ),
        (
            TopK { axis: 0, largest: true, k: Some(n().floor_div(&Ix::konst(2))) }.into(),
            vec![Type::tensor(DType::U64, vec![n()]), Type::tensor(DType::I64, vec![])],
        ),
        (ImageDecode { pixels: PixelFormat::Bgr }.into(), vec![Type::tensor(DType::U8, vec![n()])]),
    ];
    for (op, types) in cases {
        let mut b = Builder::new();
        let inputs: Vec<_> = types.into_iter().zip(["x", "y"]).map(|(ty, name)| b.input(name, ty)).collect();
        let outputs = b.opaque(op, &inputs).unwrap();
        let text = b.finish(&outputs).to_text();
        assert_eq!(Graph::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).to_text(), text);
    }
}
