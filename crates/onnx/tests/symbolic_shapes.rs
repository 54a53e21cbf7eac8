//! Models whose shape arithmetic follows from named dims translate once, for all sizes.

mod common;

use common::case::*;
use common::{body, graph, load, node, with};
use tilewright_onnx::import::{Facts, Outcome, import};
use tilewright_tensor::Tensor;

fn counting(shape: &[usize]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|i| i as f32).collect();
    f32s(shape, &values)
}

/// Whether a model translates without knowing anything of a run.
fn translates_once(case: &Case, outputs: &[&str]) -> bool {
    let model = load(&case.file(outputs)).unwrap();
    matches!(import(&model, &Facts::default()).unwrap(), Outcome::Ready(_))
}

/// Adds nodes that give dim `at` of `x` as a vector of one, called `name`.
fn dim(c: Case, x: &str, at: i64, name: &str) -> Case {
    let shape = format!("{name}_shape");
    let index = format!("{name}_index");
    let c = c.constant(&index, i64s(&[1], &[at])).node(node("Shape", &[x], &[&shape]));
    c.node(node("Gather", &[&shape, &index], &[name]))
}

/// `[B, S, 6]` into two heads and back, through reshapes whose dims are gathered from the input.
fn heads(batch: usize, length: usize) -> Case {
    let c = case(17).named("x", counting(&[batch, length, 6]), &["B", "S", "H"]);
    let c = dim(dim(c, "x", 0, "b"), "x", 1, "s");
    let c = c.constant("two", i64s(&[1], &[2])).constant("rest", i64s(&[1], &[-1]));
    let c = c.node(with(node("Concat", &["b", "s", "two", "rest"], &["split"]), int("axis", 0)));
    let c = c.node(node("Reshape", &["x", "split"], &["apart"]));
    let c = c.node(with(node("Transpose", &["apart"], &["heads"]), ints("perm", &[0, 2, 1, 3])));
    let c = c.node(with(node("Transpose", &["heads"], &["back"]), ints("perm", &[0, 2, 1, 3])));
    let c = c.node(with(node("Concat", &["b", "s", "rest"], &["merge"]), int("axis", 0)));
    c.node(node("Reshape", &["back", "merge"], &["y"]))
}

#[test]
fn attention_heads() {
    let c = heads(1, 1);
    assert!(translates_once(&c, &["y"]));
    for (b, s) in [(1, 1), (2, 5), (0, 3)] {
        let y = heads(b, s).tensors(&["y", "heads"]);
        assert!(y[0].bit_eq(&counting(&[b, s, 6])));
        assert_eq!(y[1].shape(), [b, 2, s, 3]);
    }
}

/// Positions `0..S`, their rows of a table, repeated for the batch.
fn positions(batch: usize, length: usize) -> Case {
    let c = case(17).named("x", counting(&[batch, length]), &["B", "S"]).constant("table", counting(&[8, 2]));
    let c = dim(dim(c, "x", 0, "b"), "x", 1, "s").constant("zero", i64s(&[1], &[0]));
    let c = c.constant("axes", i64s(&[1], &[0])).constant("start", i64s(&[], &[0])).constant("step", i64s(&[], &[1]));
    let c = c.node(node("Squeeze", &["s", "axes"], &["count"]));
    let c = c.node(node("Range", &["start", "count", "step"], &["places"]));
    let c = c.node(node("Gather", &["table", "places"], &["rows"])).constant("two", i64s(&[1], &[2]));
    let c = c.node(with(node("Concat", &["b", "s", "two"], &["wide"]), int("axis", 0)));
    c.node(node("Expand", &["rows", "wide"], &["y"]))
}

#[test]
fn position_embeddings() {
    assert!(translates_once(&positions(1, 1), &["y"]));
    for (b, s) in [(1, 1), (3, 4)] {
        let y = positions(b, s).tensor("y");
        assert_eq!(y.shape(), [b, s, 2]);
        assert!((0..y.len()).all(|i| y.get_f64(i) as usize == i % (2 * s)));
    }
}

/// The last place, all but the last, all but the first, and every second place of a sequence.
fn pieces(length: usize) -> Case {
    let c = case(17).named("x", counting(&[length]), &["S"]).constant("axis", i64s(&[1], &[0]));
    let bounds = [("last", -1, i64::MAX, 1), ("init", 0, -1, 1), ("tail", 1, i64::MAX, 1), ("even", 0, i64::MAX, 2)];
    let c = bounds.into_iter().fold(c, |c, (name, start, end, step)| {
        let names = ["start", "end", "step"].map(|part| format!("{name}_{part}"));
        let c = c.constant(&names[0], i64s(&[1], &[start])).constant(&names[1], i64s(&[1], &[end]));
        let c = c.constant(&names[2], i64s(&[1], &[step]));
        c.node(node("Slice", &["x", &names[0], &names[1], "axis", &names[2]], &[name]))
    });
    // Both have length S - 1, so they can be added.
    c.node(node("Add", &["init", "tail"], &["sum"]))
}

