//! Tests of executable memory on hand-written functions.

use super::*;
use tilewright_support::Code;

/// `mov rax, [rdi]; add rax, [rdi+8]; mov [rdi+16], rax; ret`.
const ADD: [u8; 12] = [0x48, 0x8b, 0x07, 0x48, 0x03, 0x47, 0x08, 0x48, 0x89, 0x47, 0x10, 0xc3];

/// `mov eax, number; mov [rdi], rax; ret`.
fn answer(number: u32) -> Vec<u8> {
    [&[0xb8][..], &number.to_le_bytes(), &[0x48, 0x89, 0x07, 0xc3]].concat()
}

fn ask(kernel: &Kernel) -> u64 {
    let mut args = [u64::MAX];
    // SAFETY: the kernels of `answer` write one number to their argument block.
    unsafe { kernel.call(args.as_mut_ptr()) };
    args[0]
}

#[test]
fn a_kernel_adds() {
    let memory = CodeMemory::new();
    let kernel = memory.publish("add", &ADD, 0).unwrap();
    let mut args = [40, 2, 0];
    // SAFETY: the function reads two numbers of the block and writes the third.
    unsafe { kernel.call(args.as_mut_ptr()) };
    assert_eq!(args, [40, 2, 42]);
    assert_eq!((kernel.name(), kernel.code()), ("add", &ADD[..]));
    assert_eq!(kernel.address().addr() % ALIGN, 0);
    assert!(format!("{kernel:?}").starts_with("add at 0x"));
}

#[test]
fn the_entry_may_lie_behind_constants() {
    let memory = CodeMemory::new();
    let bytes = [&[0; 64][..], &answer(7)].concat();
    let kernel = memory.publish("entry", &bytes, 64).unwrap();
    assert_eq!(ask(&kernel), 7);
    assert_eq!(kernel.address().addr(), kernel.code().as_ptr().addr() + 64);
}

#[test]
fn wrong_kernels_are_refused() {
    let memory = CodeMemory::new();
    for (bytes, entry, code) in [(0, 0, Code::Internal), (12, 12, Code::Internal), (LONGEST + 1, 0, Code::Limit)] {
        assert_eq!(memory.publish("wrong", &vec![0xc3; bytes], entry).unwrap_err().code, code);
    }
    assert_eq!(memory.usage(), CodeUsage::default());
}

#[test]
fn dropped_kernels_make_room() {
    let memory = CodeMemory::new();
    let keep = memory.publish("keep", &answer(1), 0).unwrap();
    let first = memory.publish("first", &answer(2), 0).unwrap();
    let address = first.address();
    assert_eq!(memory.usage(), CodeUsage { live: 128, reserved: ARENA, kernels: 2 });
    drop(first);
    assert_eq!(memory.usage(), CodeUsage { live: 64, reserved: ARENA, kernels: 1 });
    // SAFETY: the arena stays mapped, and nothing is published meanwhile.
    assert_eq!(unsafe { address.read_volatile() }, 0xcc);
    let second = memory.publish("second", &answer(3), 0).unwrap();
    assert_eq!((second.address(), ask(&second), ask(&keep)), (address, 3, 1));
}

#[test]
fn a_kernel_outlives_its_memory() {
    let memory = CodeMemory::new();
    let kernel = memory.publish("alone", &answer(5), 0).unwrap();
    drop(memory);
    assert_eq!(ask(&kernel), 5);
}

#[test]
fn long_kernels_get_arenas_of_their_own() {
    let memory = CodeMemory::new();
    let mut bytes = vec![0x90; ARENA];
    bytes.extend(answer(9));
    let kernel = memory.publish("long", &bytes, 0).unwrap();
    assert_eq!(ask(&kernel), 9);
    assert_eq!(memory.usage().reserved, 2 * ARENA);
}

#[test]
fn pages_that_flip_run_code_too() {
    let mut mapping = Mapping::flip(ARENA).unwrap();
    let granule = mapping.granule();
    for (index, bytes) in [answer(11), answer(12)].iter().enumerate() {
        let start = index * granule;
        // SAFETY: nobody else knows this mapping.
        unsafe { mapping.write(start, start + granule, bytes).unwrap() };
    }
    for (index, expected) in [11, 12].into_iter().enumerate() {
        let address = mapping.address(index * granule).as_ptr();
        // SAFETY: the address begins a function of this type, written above.
        let function: unsafe extern "sysv64" fn(*const u64) = unsafe { std::mem::transmute(address) };
        let mut args = [0];
        // SAFETY: the function writes one number to its argument block.
        unsafe { function(args.as_mut_ptr()) };
        assert_eq!(args[0], expected);
    }
    no_page_is_writable_and_executable();
}

#[test]
fn eight_threads_publish_ten_thousand_kernels() {
    const THREADS: u32 = 8;
    const EACH: u32 = 1250;
    let memory = CodeMemory::new();
    let publish = |thread: u32| {
        let mut kept = Vec::new();
        for index in 0..EACH {
            let number = thread * EACH + index;
            let kernel = memory.publish(&format!("answer_{number}"), &answer(number), 0).unwrap();
            assert_eq!(ask(&kernel), number.into());
            if index % 3 != 0 {
                kept.push((kernel, number));
            }
        }
        for (kernel, number) in &kept {
            assert_eq!(ask(kernel), (*number).into());
        }
        kept.len()
    };
    let kept: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || publish(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(kept, 8 * 833);
    no_page_is_writable_and_executable();
    let usage = memory.usage();
    assert_eq!((usage.live, usage.kernels), (0, 0));
    assert!(usage.reserved <= ARENA, "{usage:?}");
}

fn no_page_is_writable_and_executable() {
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
    for line in maps.lines() {
        let rights = line.split_whitespace().nth(1).unwrap();
        assert!(!rights.contains('w') || !rights.contains('x'), "{line}");
    }
}
