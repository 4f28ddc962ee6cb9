//! Lines over a common axis.

use super::{BOTTOM, LEFT, Plot, RIGHT, TOP, framed, level, number, round_up, text};
use std::fmt::Write as _;

/// What is drawn, and how its axes are called.
pub struct Chart<'a> {
    pub name: &'a str,
    pub title: &'a str,
    pub across: &'a str,
    /// Each step to the right is a multiple.
    pub logarithmic: bool,
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

pub fn plot(chart: &Chart<'_>) -> Plot {
    let points = || chart.lines.iter().flat_map(|(_, points)| points).copied();
    let top = round_up(points().map(|(_, y)| y).fold(0.0, f64::max));
    let least = points().map(|(x, _)| x).fold(f64::INFINITY, f64::min).max(1e-9);
    let most = points().map(|(x, _)| x).fold(0.0, f64::max);
    let scale = |x: f64| if chart.logarithmic { x.max(least).ln() } else { x };
    let span = (scale(most) - scale(least)).max(1e-9);
    let across = |x: f64| LEFT + (RIGHT - LEFT) * (scale(x) - scale(least)) / span;
    let up = |y: f64| BOTTOM - (BOTTOM - TOP) * y / top;
    let mut drawn = String::new();
    for step in 0..=4 {
        let value = top * f64::from(step) / 4.0;
        drawn += &level(up(value), &number(value));
    }
    for x in marks(chart, least, most) {
        let _ = writeln!(drawn, "<path class=\"grid\" d=\"M{:.1} {TOP}V{BOTTOM}\"/>", across(x));
        drawn += &text(across(x), BOTTOM + 16.0, "middle", &number(x));
    }
    drawn += &text((LEFT + RIGHT) / 2.0, BOTTOM + 36.0, "middle", chart.across);
    for (place, (name, points)) in chart.lines.iter().enumerate() {
        let path: Vec<String> =
            points.iter().map(|(x, y)| format!("{:.1} {:.1}", across(*x), up(*y))).collect();
        let (colour, x) = (place % 6, LEFT + 8.0 + 130.0 * place as f64);
        let _ = writeln!(
            drawn,
            "<path class=\"c{colour} line\" style=\"fill:none\" d=\"M{}\"/>\
             <path class=\"c{colour} line\" d=\"M{x:.1} 40h16\"/>",
            path.join("L")
        );
        drawn += &text(x + 20.0, 44.0, "start", name);
    }
    Plot { name: chart.name.to_owned(), svg: framed(chart.title, &drawn) }
}

/// Where the axis has numbers: at powers of ten, or at the points that were measured.
fn marks(chart: &Chart<'_>, least: f64, most: f64) -> Vec<f64> {
    if !chart.logarithmic {
        return chart
            .lines
            .first()
            .map(|(_, points)| points.iter().map(|(x, _)| *x).collect())
            .unwrap_or_default();
    }
    let powers = (-3..12).map(|power| 10_f64.powi(power));
    powers.filter(|x| (least..=most).contains(x)).collect()
}
