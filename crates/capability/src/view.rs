//! A capability as the API shows it.

use crate::CapabilityInfo;
use domain::{EffectClass, ToolSpec};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CapabilityView {
    #[serde(flatten)]
    pub info: CapabilityInfo,
    pub tools: Vec<ToolView>,
    pub settings_schema: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolView {
    #[serde(flatten)]
    pub spec: ToolSpec,
    pub class: EffectClass,
}
