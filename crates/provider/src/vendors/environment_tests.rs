use super::*;
use secrecy::ExposeSecret;

fn found(variables: &[(&str, &str)]) -> Vec<ProviderSettings> {
    from_environment(|name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn nothing_set_is_nothing_found() {
    let nothing = found(&[("OPENAI_API_KEY", " "), ("OLLAMA_HOST", "")]);
    assert!(nothing.is_empty());
}

#[test]
fn a_key_alone_means_the_vendor_and_an_address_alone_needs_no_key() {
    let with_key = found(&[("OPENAI_API_KEY", "sk-hidden\n")]);
    let [openai] = with_key.as_slice() else { panic!("{with_key:?}") };
    assert_eq!((openai.name.as_str(), openai.base_url.as_str()), ("openai", "https://api.openai.com/v1"));
    assert_eq!(openai.api_key.as_ref().unwrap().expose_secret(), "sk-hidden");
    assert!(!format!("{with_key:?}").contains("sk-hidden"));

    let with_address = found(&[("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")]);
    let [openai] = with_address.as_slice() else { panic!("{with_address:?}") };
    assert_eq!(openai.base_url, "http://127.0.0.1:9/v1");
    assert!(openai.api_key.is_none());
}

#[test]
fn ollama_takes_its_address_in_every_usual_form() {
    for (host, url) in [
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:9999", "http://127.0.0.1:9999/v1"),
        (":9999", "http://127.0.0.1:9999/v1"),
        ("nas.lan:1", "http://nas.lan:1/v1"),
        ("http://nas.lan:1/", "http://nas.lan:1/v1"),
        ("http://nas.lan:1/v1/", "http://nas.lan:1/v1"),
        ("https://ollama.example/under", "https://ollama.example/under/v1"),
        ("[::]:5", "http://[::1]:5/v1"),
        ("::1", "http://[::1]:11434/v1"),
    ] {
        let found = found(&[("OLLAMA_HOST", host)]);
        assert_eq!(found.first().map(|ollama| ollama.base_url.as_str()), Some(url), "{host}");
    }
}

#[test]
fn anthropic_has_its_own_wire_and_an_address_without_a_version() {
    let with_key = found(&[("ANTHROPIC_API_KEY", "sk-ant-hidden"), ("OPENAI_API_KEY", "sk-hidden")]);
    let [anthropic, openai] = with_key.as_slice() else { panic!("{with_key:?}") };
    assert_eq!((anthropic.name.as_str(), anthropic.wire), ("anthropic", Wire::Anthropic));
    assert_eq!(anthropic.base_url, "https://api.anthropic.com");
    assert_eq!((openai.wire, openai.origin), (Wire::OpenAi, Origin::Environment));
    assert!(!format!("{with_key:?}").contains("hidden"));

    let with_address = found(&[("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")]);
    let [anthropic] = with_address.as_slice() else { panic!("{with_address:?}") };
    assert_eq!(anthropic.base_url, "http://127.0.0.1:9");
    assert!(anthropic.api_key.is_none() && anthropic.source.contains("ANTHROPIC_BASE_URL"));
}
