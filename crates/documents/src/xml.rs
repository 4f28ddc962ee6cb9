//! XML, one event at a time: no document type is read, no entity is known but the five of XML, nothing is fetched.
//!
//! THREAT[document-03]: entities that double each other, external ones, and elements without an end of depth.

use crate::limits::Remaining;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

/// What comes next. Names are without their prefix.
pub(crate) enum XmlEvent<'a> {
    Open(XmlTag<'a>),
    Close(String),
    Words(String),
}

pub(crate) struct XmlTag<'a> {
    start: BytesStart<'a>,
}

impl XmlTag<'_> {
    pub(crate) fn name(&self) -> &str {
        local(self.start.name().0)
    }

    /// An attribute by its name without a prefix; `id` finds `r:id` too if there is no plain one.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let mut prefixed = None;
        for attribute in self.start.attributes().with_checks(false).flatten() {
            let key = attribute.key.0;
            if local(key) != name {
                continue;
            }
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?.into_owned();
            if key == name {
                return Some(value);
            }
            prefixed.get_or_insert(value);
        }
        prefixed
    }

    /// With its prefix, for the few names that mean two things.
    pub(crate) fn full(&self, name: &str) -> Option<String> {
        let attribute = self.start.attributes().with_checks(false).flatten().find(|a| a.key.0 == name)?;
        Some(attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?.into_owned())
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
    /// It ended in the middle, or was no XML.
    pub(crate) broken: bool,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { reader, depth: 0, broken: false }
    }

    /// The next event; none at the end, where something is wrong, or where a limit is reached.
    pub(crate) fn next(&mut self, remaining: &mut Remaining) -> Option<XmlEvent<'a>> {
        loop {
            if !remaining.step() {
                return None;
            }
            match self.reader.read_event() {
                Ok(Event::Start(start)) => {
                    self.depth += 1;
                    if self.depth > remaining.limits.depth {
                        self.broken = true;
                        return None;
                    }
                    return Some(XmlEvent::Open(XmlTag { start }));
                }
                Ok(Event::End(end)) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Some(XmlEvent::Close(local(end.name().0).to_owned()));
                }
                Ok(Event::Text(words)) => return Some(XmlEvent::Words(words.into_inner().into_owned())),
                Ok(Event::CData(words)) => return Some(XmlEvent::Words(words.into_inner().into_owned())),
                Ok(Event::GeneralRef(reference)) => {
                    if let Some(sign) = sign(&reference.into_inner()) {
                        return Some(XmlEvent::Words(sign.to_string()));
                    }
                }
                Ok(Event::Eof) => {
                    self.broken |= self.depth > 0;
                    return None;
                }
                Ok(_) => {}
                Err(_) => {
                    self.broken = true;
                    return None;
                }
            }
        }
    }

    /// Passes everything up to the end of the element that was just opened.
    pub(crate) fn skip(&mut self, remaining: &mut Remaining) {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside && self.next(remaining).is_some() {}
    }
}

/// What a reference stands for; a name that a document type declares stands for nothing.
fn sign(reference: &str) -> Option<char> {
    match reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        other => {
            let number = other.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|sign| *sign != '\0')
        }
    }
}

#[cfg(test)]
#[path = "xml_tests.rs"]
mod tests;
