//! `test_weather`: invented weather that depends on nothing but the name of the place, for trying out tool calls.

use super::zone;
use crate::{Capability, CapabilityInfo, Settings, Tool, ToolContext, ToolError, arguments};
use async_trait::async_trait;
use chrono::Days;
use domain::{EffectClass, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

pub struct TestWeather;

impl Capability for TestWeather {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "test_weather",
            "TestWeather",
            "Invented weather, the same each time for the same place; for testing tool calls.",
        )
        .shown_as("cloud-sun", "Testing")
    }

    fn prompt(&self, _settings: &Settings) -> Option<String> {
        Some(
            "You have weather tools whose answers are invented for testing. Use them when asked about the \
             weather, and say that the data is not real."
                .to_owned(),
        )
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(GetWeather), Arc::new(GetForecast)]
    }
}

const UNITS: [&str; 2] = ["celsius", "fahrenheit"];
const CONDITIONS: [&str; 5] = ["sunny", "partly cloudy", "cloudy", "rainy", "windy"];
const LOCATION_CHARS: usize = 200;
const FORECAST_DAYS: u32 = 3;
const LONGEST_FORECAST: u32 = 7;

/// Everything about a place follows from the sum of the bytes of its name.
fn byte_sum(location: &str) -> u64 {
    location.bytes().map(u64::from).sum()
}

fn condition(seed: u64) -> &'static str {
    let index = usize::try_from(seed % 5).unwrap_or_default();
    CONDITIONS.get(index).copied().unwrap_or_default()
}

/// A spread of `0..below`, which is small.
fn spread(seed: u64, below: u32) -> u32 {
    u32::try_from(seed % u64::from(below.max(1))).unwrap_or_default()
}

/// Rounded to whole degrees.
fn in_units(celsius: i32, units: &str) -> i32 {
    if units == "fahrenheit" { (celsius * 9 + 160 + 2).div_euclid(5) } else { celsius }
}

fn location_schema() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": LOCATION_CHARS,
        "description": "Name of the place, for instance Athens."
    })
}

fn units_schema() -> Value {
    json!({ "type": "string", "enum": UNITS, "description": "Of the temperatures; celsius by default." })
}

struct GetWeather;

#[async_trait]
impl Tool for GetWeather {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "get_weather".to_owned(),
            description: "Get the current (invented) weather of a place.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "location": location_schema(), "units": units_schema() },
                "required": ["location"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let location = arguments::text(&arguments, "location", LOCATION_CHARS)?;
        let units = arguments::choice(&arguments, "units", &UNITS)?;
        let seed = byte_sum(location);
        let celsius = spread(seed, 35).cast_signed() + 5;
        Ok(json!({
            "location": location,
            "temperature": in_units(celsius, units),
            "units": units,
            "conditions": condition(seed),
            "humidity": 30 + spread(seed, 50),
            "wind_speed_kmh": 5 + spread(seed, 30),
            "timestamp": context.clock.now(),
        }))
    }
}

struct GetForecast;

#[async_trait]
impl Tool for GetForecast {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "get_forecast".to_owned(),
            description: "Get an (invented) weather forecast of a place, beginning today.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "location": location_schema(),
                    "days": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": LONGEST_FORECAST,
                        "description": "How many days; 3 by default."
                    },
                    "units": units_schema()
                },
                "required": ["location"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let location = arguments::text(&arguments, "location", LOCATION_CHARS)?;
        let days = arguments::whole_number(&arguments, "days", FORECAST_DAYS, 1..=LONGEST_FORECAST)?;
        let units = arguments::choice(&arguments, "units", &UNITS)?;
        let forecast = (0..days).map(|day| forecast_of(context, location, day, units));
        let forecast = forecast.collect::<Result<Vec<_>, _>>()?;
        Ok(json!({ "location": location, "units": units, "days": days, "forecast": forecast }))
    }
}

fn forecast_of(context: &ToolContext, location: &str, day: u32, units: &str) -> Result<Value, ToolError> {
    // Each day differs from the last, and all of them follow from the name.
    let seed = byte_sum(location).wrapping_add(u64::from(day) * 7);
    let today = zone::now_in(context, zone::own(context)).date_naive();
    let date = today
        .checked_add_days(Days::new(u64::from(day)))
        .ok_or_else(|| ToolError::Internal("the clock is at the end of the calendar".to_owned()))?;
    let high = spread(seed, 35).cast_signed() + 5;
    let low = high - 3 - spread(seed, 8).cast_signed();
    Ok(json!({
        "date": date.to_string(),
        "high": in_units(high, units),
        "low": in_units(low, units),
        "conditions": condition(seed),
        "precipitation_chance": spread(seed.wrapping_mul(3), 101),
    }))
}

#[cfg(test)]
#[path = "test_weather_tests.rs"]
mod tests;
