//! `docs/ops.md` says what the declarations say. `BLESS=1` writes it anew.

use std::path::Path;

#[test]
fn docs_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ops.md");
    let wanted = tilewright_graph::docs::reference();
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/ops.md is out of date; run: BLESS=1 cargo test -p tilewright-graph docs");
}
