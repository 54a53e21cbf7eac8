//! The repository as the checks see it: its files and its crates.

use super::manifest::Manifest;
use super::rust::Source;
use std::path::Path;
use std::process::Command;

/// Files and crates of the repository.
pub struct Tree {
    /// Every text file that git tracks or would track.
    pub files: Vec<File>,
    /// The crates, in the order of their folders.
    pub crates: Vec<Crate>,
}

/// One text file.
pub struct File {
    /// Path from the root, with forward slashes.
    pub path: String,
    /// Contents.
    pub text: String,
}

/// One workspace member.
pub struct Crate {
    /// Name without the `tilewright-` prefix.
    pub name: String,
    /// Path of the manifest.
    pub path: String,
    /// Dependencies.
    pub manifest: Manifest,
    /// The Rust files of `src/`, `tests/`, `benches/` and `examples/`.
    pub sources: Vec<SourceFile>,
}

/// One Rust file of a crate.
pub struct SourceFile {
    /// Path from the root.
    pub path: String,
    /// Split text.
    pub source: Source,
    /// Whether the whole file is a test.
    pub is_test: bool,
}

impl SourceFile {
    fn new(file: &File) -> Self {
        let is_test = ["/tests/", "/benches/"].iter().any(|folder| format!("/{}", file.path).contains(folder));
        Self { path: file.path.clone(), source: Source::new(file.text.clone()), is_test }
    }

    /// Paths that modules declared by `#[cfg(test)] mod name;` may have.
    fn test_modules(&self) -> Vec<String> {
        let (folder, file) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let inside = match file {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            _ => self.path.trim_end_matches(".rs").to_owned(),
        };
        let items = self.source.tests.iter().map(|range| &self.source.code[range.clone()]);
        let names = items.filter_map(|item| item.strip_suffix(';')?.split_once("mod ").map(|(_, name)| name.trim()));
        names.flat_map(|name| [format!("{inside}/{name}.rs"), format!("{inside}/{name}/mod.rs")]).collect()
    }

    /// Whether the file is the root module of a library or binary.
    pub fn is_crate_root(&self) -> bool {
        let inside = self.path.rsplit_once("src/").map(|(_, inside)| inside);
        matches!(inside, Some("lib.rs" | "main.rs")) || inside.is_some_and(|path| path.starts_with("bin/"))
    }

    /// Path and line of byte `at`, for a message.
    pub fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path, self.source.line(at))
    }
}

impl Tree {
    /// Reads the working tree at `root`. Fails where git cannot list its files.
    pub fn read(root: &Path) -> Result<Self, String> {
        let listing = Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
            .current_dir(root)
            .output()
            .map_err(|error| format!("git ls-files: {error}"))?;
        if !listing.status.success() {
            return Err(format!("git ls-files: {}", String::from_utf8_lossy(&listing.stderr).trim()));
        }
        let listing = String::from_utf8_lossy(&listing.stdout);
        let mut paths: Vec<&str> = listing.split('\0').filter(|path| !path.is_empty()).collect();
        paths.sort_unstable();
        paths.dedup();
        // Files that are not text, or deleted but still in the index, are not read.
        let read =
            |path: &&str| Some(File { path: path.to_string(), text: std::fs::read_to_string(root.join(path)).ok()? });
        Ok(Self::new(paths.iter().filter_map(read).collect()))
    }

    /// Sorts files into crates.
    pub fn new(files: Vec<File>) -> Self {
        let manifests = files.iter().filter(|file| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml"));
        let crates = manifests.filter_map(|file| Crate::new(file, &files)).collect();
        Self { files, crates }
    }

    /// All Rust files with their crates.
    pub fn sources(&self) -> impl Iterator<Item = (&Crate, &SourceFile)> {
        self.crates.iter().flat_map(|c| c.sources.iter().map(move |s| (c, s)))
    }
}

impl Crate {
    fn new(manifest: &File, files: &[File]) -> Option<Self> {
        let folder = manifest.path.strip_suffix("Cargo.toml")?;
        let parsed = Manifest::parse(&manifest.text);
        let mine = |file: &&File| {
            let inside = file.path.strip_prefix(folder);
            inside.is_some_and(|path| {
                path.ends_with(".rs") && ["src/", "tests/", "benches/", "examples/"].iter().any(|f| path.starts_with(f))
            })
        };
        let mut sources: Vec<SourceFile> = files.iter().filter(mine).map(SourceFile::new).collect();
        let tests: Vec<String> = sources.iter().flat_map(SourceFile::test_modules).collect();
        for source in sources.iter_mut().filter(|source| tests.contains(&source.path)) {
            source.is_test = true;
        }
        let name = short_name(&parsed.name).to_owned();
        (!name.is_empty()).then(|| Self { name, path: manifest.path.clone(), sources, manifest: parsed })
    }
}

/// A package's name without the project's prefix.
pub fn short_name(package: &str) -> &str {
    package.strip_prefix("tilewright-").unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use super::samples::tree;

    #[test]
    fn modules_of_tests() {
        let files = [
            ("Cargo.toml", "[package]\nname = \"tilewright\""),
            ("src/lib.rs", "mod a;\n#[cfg(test)]\nmod tests;"),
            ("src/a.rs", "#[cfg(test)]\nmod samples;"),
            ("src/a/samples.rs", ""),
            ("src/samples.rs", ""),
            ("src/tests.rs", ""),
            ("tests/run.rs", ""),
        ];
        let tree = tree(&files);
        let found: Vec<&str> = tree.sources().filter(|(_, s)| s.is_test).map(|(_, s)| s.path.as_str()).collect();
        assert_eq!(found, ["src/a/samples.rs", "src/tests.rs", "tests/run.rs"]);
    }
}

#[cfg(test)]
pub mod samples {
    //! Small trees for the checks' tests.

    use super::*;
    use crate::tidy::Report;

    /// A tree of the given files.
    pub fn tree(files: &[(&str, &str)]) -> Tree {
        let file = |(path, text): &(&str, &str)| File { path: path.to_string(), text: text.to_string() };
        Tree::new(files.iter().map(file).collect())
    }

    /// The errors that `check` finds in a tree of the given files.
    pub fn errors(check: fn(&Tree, &mut Report), files: &[(&str, &str)]) -> Vec<String> {
        let mut report = Report::default();
        check(&tree(files), &mut report);
        report.errors
    }

    /// The errors that `check` finds in a crate `graph` with the given `src/lib.rs`.
    pub fn errors_in(check: fn(&Tree, &mut Report), text: &str) -> Vec<String> {
        let manifest = ("crates/graph/Cargo.toml", "[package]\nname = \"tilewright-graph\"");
        errors(check, &[manifest, ("crates/graph/src/lib.rs", text)])
    }
}