#[test]
fn slices_of_a_sequence() {
    let names = ["last", "init", "tail", "even", "sum"];
    assert!(translates_once(&pieces(4), &names));
    let values = |n| pieces(n).tensors(&names).iter().map(Tensor::to_vec_f64).collect::<Vec<_>>();
    assert_eq!(values(4), [vec![3.], vec![0., 1., 2.], vec![1., 2., 3.], vec![0., 2.], vec![1., 3., 5.]]);
    assert_eq!(values(1), [vec![0.], vec![], vec![], vec![0.], vec![]]);
    assert_eq!(values(0), vec![Vec::<f64>::new(); 5]);
}

/// An image of any size doubled, halved, padded by reflection and stacked from blocks.
fn image(height: usize, width: usize) -> Case {
    let c = case(19).named("x", counting(&[1, 1, height, width]), &["N", "C", "H", "W"]);
    let c = c.constant("double", f32s(&[4], &[1., 1., 2., 2.])).constant("half", f32s(&[4], &[1., 1., 0.5, 0.5]));
    let c = c.constant("pads", i64s(&[8], &[0, 0, 1, 1, 0, 0, 1, 1]));
    let c = c.node(with(node("Resize", &["x", "", "double"], &["large"]), text("mode", "linear")));
    let c = c.node(node("Resize", &["large", "", "half"], &["small"]));
    let c = c.node(with(node("Pad", &["small", "pads"], &["y"]), text("mode", "reflect")));
    let c = c.node(with(node("SpaceToDepth", &["large"], &["deep"]), int("blocksize", 2)));
    c.node(with(node("DepthToSpace", &["deep"], &["flat"]), int("blocksize", 2)))
}

#[test]
fn images_of_any_size() {
    let names = ["large", "y", "flat"];
    assert!(translates_once(&image(2, 3), &names));
    for (h, w) in [(2, 3), (4, 2)] {
        let out = image(h, w).tensors(&names);
        assert_eq!(out[0].shape(), [1, 1, 2 * h, 2 * w]);
        assert_eq!(out[1].shape(), [1, 1, h + 2, w + 2]);
        assert!(out[2].bit_eq(&out[0]));
    }
}

/// Bounds and shapes that only values of the run give become sizes of the run.
#[test]
fn bounds_known_only_at_run_time() {
    let run = |start: i64, end: i64, shape: &[i64]| {
        let c =
            case(17).input("x", counting(&[12])).input("from", i64s(&[1], &[start])).input("to", i64s(&[1], &[end]));
        let c = c.input("shape", i64s(&[shape.len()], shape));
        let c = c.node(node("Slice", &["x", "from", "to"], &["part"]));
        let c = c.node(node("Reshape", &["part", "shape"], &["y"]));
        assert!(translates_once(&c, &["y"]));
        c.run(&["y"])
    };
    let shape = |start, end, shape: &[i64]| {
        run(start, end, shape).map(|y| y[0].as_tensor().unwrap().shape().to_vec()).map_err(|e| e.message)
    };
    assert_eq!(shape(0, 12, &[3, -1]), Ok(vec![3, 4]));
    assert_eq!(shape(-4, i64::MAX, &[2, 2]), Ok(vec![2, 2]));
    assert_eq!(shape(8, 2, &[0]), Ok(vec![0]));
    assert_eq!(shape(3, 9, &[0]), Ok(vec![6]));
    for wrong in [&[5, -1][..], &[-1, -1], &[-2, -6], &[12, 0]] {
        assert!(shape(0, 12, wrong).is_err(), "{wrong:?}");
    }
}

/// In a branch, where values of the run cannot be waited for, Expand decides when it runs.
#[test]
fn expand_in_a_branch() {
    let run = |x: Tensor, shape: &[i64]| {
        let wide = graph(&[], &[node("Expand", &["x", "shape"], &["wide"])], &["wide"]);
        let same = graph(&[], &[node("Identity", &["x"], &["same"])], &["same"]);
        let n = with(node("If", &["on"], &["y"]), body("then_branch", &wide));
        let c = case(17).named("x", x, &["A", "B"]).named("shape", i64s(&[2], shape), &["two"]);
        let c = c.input("on", of(&[], &[true])).node(with(n, body("else_branch", &same)));
        c.run(&["y"]).map(|y| y[0].as_tensor().unwrap().shape().to_vec()).map_err(|e| e.message)
    };
    assert_eq!(run(counting(&[3, 1]), &[1, 4]), Ok(vec![3, 4]));
    assert_eq!(run(counting(&[1, 2]), &[3, 2]), Ok(vec![3, 2]));
    assert_eq!(run(counting(&[1, 2]), &[0, 1]), Ok(vec![0, 2]));
    assert!(run(counting(&[3, 2]), &[3, 4]).is_err());
}

/// Nothing, under a shape that only the run tells.
#[test]
fn reshape_of_nothing() {
    let run = |shape: &[i64]| {
        let c = case(17).input("x", counting(&[2, 0, 3])).input("shape", i64s(&[shape.len()], shape));
        let c = c.node(node("Reshape", &["x", "shape"], &["y"]));
        assert!(translates_once(&c, &["y"]));
        c.run(&["y"]).map(|y| y[0].as_tensor().unwrap().shape().to_vec()).map_err(|e| e.message)
    };
    assert_eq!(run(&[2, 0, 3]), Ok(vec![2, 0, 3]));
    assert_eq!(run(&[2, 0, -1]), Ok(vec![2, 0, 3]));
    assert_eq!(run(&[5, 0]), Ok(vec![5, 0]));
    assert!(run(&[5, 1]).is_err());
}
