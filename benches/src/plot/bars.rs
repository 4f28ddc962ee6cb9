//! Bars with their spread, and a line for the floor of each group.

use super::{BOTTOM, LEFT, Plot, RIGHT, TOP, framed, level, number, round_up, text};
use std::fmt::Write as _;

/// Bars that stand side by side; the first one is the floor.
pub struct Group {
    pub name: String,
    /// Name, and a value per round.
    pub bars: Vec<(String, Vec<f64>)>,
}

pub fn plot(name: &str, title: &str, groups: &[Group]) -> Plot {
    let all = groups.iter().flat_map(|group| &group.bars).flat_map(|(_, values)| values);
    let most = round_up(all.copied().fold(0.0, f64::max));
    let height = |value: f64| BOTTOM - (BOTTOM - TOP) * value / most;
    let mut drawn = String::new();
    for step in 0..=4 {
        let value = most * f64::from(step) / 4.0;
        drawn += &level(height(value), &number(value));
    }
    let wide = (RIGHT - LEFT) / groups.len().max(1) as f64;
    for (place, group) in groups.iter().enumerate() {
        let from = LEFT + wide * place as f64;
        drawn += &text(from + wide / 2.0, BOTTOM + 40.0, "middle", &group.name);
        drawn += &of_group(group, from, wide, height);
    }
    Plot { name: name.to_owned(), svg: framed(title, &drawn) }
}

fn of_group(group: &Group, from: f64, wide: f64, height: impl Fn(f64) -> f64) -> String {
    let mut drawn = String::new();
    let each = wide * 0.86 / group.bars.len().max(1) as f64;
    for (place, (name, values)) in group.bars.iter().enumerate() {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let (Some(least), Some(most), Some(middle)) =
            (sorted.first(), sorted.last(), sorted.get(sorted.len() / 2))
        else {
            continue;
        };
        let (x, y) = (from + wide * 0.07 + each * place as f64, height(*middle));
        let middle_x = x + each * 0.45;
        // Writing to a string does not fail.
        let _ = writeln!(
            drawn,
            "<rect class=\"c{}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
             <path class=\"range\" d=\"M{middle_x:.1} {:.1}V{:.1}\"/>",
            place % 6,
            each * 0.9,
            BOTTOM - y,
            height(*least),
            height(*most),
        );
        drawn += &text(middle_x, height(*most) - 5.0, "middle", &number((*middle * 10.0).round() / 10.0));
        drawn += &text(middle_x, BOTTOM + 16.0 + 12.0 * (place % 2) as f64, "middle", name);
        if place == 0 {
            let _ = writeln!(drawn, "<path class=\"floor\" d=\"M{from:.1} {y:.1}h{wide:.1}\"/>");
        }
    }
    drawn
}
