//! Messages in and out, and messages that break the rules.
use super::*;
use crate::proto::{DATA_LOCATION_EXTERNAL, Segment, SparseTensorProto, StringStringEntryProto, elem_type};
use crate::{DType, Map};
use tilewright_support::Code;

fn tensor(dtype: DType, shape: &[usize]) -> Tensor {
    let count = shape.iter().product();
    match dtype {
        DType::String => Tensor::from_strings(shape, vec!["ä".to_owned(); count]).unwrap(),
        _ => {
            let bytes: Vec<u8> = (0..dtype.byte_len(count).unwrap()).map(|i| (i * 71 + 3) as u8).collect();
            Tensor::from_bytes(dtype, shape, &bytes).unwrap()
        }
    }
}

#[test]
fn every_dtype_and_shape_survives_a_file() {
    for &dtype in DType::ALL {
        for shape in [&[][..], &[0], &[3], &[2, 0, 5], &[5, 1], &[2, 3, 1]] {
            let value = Value::Tensor(tensor(dtype, shape));
            let file = encode(&value).unwrap();
            assert_eq!(decode(Kind::Tensor, file.into()).unwrap(), value, "{dtype} {shape:?}");
        }
    }
}

#[test]
fn containers_survive_a_file() {
    let one = || Value::Tensor(tensor(DType::F32, &[2]));
    let keys = tensor(DType::I32, &[2]);
    let map = Value::Map(Map { keys, values: vec![one(), one()] });
    let names = Tensor::from_strings(&[1], vec!["k".to_owned()]).unwrap();
    let values = [
        (Kind::Sequence, Value::Sequence(vec![])),
        (Kind::Sequence, Value::Sequence(vec![one(), one()])),
        (Kind::Sequence, Value::Sequence(vec![Value::Sequence(vec![one()]), Value::Sequence(vec![])])),
        (Kind::Sequence, Value::Sequence(vec![map.clone(), map.clone()])),
        (Kind::Sequence, Value::Sequence(vec![Value::Optional(None), Value::Optional(Some(Box::new(one())))])),
        (Kind::Optional, Value::Optional(None)),
        (Kind::Optional, Value::Optional(Some(Box::new(Value::Sequence(vec![one()]))))),
        (Kind::Optional, Value::Optional(Some(Box::new(Value::Optional(None))))),
        (Kind::Map, map),
        (Kind::Map, Value::Map(Map { keys: names, values: vec![one()] })),
    ];
    for (kind, value) in values {
        let file = encode(&value).unwrap();
        assert_eq!(decode(kind, file.into()).unwrap(), value);
    }
    assert!(encode(&Value::Sequence(vec![one(), Value::Optional(None)])).is_err());
    assert!(encode(&Value::Map(Map { keys: tensor(DType::F32, &[1]), values: vec![one()] })).is_err());
}

/// A message of that type with `dims`, filled by `fill`.
fn proto(dtype: DType, dims: &[i64], fill: impl FnOnce(&mut TensorProto)) -> TensorProto {
    let mut proto = TensorProto { dims: dims.to_vec(), data_type: Some(dtype.onnx_code()), ..TensorProto::default() };
    fill(&mut proto);
    proto
}

