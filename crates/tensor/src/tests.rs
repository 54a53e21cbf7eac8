//! Tensors and their lanes, for every dtype.
use crate::{Bytes, DType, Tensor, TensorMut, bf16, element_count, f16};
use tilewright_support::Code;

fn numeric() -> impl Iterator<Item = DType> {
    DType::ALL.iter().copied().filter(|&t| t != DType::String)
}

/// Small integers that every dtype holds: 0 and 1, but for f8e8m0, which has no zero, 1 and 2.
fn pattern(dtype: DType, count: usize) -> Vec<i64> {
    let least = i64::from(dtype == DType::F8E8M0);
    (0..count).map(|i| least + i64::from(i * i % 3 == 1)).collect()
}

#[test]
fn lanes_of_every_dtype_read_as_written() {
    for dtype in numeric() {
        for count in [0, 1, 2, 3, 5, 8, 13] {
            let values = pattern(dtype, count);
            let floats: Vec<f64> = values.iter().map(|&x| x as f64).collect();
            let tensor = Tensor::from_i64(dtype, &[count], &values).unwrap();
            assert_eq!(tensor, Tensor::from_f64(dtype, &[count], &floats).unwrap(), "{dtype}");
            assert_eq!((tensor.to_vec_i64(), tensor.to_vec_f64()), (values, floats), "{dtype}");
            assert_eq!(tensor.bytes().len(), dtype.byte_len(count).unwrap());
            assert!(count == 0 || tensor.bytes().as_ptr().addr().is_multiple_of(crate::ALIGNMENT));
        }
    }
}

#[test]
fn strides_and_lists_reach_the_elements_they_name() {
    for dtype in numeric() {
        let values = pattern(dtype, 13);
        let tensor = Tensor::from_i64(dtype, &[13], &values).unwrap();
        for (start, stride) in [(0usize, 1isize), (2, 3), (12, -1), (11, -4), (5, 0)] {
            let places: Vec<i64> = (0..3).map(|i| start as i64 + i * stride as i64).collect();
            let expected: Vec<i64> = places.iter().map(|&p| values[p as usize]).collect();
            let (mut ints, mut floats) = ([0; 3], [0.0; 3]);
            tensor.read_i64(start, stride, &mut ints);
            tensor.read_f64(start, stride, &mut floats);
            assert_eq!((&ints[..], floats.map(|x| x as i64)), (&expected[..], ints), "{dtype} {start} {stride}");
            tensor.gather_i64(&places, &mut ints);
            tensor.gather_f64(&places, &mut floats);
            assert_eq!((&ints[..], floats.map(|x| x as i64)), (&expected[..], ints), "{dtype} {start} {stride}");

            let mut written = TensorMut::copy_of(&tensor).unwrap();
            let fresh = [2, 1, 1].map(|x| crate::convert::wrap_to(DType::U2, x).min(1));
            written.write_i64(start, stride, &fresh);
            let mut model = values.clone();
            places.iter().zip(fresh).for_each(|(&p, x)| model[p as usize] = x);
            assert_eq!((written.get_i64(5), written.get_f64(5)), (model[5], model[5] as f64));
            let written = written.finish();
            assert_eq!(written.to_vec_i64(), model, "{dtype} {start} {stride}");
        }
    }
}

#[test]
#[should_panic(expected = "leave a tensor of 3")]
fn a_stride_that_leaves_the_tensor_is_caught() {
    Tensor::zeros(DType::I4, &[3]).unwrap().read_i64(1, 2, &mut [0; 2]);
}

#[test]
#[should_panic(expected = "leave a tensor of 3")]
fn a_stride_that_leaves_the_front_is_caught() {
    Tensor::zeros(DType::F32, &[3]).unwrap().read_f64(1, -1, &mut [0.0; 3]);
}

#[test]
#[should_panic(expected = "leaves a tensor of 3")]
fn a_packed_index_in_the_padding_is_caught() {
    Tensor::zeros(DType::U4, &[3]).unwrap().gather_i64(&[3], &mut [0]);
}

#[test]
fn writes_round_and_wrap() {
    let rounded = |dtype, x: f64| Tensor::from_f64(dtype, &[], &[x]).unwrap().get_f64(0);
    assert_eq!(rounded(DType::F32, 0.1), f64::from(0.1f32));
    assert_eq!(rounded(DType::F16, 1e6), f64::INFINITY);
    assert_eq!(rounded(DType::F8E5M2, 1e6), f64::INFINITY);
    assert_eq!(rounded(DType::F8E4M3FN, 1e6), 448.0);
    assert_eq!(rounded(DType::F4E2M1, 100.0), 6.0);
    assert_eq!(rounded(DType::I8, 300.7), 44.0);
    assert_eq!(rounded(DType::Bool, 0.5), 1.0);
    let wrapped = |dtype, x| Tensor::from_i64(dtype, &[], &[x]).unwrap().get_i64(0);
    assert_eq!(wrapped(DType::U8, -1), 255);
    assert_eq!(wrapped(DType::I2, 2), -2);
    assert_eq!(wrapped(DType::Bool, 256), 1);
    assert_eq!(Tensor::from_i64(DType::U64, &[], &[-1]).unwrap().get_f64(0), 18446744073709551616.0);
    assert_eq!(Tensor::from_f64(DType::F32, &[], &[-1.9e30]).unwrap().get_i64(0), i64::MIN);
}

