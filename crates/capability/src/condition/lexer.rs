//! The words and signs of a condition, each with its place.

use super::ConditionProblem;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Text(String),
    Number(i64),
    Sign(&'static str),
}

/// A token, and the number of its first character, from 1.
pub(super) type Placed = (Token, usize);

const SIGNS: [&str; 9] = ["==", "!=", "<=", ">=", "<", ">", "(", ")", ","];

pub(super) fn tokens(source: &str, most: usize) -> Result<Vec<Placed>, ConditionProblem> {
    let characters: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        if character.is_whitespace() {
            at += 1;
            continue;
        }
        if tokens.len() >= most {
            return Err(ConditionProblem::new(at, format!("there can be at most {most} words and signs")));
        }
        let rest = characters.get(at..).unwrap_or_default();
        let (token, length) = token(rest).map_err(|problem| ConditionProblem::new(at, problem))?;
        tokens.push((token, at + 1));
        at += length;
    }
    Ok(tokens)
}

fn token(rest: &[char]) -> Result<(Token, usize), String> {
    match rest.first() {
        Some(quote @ ('"' | '\'')) => text(rest, *quote),
        Some(digit) if digit.is_ascii_digit() => number(rest),
        Some(letter) if letter.is_ascii_alphabetic() || *letter == '_' => {
            let part = |character: &&char| character.is_ascii_alphanumeric() || **character == '_';
            let word: String = rest.iter().take_while(part).collect();
            let length = word.len();
            Ok((Token::Word(word), length))
        }
        _ => sign(rest),
    }
}

fn sign(rest: &[char]) -> Result<(Token, usize), String> {
    let begins = |sign: &&&str| sign.chars().zip(rest.iter()).filter(|(a, b)| a == *b).count() == sign.len();
    match SIGNS.iter().find(begins) {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => {
            Err(format!("`{}` cannot be used here", rest.first().copied().unwrap_or_default().escape_debug()))
        }
    }
}

fn number(rest: &[char]) -> Result<(Token, usize), String> {
    let digits: String = rest.iter().take_while(|character| character.is_ascii_digit()).collect();
    let number = digits.parse().map_err(|_| "this number is too large".to_owned())?;
    Ok((Token::Number(number), digits.len()))
}

/// A backslash before the quote, or before itself, is not part of the text; before anything else it is, as patterns need.
fn text(rest: &[char], quote: char) -> Result<(Token, usize), String> {
    let mut text = String::new();
    let mut at = 1;
    while let Some(&character) = rest.get(at) {
        match (character, rest.get(at + 1)) {
            ('\\', Some(next)) if *next == quote => {
                text.push(*next);
                at += 2;
            }
            // Both stay: what follows is not the end of the text.
            ('\\', Some('\\')) => {
                text.push_str("\\\\");
                at += 2;
            }
            _ if character == quote => return Ok((Token::Text(text), at + 1)),
            _ => {
                text.push(character);
                at += 1;
            }
        }
    }
    Err("a closing quote is missing".to_owned())
}
