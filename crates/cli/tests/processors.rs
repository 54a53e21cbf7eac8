//! Fewer processors than threads: runs end, with the same outputs. Needs `taskset`; says so where it is absent.

mod common;

use common::{digits, program};
use std::process::{Child, Command, Output, Stdio};

/// A run of the digits on one processor.
fn start(threads: &str) -> Child {
    let run = program(&["run", &digits("model.onnx"), &digits("four.png"), "--json", "--threads", threads]);
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(run.get_program()).args(run.get_args());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("taskset runs")
}

fn end(child: Child) -> Output {
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{output:?}");
    output
}

#[test]
fn many_threads_of_many_processes_share_one_processor() {
    if Command::new("taskset").arg("--version").output().is_err() {
        println!("skipped: there is no taskset");
        return;
    }
    let expected = end(start("1")).stdout;
    let many: Vec<Child> = (0..8).map(|_| start("64")).collect();
    for child in many {
        assert_eq!(end(child).stdout, expected);
    }
}
