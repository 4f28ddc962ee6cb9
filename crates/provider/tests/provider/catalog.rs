//! Which models there are, and which one is meant.

use crate::support::{KEY, ask, settings};
use provider::{
    DEMO, DefaultSource, ErrorKind, Models, ModelsSettings, Price, Prices, Reachability, StoredSettings,
    Tokens, Wire,
};
use testkit::model::{ModelServer, Reply};

const SOME: Tokens = Tokens { input: 1_000_000, output: 1_000_000, cached: 0, stored: 0 };

fn ids(models: &Models) -> Vec<String> {
    models.list().into_iter().map(|model| model.id).collect()
}

#[tokio::test]
async fn without_providers_there_is_the_demo() {
    let models = Models::new(ModelsSettings::default());
    models.discover().await;
    assert_eq!(ids(&models), [DEMO]);
    for id in [None, Some(DEMO)] {
        let demo = models.resolve(id).unwrap();
        assert_eq!((demo.id(), demo.cost(SOME)), (DEMO, Some(0)));
        let heard = ask(&demo).await;
        assert!(heard.text.contains("No real model is set up yet"), "{}", heard.text);
        assert!(heard.outcome.is_ok());
    }
    let error = models.resolve(Some("openai/gpt-4o")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnknownModel);
    assert!(error.detail.contains("openai/gpt-4o") && error.detail.contains("demo"), "{error}");
}

#[tokio::test]
async fn models_are_asked_for_and_listed_in_a_stable_order() {
    let server = ModelServer::start().await;
    server.models(["zeta", "alpha", "nomic-embed-text", "org/beta"]);
    let models = Models::new(settings(Wire::OpenAi, &server.url()));
    assert_eq!(models.providers()[0].status, Reachability::Unknown);
    assert_eq!(models.resolve(None).unwrap().id(), DEMO, "nothing was found yet");
    models.discover().await;
    assert_eq!(ids(&models), ["local/alpha", "local/org/beta", "local/zeta", DEMO]);
    assert_eq!(models.resolve(None).unwrap().id(), "local/alpha");
    assert_eq!(models.resolve(Some("org/beta")).unwrap().id(), "local/org/beta");
    assert_eq!(models.resolve(Some("zeta")).unwrap().id(), "local/zeta");
    assert_eq!(models.resolve(Some("local/unlisted:7b")).unwrap().id(), "local/unlisted:7b");

    let [status] = models.providers().try_into().unwrap();
    assert_eq!(
        (status.status, status.has_api_key, status.detail.as_deref()),
        (Reachability::Reachable, true, None)
    );
    assert_eq!((status.base_url, status.source.as_str()), (server.url(), "the test"));
    let shown = format!("{models:?} {}", serde_json::to_string(&models.providers()).unwrap());
    assert!(!shown.contains(KEY));
}

#[tokio::test]
async fn configured_models_and_the_default_come_first() {
    let server = ModelServer::start().await;
    let mut settings = settings(Wire::OpenAi, &server.url());
    settings.providers[0].models = vec!["second".into(), "first".into()];
    settings.default_model = Some("local/first".into());
    let models = Models::new(settings);
    assert_eq!(ids(&models), ["local/second", "local/first", DEMO]);
    assert_eq!(models.resolve(None).unwrap().id(), "local/first");
    server.script(Reply::text("hi"));
    assert_eq!(ask(&models.resolve(None).unwrap()).await.text, "hi");
    assert_eq!(server.last_request().unwrap().body["model"], "first");
}

#[tokio::test]
async fn a_default_that_nobody_has_is_an_error_that_names_the_providers() {
    let mut settings = settings(Wire::OpenAi, "http://127.0.0.1:9/v1");
    settings.default_model = Some("nowhere/m".into());
    let models = Models::new(settings);
    for bad in [None, Some("nowhere/m"), Some("m1"), Some("local/"), Some("/m1")] {
        let error = models.resolve(bad).unwrap_err();
        assert_eq!(error.kind, ErrorKind::UnknownModel);
        assert!(error.detail.contains("local"), "{error}");
    }
}

#[tokio::test]
async fn a_provider_that_fails_is_remembered_and_fails_nobody_else() {
    let server = ModelServer::start().await;
    let broken = ModelServer::start().await;
    let mut settings = settings(Wire::OpenAi, &broken.url());
    let mut good = settings.providers[0].clone();
    good.name = "good".into();
    good.base_url = server.url();
    let mut odd = good.clone();
    odd.name = "odd".into();
    odd.base_url = "ftp://example.com".into();
    let mut revealing = good.clone();
    revealing.name = "revealing".into();
    revealing.base_url = server.url().replace("http://", "http://me:secret-password@");
    settings.providers.extend([good, odd, revealing]);
    let models = Models::new(settings);
    for reply in [Reply::status(401), Reply::raw("<html>"), Reply::raw("{\"data\": 7}"), Reply::hang_up()] {
        broken.models_reply(reply);
        models.discover().await;
        let statuses: Vec<_> = models.providers().into_iter().map(|provider| provider.status).collect();
        assert_eq!(
            statuses,
            [Reachability::Failed, Reachability::Reachable, Reachability::Failed, Reachability::Failed]
        );
        assert!(models.providers()[0].detail.as_ref().is_some_and(|detail| !detail.contains(KEY)));
        assert_eq!(models.resolve(None).unwrap().id(), "good/scripted");
    }
    assert!(!format!("{:?}", models.providers()).contains("secret-password"));
    for misconfigured in ["odd/m", "revealing/m"] {
        let error = models.resolve(Some(misconfigured)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Configuration);
        assert!(error.detail.contains("base_url") && !error.detail.contains("secret-password"), "{error}");
    }
}

