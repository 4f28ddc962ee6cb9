//! Packs the description of the API, which a test keeps equal to the code: nothing of it is made while the program runs.

use flate2::{Compression, write::GzEncoder};
use std::{env, error::Error, fs, io::Write as _, path::Path};

const DESCRIPTION: &str = "openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={DESCRIPTION}");
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(DESCRIPTION)?)?;
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join(format!("{DESCRIPTION}.gz")), packed.finish()?)?;
    Ok(())
}