#[test]
fn typed_fields_hold_what_their_type_says() {
    use DType::*;
    let read = |p: TensorProto| Tensor::from_proto(&p).unwrap();
    assert_eq!(read(proto(F32, &[2], |p| p.float_data = vec![1.5, -2.0])).to_vec_f64(), [1.5, -2.0]);
    assert_eq!(read(proto(F64, &[1], |p| p.double_data = vec![0.1])).to_vec_f64(), [0.1]);
    assert_eq!(read(proto(I64, &[1], |p| p.int64_data = vec![i64::MIN])).to_vec_i64(), [i64::MIN]);
    assert_eq!(read(proto(U64, &[1], |p| p.uint64_data = vec![u64::MAX])).to_vec_i64(), [-1]);
    assert_eq!(read(proto(U32, &[1], |p| p.uint64_data = vec![0xffff_ffff])).to_vec_i64(), [0xffff_ffff]);
    assert_eq!(read(proto(I8, &[2], |p| p.int32_data = vec![-1, 127])).to_vec_i64(), [-1, 127]);
    assert_eq!(read(proto(Bool, &[2], |p| p.int32_data = vec![1, 0])).to_vec_i64(), [1, 0]);
    assert_eq!(read(proto(F16, &[2], |p| p.int32_data = vec![0x3c00, 0xc000])).to_vec_f64(), [1.0, -2.0]);
    assert_eq!(read(proto(BF16, &[1], |p| p.int32_data = vec![0x3fc0])).to_vec_f64(), [1.5]);
    assert_eq!(read(proto(F8E5M2, &[1], |p| p.int32_data = vec![0xbc])).to_vec_f64(), [-1.0]);
    assert_eq!(read(proto(I4, &[3], |p| p.int32_data = vec![0x8f, 0x07])).to_vec_i64(), [-1, -8, 7]);
    assert_eq!(read(proto(U2, &[5], |p| p.int32_data = vec![0b11_10_01_00, 1])).to_vec_i64(), [0, 1, 2, 3, 1]);
    assert_eq!(read(proto(F4E2M1, &[1], |p| p.int32_data = vec![0x09])).to_vec_f64(), [-0.5]);
    let empty = read(proto(F32, &[0, 4], |p| p.raw_data = Some(Bytes::new())));
    assert_eq!((empty.shape(), empty.len()), (&[0, 4][..], 0));
    assert_eq!(
        read(proto(F32, &[1], |p| (p.raw_data, p.float_data) = (Some(Bytes::new()), vec![7.0]))).to_vec_f64(),
        [7.0]
    );
}

#[test]
fn messages_that_break_the_rules_are_refused() {
    use Code::{Invalid, Limit, Unsupported};
    use DType::*;
    let raw = |n: usize| Some(Bytes::from(vec![0; n]));
    let entry = StringStringEntryProto::default();
    let cases = [
        (Invalid, proto(F32, &[2], |p| p.raw_data = raw(7))),
        (Invalid, proto(F32, &[2], |p| p.raw_data = raw(9))),
        (Invalid, proto(F32, &[2], |p| p.float_data = vec![1.0])),
        (Invalid, proto(F32, &[2], |_| {})),
        (Invalid, proto(F32, &[-1], |p| p.raw_data = raw(4))),
        (Limit, proto(F32, &[i64::MAX, 2], |p| p.raw_data = raw(4))),
        (Limit, proto(F32, &[1 << 40, 1 << 40, 0], |_| {})),
        (Invalid, proto(F32, &[1], |p| (p.raw_data, p.float_data) = (raw(4), vec![1.0]))),
        (Invalid, proto(F32, &[1], |p| p.double_data = vec![1.0])),
        (Invalid, proto(I8, &[1], |p| p.int32_data = vec![300])),
        (Invalid, proto(I8, &[1], |p| p.int32_data = vec![-129])),
        (Invalid, proto(U32, &[1], |p| p.uint64_data = vec![1 << 32])),
        (Invalid, proto(I4, &[3], |p| p.int32_data = vec![0, 0, 0])),
        (Invalid, proto(String, &[1], |p| p.raw_data = raw(1))),
        (Invalid, proto(String, &[1], |p| p.string_data = vec![Bytes::from_static(b"\xff")])),
        (Invalid, proto(F32, &[1], |p| p.data_type = Some(0))),
        (Unsupported, proto(F32, &[1], |p| p.data_type = Some(14))),
        (Unsupported, proto(F32, &[1], |p| p.data_type = Some(27))),
        (Unsupported, proto(F32, &[1], |p| p.segment = Some(Segment::default()))),
        (
            Unsupported,
            proto(F32, &[1], |p| {
                (p.data_location, p.external_data) = (Some(DATA_LOCATION_EXTERNAL), vec![entry.clone()]);
            }),
        ),
    ];
    for (code, message) in cases {
        assert_eq!(Tensor::from_proto(&message).unwrap_err().code, code, "{message:?}");
    }
}

