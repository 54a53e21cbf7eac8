//! Kernels around leaves.

use super::Target;
use super::frame::Frame;
use super::part::Part;
use tilewright_nests::{Buffer, Kernel, Role, Stmt};
use tilewright_support::Result;
use tilewright_tensor::DType;

/// Memory of each thread.
pub fn scratch(name: &str, dtype: DType, elements: usize) -> Buffer {
    let bytes = dtype.byte_len(elements).unwrap_or(usize::MAX);
    Buffer { name: name.into(), dtype, bytes, role: Role::Scratch }
}

/// A kernel whose parallel loops are those of a frame.
///
/// # Errors
/// As [`Kernel::verify`].
pub fn with_loops(
    part: &Part,
    frame: &Frame,
    body: Vec<Stmt>,
    (target, scratch): (&Target<'_>, Vec<Buffer>),
) -> Result<Kernel> {
    let buffer = |(n, layout): (usize, &crate::Layout)| {
        let role = if n == target.operands.len() { target.role } else { Role::Read };
        Buffer { name: format!("b{n}").into(), dtype: layout.dtype, bytes: layout.bytes(), role }
    };
    let mut buffers: Vec<Buffer> = target.operands.iter().chain([target.result]).enumerate().map(buffer).collect();
    buffers.extend(scratch);
    let parallel = (0..frame.around.len()).map(|n| frame.ring(part, n)).collect();
    let kernel = Kernel { name: target.name.clone(), buffers, parallel, body };
    kernel.verify()?;
    Ok(kernel)
}
