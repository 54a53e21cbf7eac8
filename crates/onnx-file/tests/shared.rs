//! Model files that others made, where the environment names them: `TW_SHARED` a folder with `models` and the pack of
//! malformed cases, `TW_MODELS` a folder of valid models at any depth.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tilewright_onnx_file::{Limits, Model};

/// Cases that only an operator's own rules refuse, or the inputs of a run: not for decoding to judge.
const BY_OPERATOR: [&str; 21] = [
    "concat_noaxis",
    "conv_channels",
    "feed_missing",
    "feed_wrong_shape",
    "gather_neg_oob",
    "gather_oob",
    "gathernd_oob",
    "if_no_branches",
    "matmul_shape",
    "maxpool_kernel_huge",
    "maxpool_kernel_zero",
    "maxpool_nokernel",
    "onehot_depth_neg",
    "relu_on_string",
    "reshape_bad",
    "reshape_two_minus_one",
    "split_sum",
    "tile_overflow",
    "too_few_inputs",
    "too_many_inputs",
    "transpose_perm_range",
];

/// The folder that a variable names; without it the test says that it did nothing.
fn folder(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: {variable} is not set");
    }
    folder
}

/// Every model file below a folder.
fn models(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(models(&path));
        } else if path.extension().is_some_and(|extension| extension == "onnx") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn accepts_all(folder: &Path) {
    let models = models(folder);
    assert!(!models.is_empty(), "no models in {}", folder.display());
    for path in &models {
        if let Err(error) = Model::open(path, &Limits::default()) {
            panic!("{}: {error}", path.display());
        }
    }
    println!("{} models accepted", models.len());
}

#[test]
fn accepts_valid_models() {
    if let Some(shared) = folder("TW_SHARED") {
        accepts_all(&shared.join("models"));
    }
    if let Some(valid) = folder("TW_MODELS") {
        accepts_all(&valid);
    }
}

#[test]
fn refuses_malformed_models() {
    let Some(shared) = folder("TW_SHARED") else { return };
    let cases = std::env::temp_dir().join(format!("tilewright-malformed-{}", std::process::id()));
    std::fs::create_dir_all(&cases).unwrap();
    let pack = shared.join("conform/packs/malformed.tar.gz");
    let unpacked = Command::new("tar").arg("-xzf").arg(&pack).arg("-C").arg(&cases).status().unwrap();
    assert!(unpacked.success(), "cannot unpack {}", pack.display());
    let models = models(&cases);
    assert!(models.len() > 300, "{} cases", models.len());
    for path in &models {
        let begin = Instant::now();
        let loaded = Model::open(path, &Limits::default());
        let case = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        assert!(begin.elapsed() < Duration::from_secs(1), "{case} took {:?}", begin.elapsed());
        if let Some(reason) = case.strip_prefix("reject-") {
            assert_eq!(loaded.is_ok(), BY_OPERATOR.contains(&reason), "{case}: {loaded:?}");
        }
    }
    std::fs::remove_dir_all(&cases).ok();
}
