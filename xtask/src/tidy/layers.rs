//! A crate uses lower layers only, and some things of the outside world have one home.

use super::{Finding, packages::Package};
use std::collections::HashMap;

/// The layer of what tests, measures and checks the program. It may use everything; nothing uses it.
const OUTSIDE: u64 = 6;

/// Dependencies that have a home, and which crates that is.
const HOMES: [(&str, &[&str]); 5] = [
    ("rusqlite", &["store"]),
    ("sqlx", &["store"]),
    ("reqwest", &["provider"]),
    ("tokio-rustls", &["sandbox"]),
    ("axum", &["server"]),
];

pub fn check(packages: &[Package]) -> Vec<Finding> {
    let layers: HashMap<&str, u64> =
        packages.iter().filter_map(|package| Some((package.name.as_str(), package.layer?))).collect();
    let mut findings: Vec<Finding> = packages.iter().filter_map(declared).collect();
    for package in packages.iter().filter(|package| package.is_product()) {
        findings.extend(uses_lower_layers(package, &layers));
        findings.extend(uses_what_lives_elsewhere(package));
    }
    findings
}

fn declared(package: &Package) -> Option<Finding> {
    let problem = match (package.layer, package.is_product()) {
        (None, _) => "declare its layer: [package.metadata.majordomo] layer = N".to_owned(),
        (Some(layer), true) if layer >= OUTSIDE => {
            format!("a crate of the program has a layer from 0 to {}, not {layer}", OUTSIDE - 1)
        }
        (Some(layer), false) if layer != OUTSIDE => {
            format!("what is not under crates/ is on layer {OUTSIDE}, not {layer}")
        }
        _ => return None,
    };
    Some(Finding::new(&package.manifest_path(), package.line_of("layer"), problem))
}

fn uses_lower_layers(package: &Package, layers: &HashMap<&str, u64>) -> Vec<Finding> {
    let Some(own) = package.layer else { return Vec::new() };
    let normal = package.dependencies.iter().filter(|dependency| !dependency.is_dev);
    let wrong = normal.filter_map(|dependency| {
        let layer = *layers.get(dependency.name.as_str())?;
        (layer >= own).then(|| {
            Finding::new(
                &package.manifest_path(),
                package.line_of(&dependency.name),
                format!(
                    "`{}` (layer {own}) must not use `{}` (layer {layer}): only lower layers; \
                     move what is shared down, or pass it in as a port",
                    package.name, dependency.name
                ),
            )
        })
    });
    wrong.collect()
}

fn uses_what_lives_elsewhere(package: &Package) -> Vec<Finding> {
    let normal = package.dependencies.iter().filter(|dependency| !dependency.is_dev);
    let wrong = normal.filter_map(|dependency| {
        let (_, homes) = HOMES.iter().find(|(name, _)| *name == dependency.name)?;
        (!homes.contains(&package.name.as_str())).then(|| {
            Finding::new(
                &package.manifest_path(),
                package.line_of(&dependency.name),
                format!(
                    "`{}` is used only in: {}; call that crate instead",
                    dependency.name,
                    homes.join(", ")
                ),
            )
        })
    });
    wrong.collect()
}
