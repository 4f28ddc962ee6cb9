use super::*;
use crate::{
    fixture::{NOW, context_at, failure, run},
    schema::Schema,
};

#[tokio::test]
async fn the_weather_follows_from_the_name() {
    let paris = run(&GetWeather, json!({"location": "Paris"})).await.unwrap();
    assert_eq!(
        paris,
        json!({
            "location": "Paris", "temperature": 26, "units": "celsius", "conditions": "partly cloudy",
            "humidity": 41, "wind_speed_kmh": 6, "timestamp": "2026-11-15T08:00:00.123Z"
        })
    );
    let fahrenheit = run(&GetWeather, json!({"location": "Paris", "units": "fahrenheit"})).await.unwrap();
    assert_eq!(fahrenheit["temperature"], 79);
}

#[tokio::test]
async fn every_value_stays_within_its_range() {
    for name in (0..500).map(|n| format!("Place {n}")).chain(["Ω".to_owned(), "\u{10FFFF}".repeat(200)]) {
        let weather = run(&GetWeather, json!({"location": name})).await.unwrap();
        assert!((5..=39).contains(&weather["temperature"].as_i64().unwrap()), "{weather}");
        assert!((30..=79).contains(&weather["humidity"].as_i64().unwrap()), "{weather}");
        assert!((5..=34).contains(&weather["wind_speed_kmh"].as_i64().unwrap()), "{weather}");
        assert!(CONDITIONS.contains(&weather["conditions"].as_str().unwrap()), "{weather}");
        let forecast = run(&GetForecast, json!({"location": name, "days": 7})).await.unwrap();
        for day in forecast["forecast"].as_array().unwrap() {
            assert!(day["low"].as_i64() < day["high"].as_i64(), "{day}");
            assert!((0..=100).contains(&day["precipitation_chance"].as_i64().unwrap()), "{day}");
        }
    }
}

#[tokio::test]
async fn a_forecast_begins_today_where_the_person_is() {
    let forecast = run(&GetForecast, json!({"location": "Paris"})).await.unwrap();
    assert_eq!(forecast["days"], 3);
    let dates: Vec<_> = forecast["forecast"].as_array().unwrap().iter().map(|day| &day["date"]).collect();
    assert_eq!(dates, ["2026-11-15", "2026-11-16", "2026-11-17"]);
    let late = context_at(NOW.plus_millis(12 * 3_600_000), "Pacific/Auckland");
    let there = GetForecast.run(&late, json!({"location": "Paris", "days": 1})).await.unwrap();
    assert_eq!(there["forecast"][0]["date"], "2026-11-16");
}

#[tokio::test]
async fn hostile_arguments_get_words_from_the_schema_and_from_the_tool() {
    let schema = Schema::compile(&GetForecast.spec().parameters).unwrap();
    let long = "x".repeat(1_000_000);
    for (arguments, parameter) in [
        (json!({"location": "Paris", "days": 0}), "days"),
        (json!({"location": "Paris", "days": 8}), "days"),
        (json!({"location": "Paris", "days": -1}), "days"),
        (json!({"location": "Paris", "days": 1.5}), "days"),
        (json!({"location": "Paris", "days": "many"}), "days"),
        (json!({"location": ""}), "location"),
        (json!({"location": long}), "location"),
        (json!({"location": ["Paris"]}), "location"),
        (json!({"location": "Paris", "units": "kelvin"}), "units"),
        (json!({}), "location"),
    ] {
        let from_tool = failure(&GetForecast, arguments.clone()).await;
        let from_schema = schema.check(&arguments).unwrap_err();
        for words in [from_tool, from_schema] {
            assert!(words.contains(&format!("`{parameter}`")) && words.len() < 200, "{words}");
        }
    }
    assert_eq!(
        failure(&GetWeather, json!({"location": " "})).await,
        "parameter `location` must not be empty"
    );
}
