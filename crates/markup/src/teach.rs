//! The section of the system prompt that teaches an agent its markup.

use crate::element::{self, ElementSpec};

/// What an agent may use besides the elements that only show something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed<'a> {
    /// Nothing runs: only elements that show something are taught.
    pub display_only: bool,
    /// Executable elements by name: `ask`, and those whose tool the agent has.
    pub executable: Vec<&'a str>,
    /// Functions that `@system(…)` reaches, each with one line about it.
    pub functions: Vec<(&'a str, &'a str)>,
}

/// Short, with an example each; only what the agent may use.
pub fn teach(allowed: &Allowed<'_>) -> String {
    let mut section = String::from(
        "## Markup\n\nElements that you write in your reply are shown to the person while you write. Inside code \
         (backticks, fences, lines indented by four) and quotations nothing is an element.\n",
    );
    for spec in element::elements().iter().filter(|spec| is_taught(spec, allowed)) {
        add(&mut section, &["\n- `<", spec.name, ">` ", spec.about, "."]);
        for (place, one) in spec.attributes.iter().enumerate() {
            let before = if place == 0 { " Attributes: `" } else { ", `" };
            add(&mut section, &[before, one.name, "` (", one.about, ")"]);
        }
        section.push_str(if spec.attributes.is_empty() { "" } else { "." });
        add(&mut section, &[" Example: `", spec.example, "`"]);
    }
    section.push('\n');
    if !allowed.display_only {
        teach_calls(&mut section, allowed);
    }
    section
}

/// Every prompt has this section, so it is put together without strings in between.
fn add(section: &mut String, words: &[&str]) {
    words.iter().for_each(|word| section.push_str(word));
}

fn is_taught(spec: &ElementSpec, allowed: &Allowed<'_>) -> bool {
    let permitted = !allowed.display_only && allowed.executable.contains(&spec.name);
    !spec.example.is_empty() && (!spec.is_executable() || permitted)
}

fn teach_calls(section: &mut String, allowed: &Allowed<'_>) {
    if !allowed.executable.is_empty() {
        section.push_str(
            "\nElements that do something are carried out as soon as you close them. Their results come back to you in a \
             message of the system, one block each, for instance `[@user:ask] interaction_id='e1' completed:`. Do not \
             write such blocks yourself.\n",
        );
    }
    if allowed.functions.is_empty() {
        return;
    }
    section.push_str(
        "\nFunctions are called at the beginning of a line: `@system(name, {argument: \"value\"})`. The longer form is \
         `<interaction>{\"interaction_id\": \"a\", \"target_id\": \"@system\", \"target_property\": \"name\", \
         \"payload\": {}}</interaction>`.\n",
    );
    for (name, about) in &allowed.functions {
        add(section, &["\n- `", name, "`: ", about]);
    }
    section.push('\n');
}
