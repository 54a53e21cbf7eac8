//! Files as numpy writes them, and files that are none.
use super::*;
use tilewright_support::Code;

/// A file with that header text and body, of that version.
fn file(version: u8, header: &str, body: &[u8]) -> Bytes {
    let length = header.len() as u32;
    let length = if version == 1 { &length.to_le_bytes()[..2] } else { &length.to_le_bytes()[..] };
    [&b"\x93NUMPY"[..], &[version, 0], length, header.as_bytes(), body].concat().into()
}

fn code(file: Bytes) -> Code {
    read(file).unwrap_err().code
}

#[test]
fn what_is_written_is_read_back() {
    for &dtype in DType::ALL.iter().filter(|&&t| t != DType::String) {
        for shape in [&[][..], &[0], &[3], &[2, 0], &[2, 3, 4]] {
            let bytes: Vec<u8> = (0..dtype.byte_len(shape.iter().product()).unwrap()).map(|i| i as u8 ^ 0x5a).collect();
            let tensor = Tensor::from_bytes(dtype, shape, &bytes).unwrap();
            match write(&tensor) {
                Ok(file) => assert_eq!(read(file.into()).unwrap(), tensor, "{dtype} {shape:?}"),
                Err(error) => {
                    assert_eq!(error.code, Code::Unsupported);
                    assert!(dtype.bits() < 8 || dtype.name().starts_with("f8") || dtype == DType::BF16, "{dtype}");
                }
            }
        }
    }
}

/// The bytes that numpy 2.4 saves for `numpy.array([1, 2], dtype='<i2')`.
#[test]
fn headers_are_numpys() {
    let tensor = Tensor::from_vec(&[2], vec![1i16, 2]).unwrap();
    let file = write(&tensor).unwrap();
    let text = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
    let expected = [&b"\x93NUMPY\x01\x00\x76\x00"[..], format!("{text:117}\n").as_bytes(), &[1, 0, 2, 0]].concat();
    assert_eq!(file, expected);
    let rank3 = write(&Tensor::zeros(DType::F64, &[0, 2, 3]).unwrap()).unwrap();
    assert!(
        std::str::from_utf8(&rank3[10..]).unwrap().contains("'<f8', 'fortran_order': False, 'shape': (0, 2, 3), }")
    );
}

#[test]
fn orders_and_versions_are_understood() {
    let big = file(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (2,)}\n", &[0, 0, 0, 1, 255, 255, 255, 254]);
    assert_eq!(read(big).unwrap().to_vec_i64(), [1, -2]);
    let fortran = file(2, "{'shape': (2L, 3L), 'fortran_order': True, 'descr': \"|u1\"}", &[1, 2, 3, 4, 5, 6]);
    let tensor = read(fortran).unwrap();
    assert_eq!((tensor.shape(), tensor.to_vec_i64()), (&[2, 3][..], vec![1, 3, 5, 2, 4, 6]));
    let truth = file(3, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", &[7]);
    assert_eq!(read(truth).unwrap().bytes(), [1]);
}

#[test]
fn strings_of_both_kinds_are_understood() {
    let words = ["", "äß", "x\0y", "𝄞"].map(String::from).to_vec();
    let tensor = Tensor::from_strings(&[2, 2], words).unwrap();
    assert_eq!(read(write(&tensor).unwrap().into()).unwrap(), tensor);
    let bytes = file(1, "{'descr': '|S3', 'fortran_order': False, 'shape': (2,)}", b"ab\0xyz");
    assert_eq!(read(bytes).unwrap().strings().unwrap(), ["ab", "xyz"]);
    let big = file(1, "{'descr': '>U2', 'fortran_order': False, 'shape': (1,)}", &[0, 0, 0, 65, 0, 0, 0, 0]);
    assert_eq!(read(big).unwrap().strings().unwrap(), ["A"]);
    let surrogate = file(1, "{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", &[0, 0xd8, 0, 0]);
    assert_eq!(code(surrogate), Code::Invalid);
    let nul = Tensor::from_strings(&[1], vec!["a\0".to_owned()]).unwrap();
    assert_eq!(write(&nul).unwrap_err().code, Code::Unsupported);
    let mut uneven = vec![String::new(); 20_000];
    uneven[0] = "long".repeat(1000);
    let uneven = Tensor::from_strings(&[20_000], uneven).unwrap();
    assert_eq!(write(&uneven).unwrap_err().code, Code::Unsupported);
}

#[test]
fn what_is_no_array_of_ours_is_refused() {
    let f4 = |shape: &str| format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}");
    let of = |descr: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,)}}");
    let cases: &[(Code, &str, usize)] = &[
        (Code::Unsupported, &of("'|O'"), 8),
        (Code::Unsupported, &of("[('a', '<f4')]"), 4),
        (Code::Unsupported, &of("'<c8'"), 8),
        (Code::Unsupported, &of("'<V2'"), 2),
        (Code::Unsupported, &of("'<U0'"), 0),
        (Code::Unsupported, &of("'é'"), 0),
        (Code::Invalid, &f4("(2,)"), 7),
        (Code::Invalid, &f4("(2,)"), 9),
        (Code::Invalid, &f4("(-1,)"), 4),
        (Code::Invalid, &f4("(99999999999999999999,)"), 4),
        (Code::Limit, &f4("(4611686018427387904, 4)"), 4),
        (Code::Invalid, &f4("(4611686018427387904,)"), 0),
        (Code::Invalid, &f4("1"), 4),
        (Code::Invalid, "{'descr': '<f4', 'shape': ()}", 4),
        (Code::Invalid, "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}", 4),
        (Code::Invalid, "{'descr': '<f4", 4),
        (Code::Invalid, "__import__('os')", 4),
        (Code::Invalid, "", 0),
    ];
    for &(expected, header, bytes) in cases {
        assert_eq!(code(file(1, header, &vec![0; bytes])), expected, "{header}");
    }
    let whole = file(1, &f4("(1,)"), &[0; 4]);
    (0..whole.len()).for_each(|cut| assert!(read(whole.slice(..cut)).is_err()));
    assert_eq!(code(file(2, &" ".repeat(70_000), &[])), Code::Limit);
    assert_eq!(code(file(9, "{}", &[])), Code::Unsupported);
}
