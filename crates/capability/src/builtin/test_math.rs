//! `test_math`: the four operations, for trying out tool calls.

use crate::{Capability, CapabilityInfo, Settings, Tool, ToolContext, ToolError, arguments};
use async_trait::async_trait;
use domain::{EffectClass, ToolSpec};
use serde_json::{Number, Value, json};
use std::sync::Arc;

pub struct TestMath;

impl Capability for TestMath {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "test_math",
            "TestMath",
            "Adds, subtracts, multiplies and divides; for testing tool calls.",
        )
        .shown_as("calculator", "Testing")
    }

    fn prompt(&self, _settings: &Settings) -> Option<String> {
        Some(
            "You have calculator tools. Use them for every calculation instead of working it out yourself, \
             and call several at once when the calculations do not depend on each other."
                .to_owned(),
        )
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            Arc::new(Operation::Add),
            Arc::new(Operation::Subtract),
            Arc::new(Operation::Multiply),
            Arc::new(Operation::Divide),
        ]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Add => "Add two numbers: a + b.",
            Self::Subtract => "Subtract one number from another: a - b.",
            Self::Multiply => "Multiply two numbers: a × b.",
            Self::Divide => "Divide one number by another: a ÷ b. Dividing by zero is an error.",
        }
    }

    /// Exact, when both are whole and so is the result; `None` says to go on with fractions.
    fn whole(self, a: i128, b: i128) -> Option<Number> {
        let result = match self {
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            Self::Divide => a.checked_rem(b).filter(|rest| *rest == 0).and_then(|_| a.checked_div(b)),
        };
        result.and_then(Number::from_i128)
    }

    /// `None` when the result is not a number that JSON can hold.
    fn fraction(self, a: f64, b: f64) -> Option<Number> {
        Number::from_f64(match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
        })
    }

    fn compute(self, a: &Number, b: &Number) -> Result<Number, ToolError> {
        let (Some(float_a), Some(float_b)) = (a.as_f64(), b.as_f64()) else {
            return Err(too_large());
        };
        if self == Self::Divide && float_b == 0.0 {
            return Err(ToolError::failed("cannot divide by zero: parameter `b` must not be 0"));
        }
        let exact = a.as_i128().zip(b.as_i128()).and_then(|(a, b)| self.whole(a, b));
        exact.or_else(|| self.fraction(float_a, float_b)).ok_or_else(too_large)
    }
}

#[async_trait]
impl Tool for Operation {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: self.description().to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "a": { "type": "number", "description": "The first number." },
                    "b": { "type": "number", "description": "The second number." }
                },
                "required": ["a", "b"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    async fn run(&self, _context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let a = arguments::number(&arguments, "a")?;
        let b = arguments::number(&arguments, "b")?;
        let result = self.compute(a, b)?;
        Ok(json!({ "result": result, "operation": self.name(), "a": a, "b": b }))
    }
}

fn too_large() -> ToolError {
    ToolError::failed("the result is too large to be a number")
}

#[cfg(test)]
#[path = "test_math_tests.rs"]
mod tests;
