//! Tests of what tools are told.

use super::*;
use crate::code::CodeMemory;
use std::fs;

#[test]
fn files_for_perf_name_kernels() {
    let folder = std::env::temp_dir().join(format!("tilewright-profile-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let options = ProfileOptions { perf_map: true, jitdump: Some(folder.clone()), gdb: true };
    let memory = CodeMemory::new();
    memory.profile(&options).unwrap();
    let kernel = memory.publish("map_f32_named in_test", &[0x90, 0xc3], 0).unwrap();

    let map = std::path::Path::new("/tmp").join(format!("perf-{}.map", std::process::id()));
    let line = format!("{:x} 2 map_f32_named_in_test\n", kernel.address().addr());
    assert!(fs::read_to_string(&map).unwrap().contains(&line));

    let dump = fs::read(folder.join(format!("jit-{}.dump", std::process::id()))).unwrap();
    assert_eq!(dump[..4], 0x4a69_5444_u32.to_ne_bytes());
    let record = &dump[40..];
    let size = u32::from_ne_bytes(record[4..8].try_into().unwrap()) as usize;
    assert_eq!(size, record.len());
    assert_eq!(record[32..40], (kernel.address().addr() as u64).to_ne_bytes());
    assert!(record.ends_with(b"map_f32_named in_test\0\x90\xc3"));

    fs::remove_file(map).unwrap();
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_that_is_missing_is_an_error() {
    let jitdump = Some(std::env::temp_dir().join("tilewright-no-such-folder").join("x"));
    let error = Profile::default().open(&ProfileOptions { jitdump, ..ProfileOptions::default() }).unwrap_err();
    assert_eq!(error.code, tilewright_support::Code::Io);
}