#[test]
fn slices_and_vectors_are_taken_over() {
    let tensor = Tensor::from_vec(&[2, 1], vec![1.5f32, -2.0]).unwrap();
    assert_eq!(tensor.as_slice::<f32>().unwrap(), [1.5, -2.0]);
    assert!(tensor.as_slice::<i32>().is_none() && tensor.strings().is_none());
    assert_eq!(Tensor::scalar(f16::from_f32(0.5)).get_f64(0), 0.5);
    assert_eq!(Tensor::full(&[3], bf16::ONE).unwrap().to_vec_f64(), [1.0; 3]);
    assert_eq!(Tensor::from_slice(&[2], &[true, false]).unwrap().as_slice::<bool>().unwrap(), [true, false]);
    assert_eq!(format!("{tensor:?}"), "f32[2, 1] {1.5, -2.0}");
    assert!(Tensor::from_vec(&[3], vec![1i32]).is_err());
    let mut filled = TensorMut::new(DType::I32, &[2]).unwrap();
    filled.as_mut_slice::<i32>().unwrap()[1] = 7;
    assert!(filled.as_mut_slice::<f32>().is_none());
    assert_eq!(filled.finish().to_vec_i64(), [0, 7]);
}

#[test]
fn shapes_are_checked_and_reshaped_without_a_copy() {
    let tensor = Tensor::zeros(DType::F64, &[2, 6]).unwrap();
    let reshaped = tensor.reshape(&[3, 4]).unwrap();
    assert_eq!((reshaped.shape(), reshaped.bytes().as_ptr()), (&[3, 4][..], tensor.bytes().as_ptr()));
    assert!(tensor.reshape(&[5]).is_err());
    let scalar = Tensor::scalar(1u8);
    assert_eq!((scalar.rank(), scalar.len(), scalar.is_empty()), (0, 1, false));
    assert_eq!(Tensor::zeros(DType::I4, &[3, 0, 7]).unwrap().len(), 0);
    let huge: [&[usize]; 4] = [&[usize::MAX], &[1 << 32, 1 << 32], &[0, usize::MAX, 2], &[1 << 62]];
    for shape in huge {
        assert_eq!(element_count(DType::F32, shape).unwrap_err().code, Code::Limit, "{shape:?}");
        assert!(Tensor::zeros(DType::F32, shape).is_err() && Tensor::zeros(DType::String, shape).is_err());
    }
    assert_eq!(TensorMut::new(DType::U8, &[1 << 62]).unwrap_err().code, Code::Limit, "there is no such memory");
}

#[test]
fn bytes_are_checked_shared_and_made_normal() {
    assert!(Tensor::from_bytes(DType::I4, &[3], &[0]).is_err());
    assert!(Tensor::from_bytes(DType::F32, &[1], &[0; 5]).is_err());
    assert!(Tensor::from_bytes(DType::String, &[0], &[]).is_err());
    let i4 = Tensor::from_bytes(DType::I4, &[3], &[0x21, 0xff]).unwrap();
    assert_eq!((i4.to_vec_i64(), i4.bytes()), (vec![1, 2, -1], &[0x21, 0x0f][..]));
    let truth = Tensor::from_shared(DType::Bool, &[3], Bytes::from_static(&[0, 1, 200])).unwrap();
    assert_eq!(truth.as_slice::<bool>().unwrap(), [false, true, true]);
    let owner = Bytes::from(vec![1u8, 0, 1]);
    let shared = Tensor::from_shared(DType::Bool, &[3], owner.clone()).unwrap();
    assert_eq!(shared.bytes().as_ptr(), owner.as_ptr());
}

#[test]
fn equality_is_of_bits() {
    let of = |x: f32| Tensor::scalar(x);
    assert!(of(f32::NAN) == of(f32::NAN) && of(0.0) != of(-0.0));
    assert!(Tensor::scalar(0i32) != Tensor::scalar(0u32));
    assert!(Tensor::zeros(DType::U8, &[2, 1]).unwrap() != Tensor::zeros(DType::U8, &[1, 2]).unwrap());
}

#[test]
fn large_buffers_come_back_and_zeros_stay_zeros() {
    let shape = [3 << 20];
    let again = || {
        let mut ours = TensorMut::new(DType::U8, &shape).unwrap();
        ours.bytes_mut().fill(7);
        drop(ours);
        let found = TensorMut::any(DType::U8, &shape).unwrap();
        found.bytes().iter().all(|b| *b == 7)
    };
    // Another test may hold the lock, or push this buffer out.
    assert!((0..100).any(|_| again()));
    assert!(TensorMut::new(DType::U8, &shape).unwrap().bytes().iter().all(|b| *b == 0));
    assert_eq!(TensorMut::any(DType::F32, &[0]).unwrap().len(), 0);
    assert!(TensorMut::any(DType::String, &[1]).is_err());
}
