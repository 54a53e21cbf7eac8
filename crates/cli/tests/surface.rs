//! Help, versions, completions, man pages, colours and pipes.

mod common;

use common::{digits, ended, program, tilewright};
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
    for args in [&["inspect", &model][..], &["run", &model, "--random", "--json"], &["man"], &["completions", "bash"]] {
        let mut child = program(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let run = ended(child.wait_with_output().unwrap());
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{args:?}");
    }
}
