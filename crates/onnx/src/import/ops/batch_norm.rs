//! ONNX `BatchNormalization`, all versions.

use super::normalize::normalized;
use super::sizes::{per_channel, same_shape};
use super::statistics::{moments, wide};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new(
        "BatchNormalization",
        5..=5,
        &["consumed_inputs", "epsilon", "is_test", "momentum", "spatial"],
        |cx, c| {
            let training = c.wants(1) && !c.flag("is_test", false)?;
            batch_norm(cx, c, training)
        },
    )
    .until(13)
    .outputs(1..=5),
    Row::new("BatchNormalization", 5..=5, &["epsilon", "momentum", "training_mode"], |cx, c| {
        let training = c.flag("training_mode", false)?;
        batch_norm(cx, c, training)
    })
    .since(14)
    .outputs(1..=3),
];

/// Which elements share statistics and parameters.
struct Layout {
    shape: Shape,
    /// The axes that statistics are formed over.
    over: Vec<usize>,
    /// One for each channel; else one for each element of a sample.
    spatial: bool,
}

impl Layout {
    fn of(cx: &Cx<'_>, c: &Call<'_>) -> Result<Self> {
        let shape = cx.b.shape(c.x(0)?)?;
        if shape.is_empty() {
            return Err(Diagnostic::shape("BatchNormalization does not take scalars"));
        }
        let spatial = c.flag("spatial", true)?;
        let over = if spatial { (0..shape.len()).filter(|i| *i != 1).collect() } else { vec![0] };
        Ok(Self { shape, over, spatial })
    }

    /// The dims of parameters as they are given.
    fn parameter(&self) -> Shape {
        match self.spatial {
            // A vector is a batch of one channel.
            true => vec![self.shape.get(1).cloned().unwrap_or_else(|| Ix::konst(1))],
            false => self.shape[1..].to_vec(),
        }
    }

    /// A parameter as a tensor that broadcasts over the input, in a dtype.
    fn spread(&self, cx: &mut Cx<'_>, v: ValueId, dtype: DType) -> Result<ValueId> {
        let (wanted, about) = (self.parameter(), "channels and their parameters");
        let v = match self.spatial {
            true => per_channel(cx, v, &wanted[0], self.shape.len(), about)?,
            false => {
                same_shape(&cx.b.shape(v)?, &wanted, about)?;
                v
            }
        };
        cx.b.cast(v, dtype)
    }
}

/// Without training, by the given mean and variance. With it, by those of the batch; further
/// outputs are the running mean and variance and, before opset 14, those of the batch.
fn batch_norm(cx: &mut Cx<'_>, c: &Call<'_>, training: bool) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let (dtype, layout) = (cx.b.dtype(x)?, Layout::of(cx, c)?);
    let (epsilon, momentum) = (c.float("epsilon", 1e-5)?, c.float("momentum", 0.9)?);
    if c.wants(1) && !training {
        return Err(c.invalid("BatchNormalization has further outputs only in training mode"));
    }
    let work = wide(dtype);
    let x = cx.b.cast(x, work)?;
    let mut given = Vec::new();
    for i in 1..5 {
        given.push(layout.spread(cx, c.x(i)?, work)?);
    }
    let [scale, bias, old_mean, old_variance] = given[..] else {
        return Err(Diagnostic::internal("four parameters"));
    };
    let (mean, variance) = if training { moments(cx, x, &layout.over)? } else { (old_mean, old_variance) };
    let y = cx.b.map_named("BatchNormalization", &[x, mean, variance, scale, bias], |a| {
        (normalized(&a[0], &a[1], &a[2], epsilon) * a[3].clone() + a[4].clone()).cast(dtype)
    })?;
    let mut outputs = vec![y];
    if training {
        let stored = cx.b.dtype(c.x(3)?)?;
        let store = |cx: &mut Cx<'_>, v: ValueId| {
            let v = cx.b.reshape(v, layout.parameter())?;
            cx.b.cast(v, stored)
        };
        let [mean, variance] = [store(cx, mean)?, store(cx, variance)?];
        for (i, new) in [(3, mean), (4, variance)] {
            outputs.push(cx.b.map_named("running", &[c.x(i)?, new], |a| {
                (a[0].cast(work) * momentum + a[1].cast(work) * (1.0 - momentum)).cast(stored)
            })?);
        }
        outputs.extend([mean, variance]);
    }
    Ok(outputs)
}
