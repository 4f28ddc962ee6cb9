//! Where the bytes of a program are: by section, by crate and by what kind of code it is.
//!
//! The program must still have its symbols. Names and sizes are read by `nm` and `size`, which come with the linker.

mod symbol;

use anyhow::{Context, Result, ensure};
use std::{collections::BTreeMap, fmt, path::Path, process::Command};
use symbol::Symbol;

/// So many crates and functions are listed; the rest is one line.
const CRATES: usize = 30;
const FUNCTIONS: usize = 25;

/// Bytes, and of how many symbols.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    pub bytes: u64,
    pub symbols: u64,
}

/// What a program weighs.
pub struct Weight {
    /// What is loaded into memory and is in the file: its size without symbols, but for some headers.
    pub bytes: u64,
    pub sections: Vec<(String, u64)>,
    pub crates: Vec<(String, Share)>,
    pub kinds: Vec<(String, Share)>,
    /// Of one name without the types that it was made for: what is made most often weighs most.
    pub functions: Vec<(String, Share)>,
}

/// Weighs a program that has its symbols.
pub fn weigh(program: &Path) -> Result<Weight> {
    let sections = sections(&output("size", &["-A", "-d"], program)?);
    let names = output("nm", &["--print-size", "--demangle", "--defined-only"], program)?;
    let symbols: Vec<Symbol> = names.lines().filter_map(Symbol::parse).collect();
    ensure!(!symbols.is_empty(), "{} has no symbols: build it with -C strip=none", program.display());
    Ok(Weight {
        bytes: sections.iter().map(|(_, bytes)| bytes).sum(),
        sections,
        crates: shares(symbols.iter().map(|symbol| (symbol.owner().to_owned(), symbol.bytes))),
        kinds: shares(symbols.iter().map(|symbol| (symbol.kind().to_owned(), symbol.bytes))),
        functions: shares(symbols.iter().map(|symbol| (symbol.plain_name(), symbol.bytes))),
    })
}

fn output(tool: &str, arguments: &[&str], program: &Path) -> Result<String> {
    let output = Command::new(tool).args(arguments).arg(program).output();
    let output = output.with_context(|| format!("{tool} cannot be run; it comes with binutils"))?;
    ensure!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The sections that are loaded, without the one that is nothing but zeros.
fn sections(table: &str) -> Vec<(String, u64)> {
    let section = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, bytes, address) = (words.next()?, words.next()?, words.next()?);
        let (bytes, address) = (bytes.parse().ok()?, address.parse::<u64>().ok()?);
        (address > 0 && !matches!(name, ".bss" | ".tbss")).then(|| (name.to_owned(), bytes))
    };
    let mut found: Vec<(String, u64)> = table.lines().filter_map(section).collect();
    found.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    found
}

/// The sums of each name, the largest first.
fn shares(parts: impl Iterator<Item = (String, u64)>) -> Vec<(String, Share)> {
    let mut sums = BTreeMap::<String, Share>::new();
    for (name, bytes) in parts {
        let sum = sums.entry(name).or_default();
        *sum = Share { bytes: sum.bytes.saturating_add(bytes), symbols: sum.symbols.saturating_add(1) };
    }
    let mut sums: Vec<(String, Share)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, share)| std::cmp::Reverse(*share));
    sums
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>12} bytes without symbols\n", self.bytes)?;
        for (name, bytes) in self.sections.iter().take_while(|(_, bytes)| *bytes > 10_000) {
            writeln!(f, "{bytes:>12} {name}")?;
        }
        list(f, "by kind", &self.kinds, usize::MAX)?;
        list(f, "by crate", &self.crates, CRATES)?;
        list(f, "by function", &self.functions, FUNCTIONS)
    }
}

fn list(f: &mut fmt::Formatter<'_>, title: &str, parts: &[(String, Share)], most: usize) -> fmt::Result {
    writeln!(f, "\n{title} (bytes, symbols)")?;
    let (shown, rest) = parts.split_at(parts.len().min(most));
    for (name, share) in shown {
        writeln!(f, "{:>12} {:>7} {name}", share.bytes, share.symbols)?;
    }
    let left: u64 = rest.iter().map(|(_, share)| share.bytes).sum();
    if left > 0 {
        writeln!(f, "{left:>12} {:>7} of {} others", "", rest.len())?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "weigh_tests.rs"]
mod tests;
