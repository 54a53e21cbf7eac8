//! Immutable host tensors: a dtype, a shape, and row-major contiguous elements in shared storage.
use crate::buffer::Aligned;
use crate::element::{Element, alignment};
use crate::lanes::{At, Lanes};
use crate::stored::Stored;
use crate::{DType, TensorMut};
use bytes::Bytes;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};

/// An immutable tensor in host memory. Cloning and reshaping share the elements.
///
/// Elements are row-major and contiguous; those of packed dtypes lie several to a byte, the first in the low bits, and
/// the bits after the last one are zero. A bool is a byte 0 or 1. Equality and hashing are of bits: a NaN equals
/// itself, 0 and -0 differ.
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    pub(crate) shape: Arc<[usize]>,
    len: usize,
    pub(crate) storage: Storage,
}

#[derive(Clone)]
pub(crate) enum Storage {
    Bytes(Bytes),
    Strings(Arc<[String]>),
    Stored(Arc<Stored>),
}

/// A vector as an owner of bytes.
struct Elements<T>(Vec<T>);

impl<T: Element> AsRef<[u8]> for Elements<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

/// The number of elements of `shape`. Fails when that, or the bytes they take, exceeds `isize`; extents of 0 do not
/// hide others that are too large, so that strides always fit.
pub fn element_count(dtype: DType, shape: &[usize]) -> Result<usize> {
    let spanned = shape.iter().filter(|&&d| d != 0).try_fold(1usize, |n, &d| n.checked_mul(d));
    let bytes = spanned.and_then(|n| match dtype {
        DType::String => n.checked_mul(size_of::<String>()).filter(|&bytes| bytes <= isize::MAX as usize),
        _ => dtype.byte_len(n),
    });
    match (spanned, bytes) {
        (Some(n), Some(_)) if n <= isize::MAX as usize => Ok(if shape.contains(&0) { 0 } else { n }),
        _ => Err(Diagnostic::limit(format!("a tensor of dtype {dtype} and shape {shape:?} exceeds the address space"))),
    }
}

/// That many empty strings. Fails when there is no memory for them.
pub(crate) fn empty_strings(count: usize) -> Result<Vec<String>> {
    let mut strings = Vec::new();
    strings
        .try_reserve_exact(count)
        .map_err(|_| Diagnostic::limit(format!("no memory for a tensor of {count} strings")))?;
    strings.resize(count, String::new());
    Ok(strings)
}

fn expect_count(dtype: DType, shape: &[usize], found: usize) -> Result<()> {
    let expected = element_count(dtype, shape)?;
    if expected == found {
        return Ok(());
    }
    Err(Diagnostic::shape(format!("shape {shape:?} has {expected} elements, but {found} are given")))
}

impl Tensor {
    /// A tensor of the elements of `values`, which it takes over without a copy. Fails unless `shape` has as many.
    pub fn from_vec<T: Element>(shape: &[usize], values: Vec<T>) -> Result<Self> {
        expect_count(T::DTYPE, shape, values.len())?;
        let len = values.len();
        let storage = Storage::Bytes(Bytes::from_owner(Elements(values)));
        Ok(Self { dtype: T::DTYPE, shape: shape.into(), len, storage })
    }

    /// A copy of `values`. Fails unless `shape` has as many elements.
    pub fn from_slice<T: Element>(shape: &[usize], values: &[T]) -> Result<Self> {
        expect_count(T::DTYPE, shape, values.len())?;
        Self::from_bytes(T::DTYPE, shape, bytemuck::cast_slice(values))
    }

    /// A tensor of rank 0.
    pub fn scalar<T: Element>(value: T) -> Self {
        let storage = Storage::Bytes(Bytes::from_owner(Elements(vec![value])));
        Self { dtype: T::DTYPE, shape: [].into(), len: 1, storage }
    }

    /// A tensor all of whose elements are `value`.
    pub fn full<T: Element>(shape: &[usize], value: T) -> Result<Self> {
        let mut tensor = TensorMut::new(T::DTYPE, shape)?;
        let pattern = bytemuck::bytes_of(&value);
        tensor.bytes_mut().chunks_exact_mut(pattern.len()).for_each(|element| element.copy_from_slice(pattern));
        Ok(tensor.finish())
    }

    /// A tensor of zeros; of empty strings for [`DType::String`].
    pub fn zeros(dtype: DType, shape: &[usize]) -> Result<Self> {
        if dtype == DType::String {
            let len = element_count(dtype, shape)?;
            return Self::from_strings(shape, empty_strings(len)?);
        }
        Ok(TensorMut::new(dtype, shape)?.finish())
    }

    /// A tensor of `dtype` of the values, rounded as [`TensorMut::write_f64`] does.
    pub fn from_f64(dtype: DType, shape: &[usize], values: &[f64]) -> Result<Self> {
        expect_count(dtype, shape, values.len())?;
        let mut tensor = TensorMut::new(dtype, shape)?;
        tensor.write_f64(0, 1, values);
        Ok(tensor.finish())
    }

