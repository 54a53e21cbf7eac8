//! Schedules as strings: what they change, and what they may not.

use tilewright_nests::{Kernel, Spec, interpret};
use tilewright_support::target::Level;

/// A product of 12 x 10 by 10 x 8 in tiles, row by row of A: sums depend on their order.
const PRODUCT: &str = r#"kernel product over i: 6 {
  read a: f32 480
  read b: f32 320
  update c: f32 384
  sequential j: 4 {
    reduce k: 5 {
      reduce l: 2 {
        map (2, 2) {
          $0: f32 rows zero = a[80*i + 8*k + 4*l] by 40, 0
          $1: f32 one unit = b[8*j + 64*k + 32*l] by 0, 0
          $2: f32 rows unit = c[64*i + 8*j] by 32, 0
          pass {
            $2 = $2[row, column] + $0[row, column] * $1[row, column]
          }
        }
      }
    }
  }
}
"#;

/// Rows in blocks of four, the last of them shorter, through scratch.
const SCRATCH: &str = r#"kernel scratch over i: 3 {
  read x: f32 80
  scratch kept: f32 32
  update y: f32 80
  reduce k: 2 {
    map (4 of 10 @ i, 2) {
      $0: f32 rows unit = x[32*i] by 8, 0
      $1: f32 rows unit = kept[0] by 8, 0
      pass {
        $1 = $0[row, column] * 3.0:f32
      }
    }
    map (4 of 10 @ i, 2) {
      $0: f32 rows unit = kept[0] by 8, 0
      $1: f32 rows unit = y[32*i] by 8, 0
      pass {
        $1 = $1[row, column] + $0[row, column]
      }
    }
  }
}
"#;

fn result(kernel: &Kernel) -> Vec<u8> {
    let floats = |n: usize| (0..n).flat_map(|i| ((i * 37 % 101) as f32 / 7.0 - 5.0).to_le_bytes()).collect();
    let mut memory: Vec<Vec<u8>> =
        kernel.buffers.iter().filter(|b| &*b.name != "kept").map(|b| floats(b.bytes / 4)).collect();
    interpret(kernel, Level::Portable, &mut memory).unwrap();
    memory.pop().unwrap()
}

#[test]
fn schedules_keep_results() {
    let product = Kernel::parse(PRODUCT).unwrap();
    assert_eq!(product.spec().unwrap(), "Abcd");
    let expected = result(&product);
    let specs = [
        ("abcd", "abcd"),
        ("ABcd", "ABcd"),
        ("bcad", "abcd"),
        ("Bcda", "Abcd"),
        ("cabd", "abcd"),
        ("A[,,,(3)]abcd", "Aabcd"),
        ("B[0,,1,(2)]A[,,,(3)]cBad", ""),
        ("Ab[,,,(2)]cbd", "Abcbd"),
        ("b[,,,(4,2)]ABcbd", ""),
        ("Abc[,,,(5)]cd", "Abccd"),
    ];
    for (spec, printed) in specs {
        match product.apply(spec) {
            Ok(kernel) => {
                assert_eq!(result(&kernel), expected, "{spec}\n{kernel}");
                assert_eq!(kernel.spec().unwrap(), printed, "{spec}");
                assert_eq!(Spec::parse(&kernel.spec().unwrap()).unwrap().items.len(), kernel.spec().unwrap().len());
            }
            Err(e) => assert!(printed.is_empty() && e.message.contains("inside a loop"), "{spec}: {}", e.message),
        }
    }
    let scratch = Kernel::parse(SCRATCH).unwrap();
    assert_eq!(result(&scratch.apply("ab").unwrap()), result(&scratch));
}

#[test]
fn refusals_are_by_name() {
    let cases = [
        ("Abc", "loop spec: axis l is missing"),
        ("Abcde", "loop spec: the kernel has no axis e, only 4"),
        ("Abbcd", "loop spec: axis j has 1 loops, not 2"),
        ("Ab[,,,(3)]bcd", "loop spec: axis j has 4 iterations, no whole number of blocks of 3"),
        ("Ab[,,,(2)]cd", "loop spec: axis j has sizes for 2 loops, not 1"),
        ("ABCd", "threads that share axis k, which is taken in order"),
        ("aBcd", "threads that share axis j inside a loop that they do not"),
        ("Abdc", "axis l around axis k: both are taken in order"),
        ("Abcd|", "in a loop spec, a barrier"),
        ("A{R:2}bcd", "in a loop spec, a grid of threads"),
        ("Abcd@schedule(dynamic)", "in a loop spec, a clause after @"),
        ("A[1,,,(2)]abcd", "in a loop spec, a start of its own"),
        ("A[,,,2]abcd", "loop spec, character 6: expected `(`, found `2`"),
        ("Ab cd", "loop spec, character 3: expected a letter, | or @, found ` `"),
    ];
    let product = Kernel::parse(PRODUCT).unwrap();
    for (spec, message) in cases {
        let found = product.apply(spec).unwrap_err().message;
        assert!(found.ends_with(message), "{spec}: {found}");
    }
    let scratch = Kernel::parse(SCRATCH).unwrap();
    let found = |spec: &str| scratch.apply(spec).unwrap_err().message;
    assert!(found("ba").ends_with("axis i inside axis k, around scratch"));
    assert!(found("a[,,,(1)]ab").ends_with("blocks of a loop whose last iteration is shorter"));
}
