//! Files whose few bytes ask for much: items of two bytes by the million, nesting without end, sizes that are lies.
use crate::common::*;
use bytes::Bytes;
use prost::encoding::{WireType, encode_key, encode_varint};
use tilewright_onnx_file::proto::*;
use tilewright_tensor::Tensor;
use tilewright_tensor::proto::{SparseTensorProto, TensorProto};

const MANY: usize = 2_000_000;

/// How often items are repeated: less often they are decoded, more often they are refused uncounted.
const COUNTS: [usize; 5] = [20_000, 60_000, 200_000, 600_000, MANY];

/// Hostile files with their names.
pub fn bombs() -> Vec<(String, Bytes)> {
    let mut all = repeated();
    all.extend(minimal());
    all.extend(packed());
    all.extend(nested());
    all.extend(liars());
    all.into_iter().map(|(label, file)| (label, Bytes::from(file))).collect()
}

type Bombs = Vec<(String, Vec<u8>)>;

/// `content` as field number `path.0` of a message that is field `path.1` of another, and so on.
fn wrap(path: &[u32], mut content: Vec<u8>) -> Vec<u8> {
    for number in path {
        let mut outer = Vec::with_capacity(content.len() + 12);
        encode_key(*number, WireType::LengthDelimited, &mut outer);
        encode_varint(content.len() as u64, &mut outer);
        outer.append(&mut content);
        content = outer;
    }
    content
}

/// Where lists of messages, strings and bytes lie: names, and field numbers from the inside out.
const LISTS: [(&str, &[u32]); 30] = [
    ("opset imports", &[8]),
    ("metadata", &[14]),
    ("functions", &[25]),
    ("function inputs", &[4, 25]),
    ("function attributes", &[6, 25]),
    ("function nodes", &[7, 25]),
    ("function imports", &[9, 25]),
    ("function defaults", &[11, 25]),
    ("nodes", &[1, 7]),
    ("initializers", &[5, 7]),
    ("inputs", &[11, 7]),
    ("outputs", &[12, 7]),
    ("value types", &[13, 7]),
    ("sparse initializers", &[15, 7]),
    ("operands", &[1, 1, 7]),
    ("results", &[2, 1, 7]),
    ("attributes", &[5, 1, 7]),
    ("strings", &[9, 5, 1, 7]),
    ("tensors", &[10, 5, 1, 7]),
    ("graphs", &[11, 5, 1, 7]),
    ("types", &[15, 5, 1, 7]),
    ("sparse tensors", &[23, 5, 1, 7]),
    ("string elements", &[6, 5, 7]),
    ("external entries", &[13, 5, 7]),
    ("tensor metadata", &[16, 5, 7]),
    ("dims of a type", &[1, 2, 1, 2, 11, 7]),
    ("value metadata", &[4, 11, 7]),
    ("unknown fields", &[99]),
    ("main graphs", &[7]),
    ("types of a value", &[2, 11, 7]),
];

fn repeated() -> Bombs {
    let bomb = |count: usize, (label, path): &(&str, &[u32])| {
        let items = wrap(&path[1..], wrap(&path[..1], Vec::new()).repeat(count));
        // A bomb outside the graph needs a graph beside it, or it would not be looked at.
        let beside =
            if path.ends_with(&[7]) { Vec::new() } else { bytes(&model(&graph(&["x"], &[], &["x"]))).to_vec() };
        (format!("{count} {label}"), [beside, items].concat())
    };
    COUNTS.iter().flat_map(|count| LISTS.iter().map(|list| bomb(*count, list))).collect()
}

