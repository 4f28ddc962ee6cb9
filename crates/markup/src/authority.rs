//! Who asks is known to the server alone.

use serde_json::Value;

/// Members that say in whose name something is asked, without regard to case and underscores.
const CLAIMS: [&str; 5] = ["senderid", "sourceid", "sourceagentid", "sendertype", "onbehalfof"];

/// Whether a member of this name claims to say who asks.
pub(crate) fn is_claim(name: &str) -> bool {
    let letters =
        || name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase());
    CLAIMS.iter().any(|claim| letters().eq(claim.bytes()))
}

/// THREAT[markup-02]: text that a model wrote carries nobody's authority. Removed at every depth.
pub(crate) fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !is_claim(name));
            members.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}
