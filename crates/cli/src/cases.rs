//! Recorded inputs and outputs: numbered files in folders beside a model.

use crate::values;
use std::fs;
use std::path::{Path, PathBuf};
use tilewright::{Diagnostic, Result, Value, ValueSpec};

/// One set of recorded files, by the index of the input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The folder's name; empty for the model's own.
    pub name: String,
    /// `input_<i>` files.
    pub inputs: Vec<(usize, PathBuf)>,
    /// `output_<i>` files.
    pub outputs: Vec<(usize, PathBuf)>,
}

/// The cases of a folder that record outputs: the folder itself, then its `case_*` and `test_data_set_*` folders.
///
/// # Errors
/// `Io` if a folder cannot be read.
pub fn find(dir: &Path) -> Result<Vec<Case>> {
    let is_case = |name: &str| name.starts_with("case_") || name.starts_with("test_data_set_");
    let mut folders: Vec<String> = entries(dir)?.into_iter().filter(|n| is_case(n) && dir.join(n).is_dir()).collect();
    folders.sort_by_key(|name| (name.len(), name.clone()));
    let mut cases = vec![case(dir, String::new())?];
    for name in folders {
        cases.push(case(&dir.join(&name), name)?);
    }
    cases.retain(|case| !case.outputs.is_empty());
    Ok(cases)
}

fn case(dir: &Path, name: String) -> Result<Case> {
    let numbered = |prefix: &str| numbered(dir, |stem| stem.strip_prefix(prefix)?.parse().ok());
    Ok(Case { name, inputs: numbered("input_")?, outputs: numbered("output_")? })
}

/// The `.npy` and `.pb` files of a folder whose names have a number, in its order; `.npy` comes before `.pb`.
///
/// # Errors
/// `Io` if the folder cannot be read.
pub fn numbered(dir: &Path, number: impl Fn(&str) -> Option<usize>) -> Result<Vec<(usize, PathBuf)>> {
    let mut names = entries(dir)?;
    names.sort();
    let place = |name: String| {
        let (stem, extension) = name.rsplit_once('.')?;
        let number = number(stem).filter(|_| matches!(extension, "npy" | "pb"))?;
        Some((number, dir.join(name)))
    };
    let mut files: Vec<(usize, PathBuf)> = names.into_iter().filter_map(place).collect();
    files.sort_by_key(|(number, _)| *number);
    files.dedup_by_key(|(number, _)| *number);
    Ok(files)
}

fn entries(dir: &Path) -> Result<Vec<String>> {
    let failed = |e: std::io::Error| Diagnostic::io(format!("cannot read the folder {}: {e}", dir.display()));
    let names = fs::read_dir(dir).map_err(failed)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    names.collect::<std::io::Result<_>>().map_err(failed)
}

/// Reads files for the inputs or outputs whose index they have.
///
/// # Errors
/// `Usage` for an index that there is not; as [`values::read`].
pub fn read(files: &[(usize, PathBuf)], specs: &[ValueSpec], what: &str) -> Result<Vec<(usize, Value)>> {
    let read = |(i, path): &(usize, PathBuf)| {
        let beyond = || Diagnostic::usage(format!("{}: the model has {} {what}s", path.display(), specs.len()));
        Ok((*i, values::read(path, specs.get(*i).ok_or_else(beyond)?)?))
    };
    files.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_folders_and_files_by_number() {
        let dir = tempfile::tempdir().unwrap();
        let touch = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"").unwrap();
        };
        for name in [
            "case_10/output_0.npy",
            "case_2/output_10.npy",
            "case_2/output_9.npy",
            "case_2/input_0.pb",
            "case_2/input_0.npy",
            "case_2/output_x.npy",
            "case_2/output_1.txt",
            "case_none/input_0.npy",
            "test_data_set_0/output_0.pb",
        ] {
            touch(name);
        }
        let cases = find(dir.path()).unwrap();
        let names: Vec<&str> = cases.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["case_2", "case_10", "test_data_set_0"]);
        let numbers: Vec<usize> = cases[0].outputs.iter().map(|(i, _)| *i).collect();
        assert_eq!(numbers, [9, 10]);
        assert_eq!(cases[0].inputs, [(0, dir.path().join("case_2/input_0.npy"))]);
        assert!(find(&dir.path().join("nothing")).is_err());
    }
}
