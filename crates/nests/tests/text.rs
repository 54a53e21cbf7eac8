//! Kernels as text, both ways.

mod common;

use common::through_scratch;
use tilewright_nests::Kernel;

/// Everything that kernels have, as it is printed.
const WHOLE: &str = r#"kernel "of all" over i: 3, i_1 "i": 2 {
  read x: f32 4096
  read x_1 "x": i32 64
  scratch kept: f32 512
  update y: f32 4096
  read bytes: u8 256
  write packed: u8 256
  map columns narrow (4 of 10 @ i, 7) {
    $0: f32 i32 general = x[28] by 28, 4 through x_1[16*i] by 0, 0
    $1: f32 flat unit = x[256*i_1 + 16] by 0, 0
    $2: f32 rows unit = kept[0] by 28, 0
    $3: f32 one unit = y[336*i + 128*i_1] by 0, 0
    place0 = 4*i + 1
    pass {
      sum $0[row, column] * 2.0:f32
      argmax_last $0[row, column]
    }
    pass {
      $2 = $1[3*column + place0] where (0 <= -column + 5) else 0x7fc00001:f32
      $3 = $4[column] + cast(f32, $5[column])
    }
  }
  scan s: 4 {
    move 1 copy (3, 5, 8) bytes[8*s + 7] by -1, 0 to packed[64*i + 32*i_1 + 8*s] by 32, 0
    reduce k: 2 {
      block f32 dense add (2, 3, 4) kept[16*k] by 32, 4 times x[64*k] by 12, 0 to y[336*i + 128*i_1 + 2048] by 12, 0
    }
  }
}
"#;

#[test]
fn text_is_read_as_printed() {
    let text = through_scratch().to_string();
    assert_eq!(Kernel::parse(&text).unwrap(), through_scratch(), "{text}");
    let kernel = Kernel::parse(WHOLE).unwrap();
    assert_eq!(kernel.to_string(), WHOLE);
    assert_eq!(Kernel::parse(&kernel.to_string()).unwrap(), kernel);
}

#[test]
fn what_is_no_kernel_is_named() {
    let cases = [
        ("karnel k {}", "line 1, column 1: expected `kernel`, found `karnel`"),
        ("kernel k over i {}", "line 1, column 17: expected `:`, found `{`"),
        ("kernel k over i: 2, i: 3 {}", "line 1, column 21: two are called `i`"),
        ("kernel k { read x: f33 4 }", "line 1, column 20: expected a dtype, found `f33`"),
        ("kernel k { write x: f32 4 move 4 copy (1, 1) y[0] by 4, 0 to x[0] by 4, 0 }", "there is no buffer `y`"),
        ("kernel k { update x: f32 8 move 4 copy (1, 1) x[i] by 4, 0 to x[4] by 4, 0 }", "affine in the loops"),
        ("kernel k { update x: f32 8 move 4 turn (1, 1) x[0] by 4, 0 to x[4] by 4, 0 }", "no order is called `turn`"),
        ("kernel k { update x: f32 4 move 4 copy (1, 1) x[0] by 4, 0 to x[4] by 4, 0 }", "of buffer x, which has 4"),
        ("kernel k { } more", "expected the end of the text"),
    ];
    for (text, message) in cases {
        let found = Kernel::parse(text).unwrap_err();
        assert!(found.message.contains(message), "{} instead of {message}", found.message);
    }
}
