//! Bodies that come packed.

use bytes::Bytes;
use flate2::write::{GzDecoder, ZlibDecoder};
use std::io::{self, Write};

/// A kilobyte cannot become more than about a megabyte, so no body gets far past the limit before it is looked at.
const BITE: usize = 1_024;

pub(crate) enum Unpacker {
    Plain,
    Gzip(GzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
    /// Packed in a way that was not offered.
    Unknown(String),
}

impl Unpacker {
    pub(crate) fn new(encoding: Option<&str>) -> Self {
        match encoding.map(|name| name.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Self::Plain,
            Some("gzip" | "x-gzip") => Self::Gzip(GzDecoder::new(Vec::new())),
            Some("deflate") => Self::Zlib(ZlibDecoder::new(Vec::new())),
            Some(other) => Self::Unknown(other.to_owned()),
        }
    }

    /// Unpacks `packed` into `out`, and stops soon after `out` has `limit` bytes.
    pub(crate) fn unpack(&mut self, packed: &Bytes, out: &mut Vec<u8>, limit: usize) -> io::Result<()> {
        for bite in packed.chunks(BITE) {
            match self {
                Self::Plain => out.extend_from_slice(bite),
                Self::Gzip(decoder) => {
                    decoder.write_all(bite)?;
                    out.append(decoder.get_mut());
                }
                Self::Zlib(decoder) => {
                    decoder.write_all(bite)?;
                    out.append(decoder.get_mut());
                }
                Self::Unknown(name) => {
                    return Err(io::Error::other(format!(
                        "the answer is compressed with {name}, which is not supported"
                    )));
                }
            }
            if out.len() >= limit {
                break;
            }
        }
        Ok(())
    }

    /// What is left when everything came.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Plain | Self::Unknown(_) => {}
            Self::Gzip(decoder) => {
                decoder.try_finish()?;
                out.append(decoder.get_mut());
            }
            Self::Zlib(decoder) => {
                decoder.try_finish()?;
                out.append(decoder.get_mut());
            }
        }
        Ok(())
    }
}
