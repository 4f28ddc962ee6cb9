//! How far something is.

use super::{ElementSpec, attribute};
use crate::Attributes;

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "progress",
    about: "shows a progress bar; its content is the label",
    example: r#"<progress value="3" max="10">Reading the files</progress>"#,
    attributes: &[attribute("value", "how much is done"), attribute("max", "how much there is; 100 unless given")],
    ..ElementSpec::DEFAULT
};

/// What the bar of a `progress` element shows, from 0 to 100.
pub fn percent(attributes: &Attributes) -> u8 {
    let number = |name: &str, default: f64| {
        attributes.get(name).and_then(|text| text.trim().parse::<f64>().ok()).unwrap_or(default)
    };
    let share = (number("value", 0.0) / number("max", 100.0) * 100.0).round();
    // Nothing of nothing is not a number, and shows as nothing.
    if share.is_nan() { 0 } else { share.clamp(0.0, 100.0) as u8 }
}