    /// A tensor of `dtype` of the values, wrapped as [`TensorMut::write_i64`] does.
    pub fn from_i64(dtype: DType, shape: &[usize], values: &[i64]) -> Result<Self> {
        expect_count(dtype, shape, values.len())?;
        let mut tensor = TensorMut::new(dtype, shape)?;
        tensor.write_i64(0, 1, values);
        Ok(tensor.finish())
    }

    /// A tensor of strings. Fails unless `shape` has as many elements.
    pub fn from_strings(shape: &[usize], values: impl Into<Arc<[String]>>) -> Result<Self> {
        let values = values.into();
        expect_count(DType::String, shape, values.len())?;
        Ok(Self { dtype: DType::String, shape: shape.into(), len: values.len(), storage: Storage::Strings(values) })
    }

    /// A copy of row-major little-endian `bytes`, packed as ONNX's `raw_data`. Fails unless they are exactly as many as
    /// `shape` takes, and for strings.
    pub fn from_bytes(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Self> {
        Self::check_bytes(dtype, shape, bytes)?;
        let mut tensor = TensorMut::new(dtype, shape)?;
        tensor.bytes_mut().copy_from_slice(bytes);
        Ok(tensor.finish())
    }

    /// The same without a copy: the tensor uses `bytes`, a part of a file or of a mapping (see [`Bytes::from_owner`]).
    /// They are copied after all when they are not aligned for the dtype, or hold bits that the dtype does not allow.
    pub fn from_shared(dtype: DType, shape: &[usize], bytes: Bytes) -> Result<Self> {
        let len = Self::check_bytes(dtype, shape, &bytes)?;
        let aligned = bytes.as_ptr().addr().is_multiple_of(alignment(dtype));
        if !aligned || !is_normal(dtype, len, &bytes) {
            return Self::from_bytes(dtype, shape, &bytes);
        }
        Ok(Self { dtype, shape: shape.into(), len, storage: Storage::Bytes(bytes) })
    }

    fn check_bytes(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<usize> {
        if dtype == DType::String {
            return Err(Diagnostic::dtype("strings have no raw bytes"));
        }
        let len = element_count(dtype, shape)?;
        let expected = dtype.byte_len(len).unwrap_or(usize::MAX);
        if bytes.len() == expected {
            return Ok(len);
        }
        let found = bytes.len();
        Err(Diagnostic::shape(format!("{dtype} of shape {shape:?} takes {expected} bytes, but {found} are given")))
    }

    /// A tensor of a dtype all of whose patterns of bits are values, as large as `stored`.
    pub(crate) fn from_stored(dtype: DType, shape: &[usize], stored: Stored) -> Result<Self> {
        let len = element_count(dtype, shape)?;
        Ok(Self { dtype, shape: shape.into(), len, storage: Storage::Stored(Arc::new(stored)) })
    }

    pub(crate) fn from_aligned(dtype: DType, shape: Arc<[usize]>, len: usize, mut buffer: Aligned) -> Self {
        normalize(dtype, len, buffer.as_mut());
        Self { dtype, shape, len, storage: Storage::Bytes(Bytes::from_owner(buffer)) }
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Extent of each axis; empty for a scalar.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that its elements take; none of strings.
    pub fn byte_len(&self) -> usize {
        self.dtype.byte_len(self.len).unwrap_or(0)
    }

    /// The elements' bytes; none of strings. Those in a file are kept in memory after this. Panics when they cannot be
    /// read: [`Self::keep`] and [`Self::fetch`] tell that before.
    pub fn bytes(&self) -> &[u8] {
        match &self.storage {
            Storage::Bytes(bytes) => bytes,
            Storage::Strings(_) => &[],
            Storage::Stored(stored) => stored.kept().unwrap_or_else(|| {
                let read = self.fetch().unwrap_or_else(|error| panic!("{error}"));
                stored.keep(read.shared_bytes())
            }),
        }
    }

    /// The elements' bytes, shared; empty for strings. As [`Self::bytes`] for those in a file.
    pub fn shared_bytes(&self) -> Bytes {
        match &self.storage {
            Storage::Bytes(bytes) => bytes.clone(),
            Storage::Strings(_) => Bytes::new(),
            Storage::Stored(_) => Bytes::from_owner(self.clone()),
        }
    }

    /// The elements, when they are `T`s.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if self.dtype != T::DTYPE {
            return None;
        }
        bytemuck::checked::try_cast_slice(self.bytes()).ok()
    }

    /// The elements, when they are strings.
    pub fn strings(&self) -> Option<&[String]> {
        match &self.storage {
            Storage::Strings(strings) => Some(strings),
            _ => None,
        }
    }

    /// The same elements in another shape of as many elements.
    pub fn reshape(&self, shape: &[usize]) -> Result<Self> {
        expect_count(self.dtype, shape, self.len)?;
        Ok(Self { shape: shape.into(), ..self.clone() })
    }

    fn lanes(&self) -> Lanes<'_> {
        Lanes { dtype: self.dtype, len: self.len, bytes: self.bytes() }
    }