#[tokio::test]
async fn what_is_at_home_is_free_unless_it_is_said_not_to_be() {
    for (base_url, free, cost) in [
        ("http://127.0.0.1:9/v1", None, Some(0)),
        ("http://192.168.1.5:9/v1", None, Some(0)),
        ("http://127.0.0.1:9/v1", Some(false), None),
        ("https://models.example.com/v1", None, None),
        ("https://models.example.com/v1", Some(true), Some(0)),
    ] {
        let mut settings = settings(Wire::OpenAi, base_url);
        settings.providers[0].free = free;
        let model = Models::new(settings).resolve(Some("local/gpt-4o")).unwrap();
        assert_eq!(model.cost(SOME), cost, "{base_url} {free:?}");
    }
}

/// What people say counts more than the address, the server and the list in the program.
#[tokio::test]
async fn a_price_that_people_give_counts() {
    let price = |input, output| Price { input, output, cached: None, stored: None };
    let prices = Prices {
        usual: Some(price(1, 2)),
        models: [("gpt-4o".to_owned(), price(3, 4)), ("small".to_owned(), Price::FREE)].into(),
    };
    for base_url in ["http://127.0.0.1:9/v1", "https://api.openai.com/v1"] {
        let mut settings = settings(Wire::OpenAi, base_url);
        settings.providers[0].prices = prices.clone();
        let models = Models::new(settings);
        let cost = |name: &str| models.resolve(Some(name)).unwrap().cost(SOME);
        assert_eq!(cost("local/gpt-4o"), Some(7), "{base_url}");
        assert_eq!((cost("local/other"), cost("local/small")), (Some(3), Some(0)), "{base_url}");
        let status = models.providers().remove(0);
        assert_eq!((status.price, status.prices), (prices.usual, prices.models.clone()));
    }
}

#[tokio::test]
async fn known_models_have_their_window_and_price() {
    let models = Models::new(settings(Wire::OpenAi, "https://api.openai.com/v1"));
    let dated = models.resolve(Some("local/gpt-4o-2024-08-06")).unwrap();
    assert_eq!((dated.window(), dated.cost(SOME)), (128_000, Some(12_500_000)));
    assert_eq!(dated.info().abilities, ["tools", "images"]);
    let unknown = models.resolve(Some("local/gpt-99")).unwrap();
    assert_eq!((unknown.cost(SOME), unknown.info().price), (None, None));
    let own =
        Models::new(settings(Wire::OpenAi, "http://127.0.0.1:9/v1")).resolve(Some("local/gpt-4o")).unwrap();
    assert_eq!(own.info().price, Some(Price::FREE), "the address decides, not the name");
}

/// An admin's choice comes before the file, the file before what was found; without its provider no other model is taken.
#[tokio::test]
async fn a_chosen_default_comes_before_the_configured_one() {
    let server = ModelServer::start().await;
    let mut settings = settings(Wire::OpenAi, &server.url());
    settings.providers[0].models = vec!["found".into(), "filed".into()];
    settings.default_model = Some("local/filed".into());
    let models = Models::new(settings.clone());
    let choose = |version: u64, model: Option<&str>| {
        let default_model = model.map(str::to_owned);
        models.set_stored(StoredSettings { version, providers: Vec::new(), default_model })
    };
    let shown = || {
        let shown = models.default_model();
        (shown.model, shown.source, shown.problem.is_some())
    };
    assert_eq!(shown(), ("local/filed".to_owned(), DefaultSource::File, false));
    assert!(choose(2, Some("local/chosen")));
    assert_eq!(shown(), ("local/chosen".to_owned(), DefaultSource::Chosen, false));
    assert_eq!(models.resolve(None).unwrap().id(), "local/chosen");
    assert!(!choose(1, None), "what is older changes nothing");
    assert_eq!((shown().1, models.version()), (DefaultSource::Chosen, 2));
    choose(3, Some("gone/m"));
    assert_eq!(shown(), ("gone/m".to_owned(), DefaultSource::Chosen, true));
    let error = models.resolve(None).unwrap_err();
    assert!(error.detail.contains("the default model `gone/m`"), "{error}");
    choose(4, None);
    assert_eq!(shown().1, DefaultSource::File);
    let unnamed = Models::new(ModelsSettings { default_model: None, ..settings });
    assert_eq!(unnamed.default_model().source, DefaultSource::Found);
    assert_eq!(Models::new(ModelsSettings::default()).default_model().source, DefaultSource::Demo);
}

/// What a person says of a model counts more than what its server says and than its name.
#[tokio::test]
async fn a_switch_says_which_models_see_pictures() {
    let server = ModelServer::start().await;
    let mut settings = settings(Wire::OpenAi, &server.url());
    settings.providers[0].models = vec!["plain".into(), "llava".into(), "other".into()];
    let sees = |models: &Models, name: &str| models.resolve(Some(name)).unwrap().sees();
    let before = Models::new(settings.clone());
    assert_eq!((sees(&before, "local/plain"), sees(&before, "local/llava")), (false, true));
    settings.providers[0].images = [("plain".to_owned(), true), ("llava".to_owned(), false)].into();
    let models = Models::new(settings);
    assert_eq!((sees(&models, "local/plain"), sees(&models, "local/llava")), (true, false));
    assert!(!sees(&models, "local/other"));
}