/// Items as small as valid ones can be, so that they are not only decoded but validated.
fn minimal() -> Bombs {
    let name =
        |i: usize| char::from_u32(0x4e00 + i as u32 % 20_000).unwrap_or('a').to_string() + &"a".repeat(i / 20_000);
    let bomb = |count: usize| {
        let names: Vec<String> = (0..count).map(name).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.sort_unstable();
        let scalar = TensorProto { data_type: Some(1), dims: vec![0], ..TensorProto::default() };
        let named = |name: &&str| TensorProto { name: Some((*name).into()), ..scalar.clone() };
        let constants = |names: &[&str]| GraphProto {
            initializer: names.iter().map(|name| bytes(&named(name))).collect(),
            ..graph(&[], &[], &names[..1])
        };
        let nodes = |names: &[&str]| names.iter().map(|name| node("a", &[], &[name])).collect::<Vec<_>>();
        let chain =
            |names: &[&str]| names.windows(2).map(|two| node("a", &[two[1], "x"], &[two[0]])).collect::<Vec<_>>();
        let flag =
            |name: &&str| bytes(&AttributeProto { i: Some(0), name: (*name).into(), ..AttributeProto::default() });
        let flagged = NodeProto { attribute: names.iter().take(1000).map(flag).collect(), ..node("a", &[], &["y"]) };
        let calls: Vec<NodeProto> = names.iter().map(|name| foreign("my", "F", &[], &[name])).collect();
        let doubling = function("F", &[], &[node("a", &[], &["b"]), node("a", &["b"], &["c"])], &["c"]);
        vec![
            (format!("{count} valid nodes"), model(&graph(&[], &nodes(&names), &names[..1]))),
            (format!("{count} nodes in reverse"), model(&graph(&["x", names[count - 1]], &chain(&names), &names[..1]))),
            (format!("{count} valid initializers"), model(&constants(&names))),
            (format!("{count} valid inputs"), model(&graph(&names, &[], &names[..1]))),
            (
                format!("{count} valid operands"),
                model(&graph(&["y"], &vec![node("a", &["y"; 1000], &[]); count / 1000], &["y"])),
            ),
            (format!("{count} valid attributes"), model(&graph(&[], &[flagged], &["y"]))),
            (format!("{count} calls"), with_functions(model(&graph(&[], &calls, &names[..1])), &[doubling])),
        ]
    };
    let models = COUNTS[..4].iter().flat_map(|count| bomb(*count));
    models.map(|(label, model)| (label, bytes(&model).to_vec())).collect()
}

/// Numbers of one byte that decode to four or eight, packed and one by one.
fn packed() -> Bombs {
    let lists: [(&str, &[u32]); 6] = [
        ("ints", &[8, 5, 1, 7]),
        ("dims", &[1, 5, 7]),
        ("int32 elements", &[5, 5, 7]),
        ("int64 elements", &[7, 5, 7]),
        ("uint64 elements", &[11, 5, 7]),
        ("sparse dims", &[3, 15, 7]),
    ];
    let packed =
        |count: usize, (label, path): &(&str, &[u32])| (format!("{count} packed {label}"), wrap(path, vec![1; count]));
    let single = |count: usize, (label, path): &(&str, &[u32])| {
        let mut item = Vec::new();
        encode_key(path[0], WireType::Varint, &mut item);
        item.push(1);
        (format!("{count} single {label}"), wrap(&path[1..], item.repeat(count)))
    };
    let counted = COUNTS.iter().flat_map(|count| lists.iter().map(move |list| (*count, list)));
    counted.flat_map(|(count, list)| [packed(8 * count, list), single(count, list)]).collect()
}

fn nested() -> Bombs {
    let levels = |path: &[u32], depth: usize| {
        let path: Vec<u32> = path.iter().copied().cycle().take(path.len() * depth).collect();
        wrap(&path, Vec::new())
    };
    let mut bombs = Vec::new();
    for depth in [40, 3000] {
        bombs.push((format!("{depth} bodies"), wrap(&[7], levels(&[6, 5, 1], depth))));
        bombs.push((format!("{depth} sequence types"), wrap(&[2, 11, 7], levels(&[1, 4], depth))));
        bombs.push((format!("{depth} map types"), wrap(&[14, 5, 1, 7], levels(&[2, 5], depth))));
    }
    bombs
}

fn liars() -> Bombs {
    let initializer = |proto: &TensorProto| {
        let mut main = graph(&["x"], &[], &["x"]);
        main.initializer.push(bytes(proto));
        bytes(&model(&main)).to_vec()
    };
    let sparse = |dims: &[i64]| {
        let indices = Tensor::from_slice(&[1], &[0i64]).unwrap().to_proto("");
        let sparse = SparseTensorProto { values: Some(tensor("s")), indices: Some(indices), dims: dims.to_vec() };
        let mut main = graph(&["x"], &[], &["x"]);
        main.sparse_initializer = vec![bytes(&sparse); 100];
        bytes(&model(&main)).to_vec()
    };
    let long = "n".repeat(MANY);
    let name = graph(&[], &[node("Neg", &[&long], &[&long, &long]), node("Neg", &[&long], &[&long])], &[&long]);
    let names = graph(&["x"], &(0..60).map(|_| node(&long[..MANY / 50], &["a"], &["a"])).collect::<Vec<_>>(), &["x"]);
    vec![
        ("huge dims".into(), initializer(&TensorProto { dims: vec![1 << 40, 1 << 40], ..tensor("k") })),
        ("huge dims beside 0".into(), initializer(&TensorProto { dims: vec![0, 1 << 62, 1 << 62], ..tensor("k") })),
        ("a huge sparse tensor".into(), sparse(&[1 << 40])),
        ("many large sparse tensors".into(), sparse(&[10_000_000])),
        ("long names".into(), bytes(&model(&name)).to_vec()),
        ("long operators".into(), bytes(&model(&names)).to_vec()),
    ]
}
