//! What looks on at runs: fuel for machine code, the search for a kernel that differs, kernels in files.

mod common;

use common::*;
use std::sync::{Arc, Mutex};
use tilewright_executor::{Executable, Observer, Replay, Search, Watch};
use tilewright_graph::{Graph, interp};
use tilewright_nests::Role;
use tilewright_support::Code;
use tilewright_tensor::Value;

/// Several kernels: a product, what follows it, a reduction, and a constant that is made once.
fn graph() -> Graph {
    Graph::parse(
        "graph (%0 \"x\": f32[5, 7], %1 \"w\": f32[7, 9]) {
           %2: f32[9] = constant [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
           %3: f32[9] = map (%2) { j:9 : exp($0[j]) }
           %4: f32[5, 9] = matmul (%0, %1) { i:5, j:9 | sum k:7 : $0[i, k] * $1[k, j] }
           %5: f32[5, 9] = map (%4, %3) { i:5, j:9 : tanh($0[i, j]) + $1[j] }
           %6: f32[9] = reduce (%5) { j:9 | sum i:5 : $0[i, j] }
           return (%5, %6) }",
    )
    .unwrap()
}

fn inputs() -> Vec<Value> {
    let mut random = Random(5);
    vec![Value::Tensor(random.tensor(&[5, 7])), Value::Tensor(random.tensor(&[7, 9]))]
}

fn watched(watch: Watch) -> Executable {
    Executable::watched(Arc::new(graph()), settings(2), Some(Arc::new(watch)))
}

fn observed(observer: Observer) -> Executable {
    watched(Watch { observer: Some(observer), ..Watch::default() })
}

/// The kernels of a run, ready to be run again.
fn replays() -> Vec<Replay> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = seen.clone();
    let observer = Observer::new(move |kernel| {
        keep.lock().unwrap().push(Replay::of(kernel)?);
        Ok(())
    });
    observed(observer).run(&inputs()).unwrap();
    let seen = seen.lock().unwrap();
    seen.clone()
}

#[test]
fn any_amount_of_fuel_gives_the_same_bits() {
    let plain = executable(graph(), 2).run(&inputs()).unwrap();
    assert_close(&plain, &interp::run(&graph(), &inputs()).unwrap(), "plain");
    for fuel in 0..6 {
        let fuel = Some(Arc::new(fuel.into()));
        assert_eq!(watched(Watch { fuel, ..Watch::default() }).run(&inputs()).unwrap(), plain);
    }
}

#[test]
fn every_kernel_is_observed_constants_too() {
    let names: Vec<String> = replays().iter().map(|r| r.kernel().to_string()).collect();
    assert!(names.len() >= 3, "{names:#?}");
    // Once more in the same process: nothing is taken from another plan.
    assert_eq!(replays().len(), names.len());
}

#[test]
fn the_search_finds_the_kernel_that_is_broken() {
    let search = Search::default();
    observed(search.observer()).run(&inputs()).unwrap();
    let (kernels, found) = search.end();
    assert!(kernels >= 3 && found.is_none(), "{found:?}");
    for broken in 0..kernels {
        let (search, count) = (Search::default(), Mutex::new(0));
        let inside = search.clone();
        let observer = Observer::new(move |kernel| {
            let mut count = count.lock().unwrap();
            let mut after = kernel.after.to_vec();
            let arguments = kernel.kernel.buffers.iter().filter(|b| b.role != Role::Scratch);
            let written = arguments.zip(&mut after).filter(|(b, _)| b.role != Role::Read);
            if *count == broken {
                written.for_each(|(_, bytes)| bytes[4] ^= 1);
            }
            *count += 1;
            inside.look(&tilewright_executor::Observed { after: &after, ..*kernel })
        });
        let error = observed(observer).run(&inputs()).unwrap_err();
        assert_eq!(error.code, Code::Internal);
        let (seen, found) = search.end();
        let found = found.unwrap();
        assert_eq!((seen, found.different.count, found.different.first[0].at), (broken + 1, 1, 1));
    }
}

#[test]
fn kernels_are_replayed_from_their_files() {
    for replay in replays() {
        let bytes = replay.to_bytes();
        let again = Replay::parse(&bytes).unwrap();
        assert!(again.to_bytes() == bytes, "{}", replay.kernel());
        for level in again.run().unwrap() {
            assert!(level.different.is_none() && level.unexpected.is_none(), "{level:?}");
        }
    }
}

#[test]
fn what_a_file_expects_is_compared() {
    let mut bytes = replays()[0].to_bytes();
    let last = bytes.len() - 2;
    bytes[last] ^= 1;
    let levels = Replay::parse(&bytes).unwrap().run().unwrap();
    assert!(levels.iter().all(|l| l.different.is_none()));
    assert_eq!(levels.iter().filter(|l| l.unexpected.is_some()).count(), 1);
}

#[test]
fn broken_files_are_errors_that_name_the_place() {
    let bytes = replays()[0].to_bytes();
    for end in 0..bytes.len() {
        let error = Replay::parse(&bytes[..end]).unwrap_err();
        assert!(error.code == Code::Io && error.message.starts_with("at byte "), "{end}: {error}");
    }
    let error = Replay::parse(&[&bytes[..], b"x"].concat()).unwrap_err();
    assert!(error.message.contains("something follows the end"), "{error}");
    let mut random = Random(11);
    for _ in 0..3_000 {
        let mut bytes = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len().min(900));
            bytes[at] = random.below(256) as u8;
        }
        let _ = Replay::parse(&bytes);
    }
}

#[test]
fn kernels_that_take_too_much_are_refused() {
    let kernel = |scratch: &str, trips: &str| {
        let text = format!(
            "kernel k over i: {trips} {{
               read x: f32 4
               scratch s: f32 {scratch}
               map (1, 1) {{
                 $0: f32 one unit = x[0] by 0, 0
                 $1: f32 one unit = s[0] by 0, 0
                 pass {{ $1 = $0[row, column] }}
               }}
             }}"
        );
        let file = format!("tilewright kernel 1 portable\ntext {}\n{text}\ninput 4\n....\n", text.len());
        Replay::parse(file.as_bytes()).map(drop)
    };
    kernel("4", "1").unwrap();
    assert_eq!(kernel("18446744073709551612", "1").unwrap_err().code, Code::Limit);
    assert_eq!(kernel("4", "1152921504606846976").unwrap_err().code, Code::Limit);
}
