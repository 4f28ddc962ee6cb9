//! One symbol of a program, and what its name says about it.

/// A function, or something that is written down.
pub(super) struct Symbol {
    pub bytes: u64,
    /// As `nm` calls it: `t` is code, `r` and `d` are data.
    section: char,
    name: String,
}

/// Where the functions of Rust's own library are.
const OWN: [&str; 4] = ["core", "alloc", "std", "compiler_builtins"];

impl Symbol {
    /// From a line of `nm --print-size`: address, size, kind, name.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(4, ' ');
        let (_, size, section, name) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let bytes = u64::from_str_radix(size, 16).ok()?;
        let section = section.chars().next()?.to_ascii_lowercase();
        (section != 'b').then(|| Self { bytes, section, name: name.to_owned() })
    }

    /// What it is there for.
    pub fn kind(&self) -> &'static str {
        let name = self.name.as_str();
        let has = |part: &str| name.contains(part);
        match self.section {
            't' | 'w' => match () {
                () if !has("::") => "C and assembly",
                () if name.starts_with("core::ptr::drop_in_place") => "drop glue",
                () if has("schemars::") || has("JsonSchema") => "schemas of the API",
                () if has("serde") || has("Deserialize") || has("Serialize") => "serde",
                () if has("{{closure}}") || has("{closure#") => "closures and async bodies",
                () if has("core::fmt::") && has(" as ") => "formatting",
                () => "functions",
            },
            _ => "data",
        }
    }

    /// The crate whose it is: that of the first type or path that is not the library's own.
    pub fn owner(&self) -> &str {
        if !self.name.contains("::") {
            return if self.name.starts_with("sqlite3") { "(sqlite3)" } else { "(C, assembly, constants)" };
        }
        let crates = || paths(&self.name).filter(|name| !OWN.contains(name));
        crates().next().unwrap_or("(Rust's library)")
    }

    /// Without the types that it was made for.
    pub fn plain_name(&self) -> String {
        let mut depth = 0_u32;
        let mut plain = String::new();
        let mut before = ' ';
        for sign in self.name.chars() {
            match sign {
                '<' if !plain.is_empty() => depth = depth.saturating_add(1),
                '>' if depth > 0 && before != '-' => depth = depth.saturating_sub(1),
                _ if depth == 0 => plain.push(sign),
                _ => {}
            }
            before = sign;
        }
        plain
    }
}

/// The first words of all paths in a name.
fn paths(name: &str) -> impl Iterator<Item = &str> {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let mut rest = name;
    std::iter::from_fn(move || {
        loop {
            let end = rest.find("::")?;
            let start =
                rest.get(..end)?.rfind(|sign| !is_word(sign)).map_or(0, |place| place.saturating_add(1));
            let first = rest.get(start..end)?;
            let after = rest.get(end..)?;
            let tail = after.find(|sign: char| !is_word(sign) && sign != ':').unwrap_or(after.len());
            rest = after.get(tail..)?;
            if !first.is_empty() {
                return Some(first);
            }
        }
    })
}
