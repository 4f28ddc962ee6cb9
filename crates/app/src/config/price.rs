//! What a million tokens cost, as it is written in the file: `"free"`, or a table of micro-USD.

use super::raw::Value;
use provider::Price;

/// What a price may look like.
const FORM: &str = "must be \"free\" or a table such as { input = 3_000_000, output = 15_000_000 }, in micro-USD (millionths of a dollar) \
                    for a million tokens, with `cached` and `stored` if the provider has a cache";

/// What it says, or in words what is wrong with it.
pub fn read(value: &Value) -> Result<Price, String> {
    match value {
        Value::Text(word) | Value::Word(word) if word.trim() == "free" => Ok(Price::FREE),
        Value::Table(entries) => table(entries),
        _ => Err(FORM.to_owned()),
    }
}

fn table(entries: &[(String, Value)]) -> Result<Price, String> {
    let amount = |name: &str| -> Result<Option<u64>, String> {
        match entries.iter().find(|(key, _)| key == name).map(|(_, value)| value) {
            None => Ok(None),
            Some(Value::Integer(amount)) => {
                u64::try_from(*amount).map(Some).map_err(|_| format!("{FORM}; `{name}` is below 0"))
            }
            Some(_) => Err(format!("{FORM}; `{name}` is not a whole number")),
        }
    };
    if let Some((key, _)) = entries.iter().find(|(key, _)| !Price::FIELDS.contains(&key.as_str())) {
        return Err(format!("{FORM}; there is no `{key}`"));
    }
    let missing = |name: &str| format!("{FORM}; `{name}` is missing");
    let price = Price {
        input: amount("input")?.ok_or_else(|| missing("input"))?,
        output: amount("output")?.ok_or_else(|| missing("output"))?,
        cached: amount("cached")?,
        stored: amount("stored")?,
    };
    price.problem().map_or(Ok(price), |problem| Err(problem.to_owned()))
}

/// For `doctor`.
pub fn shown(price: Price) -> String {
    if price == Price::FREE {
        return "free".to_owned();
    }
    format!("{} in, {} out (micro-USD for a million tokens)", price.input, price.output)
}
