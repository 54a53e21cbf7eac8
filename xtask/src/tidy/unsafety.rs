//! `unsafe` stays in the few crates that need it, and each use says why it is sound.

use super::report::Report;
use super::rust::words;
use super::tree::{SourceFile, Tree};

/// The crates at the edge of the machine: calls into machine code, executable memory, foreign interfaces.
const MAY_USE_UNSAFE: &[&str] = &["codegen", "runtime", "kernels", "executor", "python", "capi", "bench"];

const FORBID: &str = "#![forbid(unsafe_code)]";

/// How many lines above a use its `SAFETY` comment may start.
const REACH: usize = 8;

/// Reports unsafe code in other crates, and uses without a `SAFETY` comment.
pub fn check(tree: &Tree, report: &mut Report) {
    let mut uses = 0;
    for (member, file) in tree.sources() {
        let allowed = MAY_USE_UNSAFE.contains(&member.name.as_str());
        if !allowed && file.is_crate_root() && !file.source.code.contains(FORBID) {
            report.error(&file.path, format_args!("lacks `{FORBID}`"));
        }
        for (at, _) in words(&file.source.code).filter(|(_, word)| *word == "unsafe") {
            uses += 1;
            if !allowed {
                report.error(file.place(at), format_args!("unsafe code in crate `{}`", member.name));
            } else if is_claim(&file.source.code[at..]) && !is_explained(file, at) {
                report.error(file.place(at), "no `SAFETY` comment above");
            }
        }
    }
    report.line(format!("{uses} uses of `unsafe`"));
}

/// Whether the code claims soundness (a block or an `impl`) rather than passing the duty on (`unsafe fn`).
fn is_claim(code: &str) -> bool {
    let rest = code["unsafe".len()..].trim_start();
    rest.starts_with('{') || rest.starts_with("impl")
}

fn is_explained(file: &SourceFile, at: usize) -> bool {
    let line = file.source.line(at);
    let above = file.source.comments.lines().take(line).skip(line.saturating_sub(REACH + 1));
    above.into_iter().any(|comment| comment.contains("SAFETY"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::samples::{errors, errors_in};

    #[test]
    fn forbidden_in_most_crates() {
        assert!(errors_in(check, "#![forbid(unsafe_code)]\nconst A: &str = \"unsafe\"; // unsafe").is_empty());
        assert_eq!(errors_in(check, "#![forbid(unsafe_code)]\nfn f() { unsafe { g() } }").len(), 1);
        assert_eq!(errors_in(check, "fn f() {}").len(), 1);
    }

    #[test]
    fn explained_elsewhere() {
        let cases = [
            ("// SAFETY: g needs nothing.\nunsafe { g() }", 0),
            ("unsafe { g() }", 1),
            ("unsafe fn g() {}", 0),
            ("unsafe impl Send for A {}", 1),
            ("let a = \"SAFETY\"; unsafe { g() }", 1),
        ];
        for (text, expected) in cases {
            let manifest = ("crates/runtime/Cargo.toml", "[package]\nname = \"tilewright-runtime\"");
            assert_eq!(errors(check, &[manifest, ("crates/runtime/src/lib.rs", text)]).len(), expected, "{text}");
        }
    }
}