    /// Fills `out` with the elements `start`, `start + stride`, ... as f64; integers and bools are converted.
    /// Panics when one lies outside, and for strings.
    pub fn read_f64(&self, start: usize, stride: isize, out: &mut [f64]) {
        self.lanes().f64(At::Strided(start, stride), out);
    }

    /// Fills `out` with the elements `start`, `start + stride`, ... as i64, u64 as its bits; floats are converted as
    /// [`crate::convert::float_to_int`] does for i64. Panics when one lies outside, and for strings.
    pub fn read_i64(&self, start: usize, stride: isize, out: &mut [i64]) {
        self.lanes().i64(At::Strided(start, stride), out);
    }

    /// Fills `out` with the elements of the linear indices `index`, as [`Self::read_f64`] converts them.
    pub fn gather_f64(&self, index: &[i64], out: &mut [f64]) {
        self.lanes().f64(At::Listed(index), out);
    }

    /// Fills `out` with the elements of the linear indices `index`, as [`Self::read_i64`] converts them.
    pub fn gather_i64(&self, index: &[i64], out: &mut [i64]) {
        self.lanes().i64(At::Listed(index), out);
    }

    /// Element `index` as [`Self::read_f64`] converts it.
    pub fn get_f64(&self, index: usize) -> f64 {
        let mut lane = [0.0];
        self.read_f64(index, 1, &mut lane);
        lane[0]
    }

    /// Element `index` as [`Self::read_i64`] converts it.
    pub fn get_i64(&self, index: usize) -> i64 {
        let mut lane = [0];
        self.read_i64(index, 1, &mut lane);
        lane[0]
    }

    /// All elements as [`Self::read_f64`] converts them.
    pub fn to_vec_f64(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.len];
        self.read_f64(0, 1, &mut all);
        all
    }

    /// All elements as [`Self::read_i64`] converts them.
    pub fn to_vec_i64(&self) -> Vec<i64> {
        let mut all = vec![0; self.len];
        self.read_i64(0, 1, &mut all);
        all
    }

    /// Are dtype, shape and the bits of every element the same?
    pub fn bit_eq(&self, other: &Self) -> bool {
        let same = match (&self.storage, &other.storage) {
            (Storage::Stored(a), Storage::Stored(b)) => a.is(b),
            _ => false,
        };
        self.dtype == other.dtype
            && self.shape == other.shape
            && (same || self.bytes() == other.bytes() && self.strings() == other.strings())
    }
}

impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        self.bit_eq(other)
    }
}

impl Eq for Tensor {}

impl AsRef<[u8]> for Tensor {
    /// Its bytes.
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

impl Hash for Tensor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.dtype.hash(state);
        self.shape.hash(state);
        self.bytes().hash(state);
        self.strings().hash(state);
    }
}

impl fmt::Debug for Tensor {
    /// Dtype, shape and the first elements: `f32[2, 3] {1.0, 2.0, ..}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let shown = self.len.min(SHOWN);
        write!(f, "{}{:?} ", self.dtype, self.shape)?;
        if self.is_stored() {
            return f.write_str("{stored}");
        }
        let mut set = f.debug_set();
        match self.strings() {
            Some(strings) => set.entries(&strings[..shown]),
            None if self.dtype.is_float() => set.entries((0..shown).map(|i| self.get_f64(i))),
            None if self.dtype == DType::U64 => set.entries((0..shown).map(|i| self.get_i64(i) as u64)),
            None => set.entries((0..shown).map(|i| self.get_i64(i))),
        };
        if shown < self.len { set.finish_non_exhaustive() } else { set.finish() }
    }
}

/// Bits of the last byte of a packed tensor that elements take.
fn tail_mask(dtype: DType, len: usize) -> u8 {
    match dtype.bits() * len % 8 {
        0 => 0xff,
        used => (1 << used) - 1,
    }
}

/// Does every byte hold what the dtype allows?
fn is_normal(dtype: DType, len: usize, bytes: &[u8]) -> bool {
    match bytes.last() {
        Some(_) if dtype == DType::Bool => bytes.iter().all(|&b| b <= 1),
        Some(&last) if dtype.is_packed() => last & !tail_mask(dtype, len) == 0,
        _ => true,
    }
}

/// Makes it so: bytes other than 0 are true, bits after the last packed element are zero.
fn normalize(dtype: DType, len: usize, bytes: &mut [u8]) {
    if dtype == DType::Bool {
        bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    } else if let (true, Some(last)) = (dtype.is_packed(), bytes.last_mut()) {
        *last &= tail_mask(dtype, len);
    }
}
