//! Pictures of the figures: SVG as it is written by hand, readable on light and on dark pages.

pub mod bars;
pub mod lines;

/// A file under `benches/out`.
pub struct Plot {
    pub name: String,
    pub svg: String,
}

pub const WIDTH: f64 = 720.0;
pub const HEIGHT: f64 = 360.0;
/// Where the figures are drawn.
pub const LEFT: f64 = 70.0;
pub const RIGHT: f64 = 700.0;
pub const TOP: f64 = 50.0;
pub const BOTTOM: f64 = 300.0;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:15px;font-weight:600}\
.grid{stroke:#8884;stroke-width:1}.floor{stroke:#d33;stroke-width:1.5;stroke-dasharray:6 4}\
.c0{fill:#888;stroke:#888}.c1{fill:#2a7de1;stroke:#2a7de1}.c2{fill:#e08a1e;stroke:#e08a1e}\
.c3{fill:#2c9c5a;stroke:#2c9c5a}.c4{fill:#9557c9;stroke:#9557c9}.c5{fill:#c94f7c;stroke:#c94f7c}\
.line{fill:none;stroke-width:2}.range{stroke:#333;stroke-width:1.5}\
@media(prefers-color-scheme:dark){svg{background:#16181c}text{fill:#ddd}.range{stroke:#ddd}}";

/// The whole picture around what is drawn.
pub fn framed(title: &str, drawn: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0}\">\
         <style>{STYLE}</style>\n<text class=\"title\" x=\"{LEFT}\" y=\"24\">{0}</text>\n{drawn}</svg>\n",
        escaped(title)
    )
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

pub fn text(x: f64, y: f64, anchor: &str, words: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n", escaped(words))
}

/// A line of the grid with its number at the left.
pub fn level(y: f64, words: &str) -> String {
    let line = format!("<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\n");
    line + &text(LEFT - 8.0, y + 4.0, "end", words)
}

/// A round number at or above this one, for the end of an axis.
pub fn round_up(value: f64) -> f64 {
    let unit = 10_f64.powf(value.max(1e-9).log10().floor());
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * unit).find(|end| *end >= value).unwrap_or(value)
}

/// Short, without needless zeros.
pub fn number(value: f64) -> String {
    match value.abs() {
        1_000.0.. => format!("{:.0}k", value / 1_000.0),
        10.0.. => format!("{value:.0}"),
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}
