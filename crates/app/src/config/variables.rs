//! `MAJORDOMO_<SECTION>_<KEY>`: the same keys from the environment. They win over the file.

use super::{
    file::SECTIONS,
    provider,
    raw::{Raw, Value},
    setting::Origin,
    spelling::nearest,
};
use crate::error::{Result, advised};

const PREFIX: &str = "MAJORDOMO_";

pub fn read(raw: &mut Raw, environment: &[(String, String)]) -> Result<()> {
    let mut ours: Vec<_> = environment.iter().filter(|(name, _)| name.starts_with(PREFIX)).collect();
    ours.sort();
    for (variable, value) in ours {
        let rest = variable.strip_prefix(PREFIX).unwrap_or_default();
        if let Some(rest) = rest.strip_prefix("PROVIDER_") {
            of_provider(raw, variable, rest, value)?;
            continue;
        }
        for (section, keys) in SECTIONS.iter().copied() {
            let Some(key) = rest.strip_prefix(&format!("{}_", section.to_ascii_uppercase())) else {
                continue;
            };
            let key = key.to_ascii_lowercase();
            if !keys.contains(&key.as_str()) {
                return Err(unknown(variable, &key, keys));
            }
            raw.put(section, &key, Value::Word(value.clone()), Origin::Variable(variable.clone()));
        }
    }
    Ok(())
}

/// The name may have underscores of its own, so the key is looked for at the end, the longest first.
fn of_provider(raw: &mut Raw, variable: &str, rest: &str, value: &str) -> Result<()> {
    let ends = provider::KEYS.iter().filter_map(|key| {
        let name = rest.strip_suffix(&format!("_{}", key.to_ascii_uppercase()))?;
        (!name.is_empty()).then_some((name, *key))
    });
    let Some((name, key)) = ends.min_by_key(|(name, _)| name.len()) else {
        let key = rest.rsplit('_').next().unwrap_or_default().to_ascii_lowercase();
        return Err(unknown(variable, &key, provider::KEYS));
    };
    let origin = Origin::Variable(variable.to_owned());
    let known = raw.providers.iter().map(|(known, _)| known).find(|known| as_variable(known) == name);
    let provider = known.cloned().unwrap_or_else(|| {
        let provider = name.to_ascii_lowercase();
        raw.providers.push((provider.clone(), origin.clone()));
        provider
    });
    provider::check_name(&provider, &origin)?;
    raw.put(&format!("{}.{provider}", provider::SECTION), key, Value::Word(value.to_owned()), origin);
    Ok(())
}

fn as_variable(name: &str) -> String {
    name.to_ascii_uppercase().replace(['-', '.'], "_")
}

fn unknown(variable: &str, key: &str, keys: &[&str]) -> crate::error::Error {
    let advice = match nearest(key, keys.iter().copied()) {
        Some(near) => format!("Did you mean the key `{near}`?"),
        None => format!("Unset it. The keys of this section are: {}.", keys.join(", ")),
    };
    advised(format!("The environment variable {variable} does not name a setting."), advice)
}
