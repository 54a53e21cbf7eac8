//! Tilewright's tensors on the host: dtypes, dims, storage, conversions and files.
pub mod ix;
pub mod proto;
