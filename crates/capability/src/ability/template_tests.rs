use super::*;
use proptest::prelude::*;

fn values() -> Values {
    Values::at(crate::fixture::NOW, "Europe/Athens").with("Topic", "tea").with("empty", "")
}

fn filled(source: &str) -> String {
    Template::check(source).unwrap().render(&values()).unwrap()
}

fn refused(source: &str) -> TemplateError {
    Template::check(source).unwrap_err()
}

/// HERO-28
#[test]
fn placeholders_are_filled_in_any_case_and_unknown_ones_stay() {
    assert_eq!(filled("{{topic}} {{TOPIC}} {{ Topic }}"), "tea tea tea");
    assert_eq!(filled("{{unknown}} and {{ Unknown_2 }}"), "{{unknown}} and {{ Unknown_2 }}");
    assert_eq!(filled("{{DATE}} {{time}} {{DateTime}}"), "2026-11-15 10:00 2026-11-15T10:00:00+02:00");
    assert_eq!(filled("{{empty}}|{{topic|upper}}|{{topic|length}}"), "|TEA|3");
    assert_eq!(filled("{{unknown|default('none')}}"), "none");
    assert_eq!(filled("<b>{{topic}}</b> & \"{{topic}}\""), "<b>tea</b> & \"tea\"", "nothing is encoded");
    assert_eq!(filled("{% raw %}{{topic}}{% endraw %}"), "{{topic}}");
}

#[test]
fn blocks_choose_between_words() {
    let source =
        "{% if topic == 'tea' %}A{% elif topic %}B{% else %}C{% endif %}{% if unknown %}D{% endif %}";
    assert_eq!(filled(source), "A");
    let template = Template::check(source).unwrap();
    assert_eq!(template.render(&Values::default().with("topic", "x")).unwrap(), "B");
    assert_eq!(template.render(&Values::default()).unwrap(), "C");
    assert_eq!(template.parameters(), ["topic", "unknown"]);
    assert_eq!(Template::check("{{DATE}}{{user_name}}").unwrap().parameters(), [] as [&str; 0]);
}

/// HERO-86
#[test]
fn what_could_run_for_ever_or_grow_is_refused_with_its_line() {
    let hostile = [
        "{% for x in y %}{% endfor %}",
        "{% set x = y %}",
        "{% set x %}{{y}}{% endset %}",
        "{{ a ~ a }}",
        "{{ 'a' * 100000000 }}",
        "{{ a + a }}",
        "{{ a - 1 }}",
        "{{ a ** 9 }}",
        "{{ [1, 2] }}",
        "{{ {'a': 1} }}",
        "{{ a.b }}",
        "{{ a['b'] }}",
        "{% include 'x' %}",
        "{% import 'x' as y %}",
        "{% extends 'x' %}",
        "{% macro m() %}{% endmacro %}",
        "{% block b %}{% endblock %}",
        "{% filter upper %}{% endfilter %}",
        "{% autoescape true %}{% endautoescape %}",
        "{% with a=1 %}{% endwith %}",
        "{% do x() %}",
        "{{ a|join }}",
        "{{ a|safe }}",
        "{{",
        "{% if a %}",
        "{{ a b }}",
        "{% endif %}",
    ];
    for source in hostile {
        let error = refused(&format!("one\ntwo\n{source}"));
        assert!(error.line >= 1 && !error.problem.is_empty(), "{source}: {error}");
    }
    assert_eq!(refused("one\ntwo {{ a ~ a }}").line, 2);
    assert_eq!(refused("one\n\n{% for x in y %}{% endfor %}").line, 3);
}

/// HERO-86
#[test]
fn sizes_and_depths_are_limited_before_anything_is_parsed() {
    let deep_names = format!("{{{{ a{} }}}}", "|upper".repeat(10_000));
    let deep_ands = format!("{{% if a{} %}}{{% endif %}}", " and a".repeat(9_000));
    let deep_nots = format!("{{{{ {} a }}}}", "not ".repeat(10_000));
    let parentheses = format!("{{{{ {}a{} }}}}", "(".repeat(10_000), ")".repeat(10_000));
    let branches = format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(4_000));
    let nested = format!("{}{}", "{% if a %}".repeat(2_000), "{% endif %}".repeat(2_000));
    for source in [deep_names, deep_ands, deep_nots, parentheses, branches, nested] {
        refused(&source);
    }
    refused(&"x".repeat(CONTENT_BYTES + 1));
    refused(&"\n".repeat(LINES + 1));
    refused(&"{{a}}".repeat(TAGS + 1));
    // The controls: just below, all of it works.
    assert_eq!(filled(&"x".repeat(CONTENT_BYTES)).len(), CONTENT_BYTES);
    assert_eq!(filled(&"{{topic}}".repeat(TAGS)).len(), 3 * TAGS);
}

#[test]
fn what_comes_out_is_limited() {
    let template = Template::check(&"{{big}}".repeat(20)).unwrap();
    let big = Values::default().with("big", &"x".repeat(100_000));
    let error = template.render(&big).unwrap_err();
    assert!(error.problem.contains("would be longer than"), "{error}");
    let fits = Values::default().with("big", &"x".repeat(1_000));
    assert_eq!(template.render(&fits).unwrap().len(), 20_000);
}

#[test]
fn a_template_that_calls_something_fails_when_it_is_filled() {
    let template = Template::check("{{ topic() }}");
    assert!(template.is_err() || template.unwrap().render(&values()).is_err());
}

proptest! {
    #[test]
    fn no_text_breaks_it(source in "(\\{\\{|\\}\\}|\\{%|%\\}|\\{#|#\\}|if|endif|raw|a|\\||'|\\n|.){0,60}") {
        if let Ok(template) = Template::check(&source) {
            let _ = template.render(&values());
        }
    }
}
