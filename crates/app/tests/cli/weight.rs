//! How much code the program has. A release build takes too long for a test (`make weigh` has its limit); but what is compiled too
//! often, because it is generic and has too many callers, swells an unoptimised program as well.

use super::BINARY;

/// Of an unoptimised build for a processor of this kind. Another compiler may differ by a few percent; before this is raised by
/// more, `cargo xtask weigh target/debug/majordomo` says what has become many.
const MOST: u64 = 52_000_000;

#[test]
#[cfg_attr(
    not(all(debug_assertions, target_arch = "x86_64", target_os = "linux")),
    ignore = "the limit is for another build"
)]
fn the_program_has_no_more_code_than_it_needs() {
    let program = std::fs::read(BINARY).unwrap();
    let code = code_bytes(&program).unwrap();
    assert!(code > MOST / 4, "{code} bytes of code: that is not the program");
    assert!(code <= MOST, "{code} bytes of code, more than {MOST}");
}

/// The sections of an ELF file that are executed.
fn code_bytes(file: &[u8]) -> Option<u64> {
    const EXECUTED: u64 = 4;
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let bytes = file.get(at..at.checked_add(bytes)?)?;
        Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    let place = |at: u64| usize::try_from(at).ok();
    let (first, size, count) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?);
    let mut sum = 0;
    for section in 0..count {
        let at = place(first + section * size)?;
        if number(at + 8, 8)? & EXECUTED != 0 {
            sum += number(at + 32, 8)?;
        }
    }
    Some(sum)
}
