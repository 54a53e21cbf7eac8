//! Help, versions, completions, man pages, colours and pipes.

mod common;

use common::{F32, digits, ended, model, node, npy, program, tensor, tilewright};
use std::fs;
use std::process::Stdio;

#[test]
fn help_has_examples_and_exit_statuses() {
    for (command, part) in [
        ("run", "tilewright run digits.onnx *.png --top 1"),
        ("inspect", "--dump-ir 2> graph.txt"),
        ("check", "Exit status: 0 all will run"),
        ("bench", "first_ms, times_ms"),
        ("compare", "Exit status: 0 all agree, 5 some differ"),
        ("bisect", "tilewright replay first.kernel"),
        ("replay", "--save-kernels kernels && tilewright replay kernels/*"),
        ("kernels", "tilewright kernels --disasm contract_f32_8x48"),
        ("completions", "tilewright completions bash"),
        ("man", "tilewright man | man -l -"),
    ] {
        let ended = tilewright(&[command, "--help"]).expect(0);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&ended.out).contains(&words(part)), "{command}: {}", ended.out);
        assert!(ended.out.lines().all(|line| line.chars().count() <= 110), "{}", ended.out);
    }
    let ended = tilewright(&["--help"]).expect(0);
    assert!(ended.out.contains("Exit status: 0 done, 1 failed, 2 wrong arguments, 3"), "{}", ended.out);
    assert!(tilewright(&["--version"]).expect(0).out.starts_with("tilewright "));
    tilewright::<&str>(&[]).expect(2);
    tilewright(&["fly"]).expect(2).says("fly");
}

#[test]
fn kernels_are_listed_by_name() {
    let ended = tilewright(&["kernels", "--isa", "portable", "--disasm", "contract_f32_2x32"]);
    ended.expect(3).says("portable");
    tilewright(&["kernels", "--disasm", "contract_f32_999x1"]).expect(2).says("contract_f32_999x1");
    tilewright(&["kernels", "--isa", "sse"]).expect(2).says("avx512");
    if cfg!(target_arch = "x86_64") && std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        let ended = tilewright(&["kernels", "--isa", "avx2", "--disasm", "contract_f32_2x16"]).expect(0);
        assert!(ended.out.contains("vfmadd231ps ymm") && ended.out.ends_with("ret\n"), "{}", ended.out);
    }
}

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = tilewright(&["completions", shell]).expect(0);
        for word in ["inspect", "compare", "output-dir"] {
            assert!(ended.out.contains(word), "{shell}: {word}");
        }
    }
    tilewright(&["completions", "tortoise"]).expect(2);
}

#[test]
fn man_pages_are_printed_and_written() {
    assert!(tilewright(&["man"]).expect(0).out.contains(".TH tilewright 1"));
    let dir = tempfile::tempdir().unwrap();
    tilewright(&["man", "-o", &dir.path().display().to_string()]).expect(0);
    let page = fs::read_to_string(dir.path().join("tilewright-run.1")).unwrap();
    assert!(page.contains("output\\-dir"), "{page}");
    assert!(dir.path().join("tilewright.1").exists());
}

#[test]
fn colours_only_where_they_are_wanted() {
    let model = digits("model.onnx");
    let coloured = |args: &[&str], environment: &[(&str, &str)]| {
        let mut command = program(&[&["inspect", &model], args].concat());
        let run = ended(command.envs(environment.iter().copied()).output().unwrap()).expect(0);
        run.out.contains('\u{1b}')
    };
    assert!(!coloured(&[], &[]));
    assert!(coloured(&["--color", "always"], &[]));
    assert!(coloured(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let model = digits("model.onnx");
    for args in [
        &["inspect", &model][..],
        &["run", &model, "--random", "--json"],
        &["man"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let mut child = program(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let run = ended(child.wait_with_output().unwrap());
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{args:?}");
    }
}

/// A model's names move no cursor, switch no colours on and begin no lines.
#[test]
fn names_of_a_model_do_not_act_on_the_terminal() {
    const BAD: &str = "\u{1b}[31mq\u{9b}2J\nFAKE";
    let dir = tempfile::tempdir().unwrap();
    let ty = || tensor(F32, &[BAD]);
    let x = npy(dir.path().join("input_0.npy"), &[1.0, 2.0]);
    npy(dir.path().join("output_0.npy"), &[-1.0, 2.0]);
    let acts = |args: &[&str], status| {
        let run = tilewright(&[args, &["--color", "always"]].concat()).expect(status);
        let text = run.out + &run.err;
        assert!(text.contains("\\u{1b}[31mq\\u{9b}2J\\nFAKE"), "{args:?}: {text:?}");
        assert!(!text.contains('\u{9b}') && !text.contains("\u{1b}[31mq"), "{args:?}: {text:?}");
        assert!(text.lines().all(|line| !line.starts_with("FAKE")), "{args:?}: {text:?}");
    };
    let made = model(
        dir.path(),
        &[(BAD, ty())],
        &[node("Neg", &[BAD], "y"), node("Neg", &["y"], &format!("{BAD} out"))],
        &[(&format!("{BAD} out"), ty())],
    );
    acts(&["run", &made, &x], 0);
    acts(&["run", &made], 2);
    acts(&["run", &made, "--random", "--shape", "z=1"], 2);
    acts(&["inspect", &made], 0);
    acts(&["inspect", &made, "--dump-ir"], 0);
    acts(&["bench", &made, "--min-time", "0"], 0);
    acts(&["compare", &made], 5);
    let foreign = model(
        dir.path(),
        &[(BAD, ty())],
        &[node(BAD, &[BAD], &format!("{BAD} out"))],
        &[(&format!("{BAD} out"), ty())],
    );
    acts(&["check", &foreign], 3);
    acts(&["run", &foreign, "--random"], 3);
    acts(&["inspect", &foreign], 0);
    let pair = [("a", tensor(F32, &["2"])), ("b", tensor(F32, &["3"]))];
    let broken = model(dir.path(), &pair, &[node("Add", &["a", "b"], BAD)], &[(BAD, ty())]);
    acts(&["check", &broken], 4);
    let hostile = dir.path().join(BAD);
    fs::copy(&made, &hostile).unwrap();
    acts(&["check", &hostile.display().to_string()], 4);
    acts(&["check", &dir.path().join(format!("{BAD}2")).display().to_string()], 1);
}

/// What cannot be written is a failure, help and versions included.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let model = digits("model.onnx");
    for args in [&["help", "run"][..], &["--help"], &["--version"], &["man"], &["inspect", &model]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = ended(program(args).stdout(full).output().unwrap());
        run.expect(1).says("error[io]: cannot write");
    }
}
