//! The crates of the workspace, as cargo knows them.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{env, path::Path, process::Command};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    /// Relative to the root, for instance `crates/domain`.
    pub directory: String,
    /// From `[package.metadata.majordomo]`.
    pub layer: Option<u64>,
    pub dependencies: Vec<Dependency>,
    /// The text of its `Cargo.toml`, to point at lines.
    pub manifest: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    /// Only its own tests see it.
    pub is_dev: bool,
}

impl Package {
    pub fn manifest_path(&self) -> String {
        format!("{}/Cargo.toml", self.directory)
    }

    /// Part of the program, as opposed to what tests, measures and checks it.
    pub fn is_product(&self) -> bool {
        self.directory.starts_with("crates/")
    }

    /// The line of the manifest that names this dependency.
    pub fn line_of(&self, dependency: &str) -> usize {
        let names = |line: &str| {
            line.trim_start().strip_prefix(dependency).is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
        };
        self.manifest.lines().position(names).map_or(1, |index| index + 1)
    }
}

pub fn load(root: &Path) -> Result<Vec<Package>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .context("cargo metadata could not be started")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    let root = root.canonicalize().context("the root directory cannot be resolved")?;
    parse(&metadata, &root)
}

fn parse(metadata: &Value, root: &Path) -> Result<Vec<Package>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    packages.iter().map(|package| parse_one(package, root)).collect()
}

fn parse_one(package: &Value, root: &Path) -> Result<Package> {
    let name = package["name"].as_str().context("a package has no name")?;
    let manifest_path = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let directory = manifest_path.parent().and_then(|parent| parent.strip_prefix(root).ok());
    let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    let dependencies = dependencies.iter().map(|dependency| Dependency {
        name: dependency["name"].as_str().unwrap_or_default().to_owned(),
        is_dev: dependency["kind"] == "dev",
    });
    Ok(Package {
        name: name.to_owned(),
        directory: directory.unwrap_or(Path::new("")).to_string_lossy().into_owned(),
        layer: package["metadata"]["majordomo"]["layer"].as_u64(),
        dependencies: dependencies.collect(),
        manifest: std::fs::read_to_string(manifest_path).with_context(|| format!("{name}: no manifest"))?,
    })
}