#[test]
fn containers_that_contradict_themselves_are_refused() {
    let one = || tensor(DType::F32, &[1]).to_proto("");
    let wrong = SequenceProto { elem_type: Some(elem_type::MAP), tensor_values: vec![one()], ..Default::default() };
    assert!(decode(Kind::Sequence, wrong.encode_to_vec().into()).is_err());
    let unknown = SequenceProto { elem_type: Some(9), ..Default::default() };
    assert!(decode(Kind::Sequence, unknown.encode_to_vec().into()).is_err());
    let unstated = SequenceProto { tensor_values: vec![one()], ..Default::default() };
    assert!(decode(Kind::Sequence, unstated.encode_to_vec().into()).is_ok());
    let uneven = MapProto { key_type: Some(7), keys: vec![1], ..Default::default() };
    assert!(decode(Kind::Map, uneven.encode_to_vec().into()).is_err());
}

#[test]
fn floods_and_nonsense_are_refused_before_they_cost_memory() {
    // Two bytes a tensor: 300,000 empty messages.
    let flood: Vec<u8> = [0x1a, 0x00].repeat(300_000);
    assert_eq!(decode(Kind::Sequence, flood.into()).unwrap_err().code, Code::Limit);
    let strings: Vec<u8> = [0x32, 0x00].repeat(4_000_000);
    assert_eq!(decode(Kind::Tensor, strings.into()).unwrap_err().code, Code::Limit);
    // Sequences in sequences, a length prefix each.
    let deep = (0..400).fold(Vec::new(), |inner: Vec<u8>, _| {
        let mut outer = vec![0x2a];
        prost::encoding::encode_varint(inner.len() as u64, &mut outer);
        [outer, inner].concat()
    });
    assert!(decode(Kind::Sequence, deep.into()).is_err());
    let file = encode(&Value::Tensor(tensor(DType::F32, &[3]))).unwrap();
    for cut in 1..file.len() {
        assert!(decode(Kind::Tensor, file[..cut].to_vec().into()).is_err(), "cut at {cut}");
    }
}

#[test]
fn aligned_raw_bytes_are_used_in_place() {
    let owner = crate::TensorMut::new(DType::F32, &[16]).unwrap().finish().shared_bytes();
    let message = proto(DType::F32, &[4], |p| p.raw_data = Some(owner.slice(16..32)));
    assert_eq!(Tensor::from_proto(&message).unwrap().bytes().as_ptr(), owner[16..].as_ptr());
    let message = proto(DType::F32, &[4], |p| p.raw_data = Some(owner.slice(1..17)));
    assert_ne!(Tensor::from_proto(&message).unwrap().bytes().as_ptr(), owner[1..].as_ptr());
}

#[test]
fn sparse_tensors_are_filled_in() {
    let sparse = |indices: Tensor, dims: &[i64]| {
        let values = tensor(DType::I8, &[2]).to_proto("");
        SparseTensorProto { values: Some(values), indices: Some(indices.to_proto("")), dims: dims.to_vec() }
    };
    let i64s = |shape: &[usize], v: &[i64]| Tensor::from_slice(shape, v).unwrap();
    let dense = densify(&sparse(i64s(&[2], &[1, 5]), &[2, 3]), 100).unwrap();
    assert_eq!(dense.to_vec_i64(), [0, 3, 0, 0, 0, 74]);
    assert_eq!(densify(&sparse(i64s(&[2, 2], &[0, 1, 1, 2]), &[2, 3]), 100).unwrap(), dense);
    for wrong in [i64s(&[2], &[5, 1]), i64s(&[2], &[1, 6]), i64s(&[2], &[-1, 1]), i64s(&[2, 2], &[0, 1, 0, 3])] {
        assert_eq!(densify(&sparse(wrong, &[2, 3]), 100).unwrap_err().code, Code::Invalid);
    }
    assert_eq!(densify(&sparse(i64s(&[2], &[1, 5]), &[1 << 30, 3]), 100).unwrap_err().code, Code::Limit);
}
