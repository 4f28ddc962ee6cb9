use super::*;

#[test]
fn the_data_is_readable_and_whole() {
    let vendors = parse().unwrap();
    assert!(vendors.unknown_window > 0 && vendors.unknown_local_window > 0);
    assert_eq!(vendors.local.iter().map(|local| local.port).collect::<Vec<_>>(), [11434, 1234, 8080, 8000]);
    for vendor in &vendors.vendor {
        let base = reqwest::Url::parse(&vendor.base_url).unwrap();
        assert_eq!((base.scheme(), base.host_str()), ("https", Some(vendor.host.as_str())));
        for model in &vendor.model {
            assert!(model.window >= model.max_output.unwrap_or(0), "{}", model.name);
            let sane =
                |price: &Price| price.cached.unwrap_or(0) <= price.input && price.input <= price.output;
            assert!(model.price.as_ref().is_none_or(sane), "{}", model.name);
        }
    }
}

/// A key that is taken for another vendor's would be sent there.
#[test]
fn no_beginning_of_a_key_stands_for_two_vendors() {
    let keys: Vec<_> = crate::vendor_choices().into_iter().flat_map(|vendor| vendor.key_prefixes).collect();
    assert!(keys.iter().any(|key| key == "sk-ant-"));
    for (at, key) in keys.iter().enumerate() {
        let others = keys.iter().enumerate().filter(|(other, _)| *other != at);
        assert_eq!(others.filter(|(_, other)| other.starts_with(key.as_str())).count(), 0, "{key}");
    }
}

#[test]
fn a_dated_release_is_the_model_and_a_sibling_is_not() {
    let openai = Vendors::get().by_host("api.openai.com").unwrap();
    let named = |name: &str| openai.model(name).map(|known| known.name.as_str());
    assert_eq!(named("gpt-4o"), Some("gpt-4o"));
    assert_eq!(named("gpt-4o-2024-08-06"), Some("gpt-4o"));
    assert_eq!(named("gpt-4o-2024-05-13"), Some("gpt-4o-2024-05-13"));
    assert_eq!(named("gpt-4o-mini-2024-07-18"), Some("gpt-4o-mini"));
    assert_eq!(named("gpt-4o-audio-preview"), None);
    assert_eq!(named("gpt-4o-"), None);
    assert_eq!(named("gpt"), None);
    let anthropic = Vendors::get().by_host("api.anthropic.com").unwrap();
    let named = |name: &str| anthropic.model(name).map(|known| known.name.as_str());
    assert_eq!(named("claude-sonnet-4-20250514"), Some("claude-sonnet-4"));
    assert_eq!(named("claude-sonnet-4-5-20250929"), Some("claude-sonnet-4-5"));
    assert_eq!(named("claude-sonnet-4-9-20270101"), None, "a later model has a price of its own");
    assert_eq!(named("claude-opus-5-5"), Some("claude-opus-5-5"));
}

#[test]
fn what_does_not_chat_is_told_apart() {
    let vendors = Vendors::get();
    for other in [
        "text-embedding-3-small",
        "nomic-embed-text:latest",
        "whisper-1",
        "dall-e-3",
        "all-minilm",
        "gpt-4o-mini-tts",
    ] {
        assert!(!vendors.chats(other), "{other}");
    }
    for chat in ["gpt-4o", "qwen3:8b", "llama3.2", "mistral-small"] {
        assert!(vendors.chats(chat), "{chat}");
    }
}

#[test]
fn models_that_see_are_known_by_their_names() {
    for name in
        ["llava:13b", "Qwen2.5-VL-7B-Instruct", "qwen3-vl:8b", "gpt-4o", "claude-sonnet-4-5", "gemma3:4b"]
    {
        assert!(Vendors::get().sees(name), "{name}");
    }
    for name in ["qwen3:8b", "llama3.2", "gemma3:1b", "gpt-3.5-turbo", "scripted", "mistral-7b"] {
        assert!(!Vendors::get().sees(name), "{name}");
    }
}
