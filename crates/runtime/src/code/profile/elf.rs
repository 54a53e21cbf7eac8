//! The smallest ELF file that names one function: what a debugger is given of a kernel.
//!
//! ```text
//! header | names | symbols | sections: null, .text (elsewhere in memory), .symtab, .strtab
//! ```

use super::Published;

const HEADER: usize = 64;
const SYMBOL: usize = 24;
const SECTION: usize = 64;

/// Machine and kinds, as the ELF specification numbers them.
const X86_64: u16 = 62;
const AARCH64: u16 = 183;
const EXECUTABLE: u16 = 2;
const SYMBOLS: u32 = 2;
const STRINGS: u32 = 3;
const NO_BITS: u32 = 8;
const ALLOCATED_AND_EXECUTABLE: u64 = 6;
const GLOBAL_FUNCTION: u8 = 0x12;

/// Index of `.text` and of `.strtab` among the sections.
const TEXT: u16 = 1;
const NAMES: u16 = 3;

/// What differs between the sections of the file.
#[derive(Default)]
struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    offset: usize,
    size: usize,
    link: u32,
    first_global: u32,
    entry_size: usize,
}

/// A file in which the code's name is a function at its address.
pub(super) fn symbol_file(Published { name, address, code }: Published<'_>) -> Vec<u8> {
    let mut names = b"\0.text\0.symtab\0.strtab\0".to_vec();
    let function = names.len() as u32;
    names.extend(name.bytes().filter(|byte| *byte != 0));
    names.resize((names.len() + 1).next_multiple_of(8), 0);
    let symbols_at = HEADER + names.len();
    let sections_at = symbols_at + 2 * SYMBOL;
    let sections = [
        Section::default(),
        Section {
            name: 1,
            kind: NO_BITS,
            flags: ALLOCATED_AND_EXECUTABLE,
            address,
            offset: HEADER,
            size: code.len(),
            ..Section::default()
        },
        Section {
            name: 7,
            kind: SYMBOLS,
            offset: symbols_at,
            size: 2 * SYMBOL,
            link: NAMES.into(),
            first_global: 1,
            entry_size: SYMBOL,
            ..Section::default()
        },
        Section { name: 15, kind: STRINGS, offset: HEADER, size: names.len(), ..Section::default() },
    ];
    let mut file = header(sections_at);
    file.extend(names);
    file.extend([0; SYMBOL]);
    file.extend(function.to_le_bytes());
    file.extend([GLOBAL_FUNCTION, 0]);
    file.extend(TEXT.to_le_bytes());
    file.extend([address, code.len() as u64].map(u64::to_le_bytes).concat());
    for section in sections {
        section.write(&mut file);
    }
    file
}

fn header(sections_at: usize) -> Vec<u8> {
    let machine = if cfg!(target_arch = "x86_64") { X86_64 } else { AARCH64 };
    // 64 bits, little endian, version 1, System V.
    let mut header = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    header.extend([EXECUTABLE, machine].map(u16::to_le_bytes).concat());
    header.extend(1_u32.to_le_bytes());
    header.extend([0, 0, sections_at as u64].map(u64::to_le_bytes).concat());
    header.extend(0_u32.to_le_bytes());
    header.extend([HEADER as u16, 0, 0, SECTION as u16, NAMES + 1, NAMES].map(u16::to_le_bytes).concat());
    header
}

impl Section {
    fn write(&self, file: &mut Vec<u8>) {
        const ALIGN: u64 = 8;
        file.extend([self.name, self.kind].map(u32::to_le_bytes).concat());
        let (offset, size) = (self.offset as u64, self.size as u64);
        file.extend([self.flags, self.address, offset, size].map(u64::to_le_bytes).concat());
        file.extend([self.link, self.first_global].map(u32::to_le_bytes).concat());
        file.extend([ALIGN, self.entry_size as u64].map(u64::to_le_bytes).concat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_lie_where_the_header_says() {
        let file = symbol_file(Published { name: "map_f32_relu", address: 0x7f00_1234_0040, code: &[0xc3; 5] });
        let number = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
        let sections_at = number(40) as usize;
        assert_eq!(sections_at + 4 * SECTION, file.len());
        let text = sections_at + SECTION;
        assert_eq!((number(text + 16), number(text + 32)), (0x7f00_1234_0040, 5));
        let symbol = number(text + SECTION + 24) as usize + SYMBOL;
        assert_eq!((number(symbol + 8), number(symbol + 16)), (0x7f00_1234_0040, 5));
        let name = HEADER + u32::from_le_bytes(file[symbol..symbol + 4].try_into().unwrap()) as usize;
        assert!(file[name..].starts_with(b"map_f32_relu\0"));
    }
}
