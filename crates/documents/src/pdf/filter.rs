//! Unpacks the streams of a PDF, never more than the limits leave.

use super::object::{Dict, Object};
use crate::limits::Remaining;
use flate2::{Decompress, FlushDecompress, Status};

/// Filters on top of each other.
const MOST_FILTERS: usize = 6;

/// Undoes the filters of a stream; none where one is not for text, or where it would be too much. What is damaged gives
/// what came before the damage. `resolve` follows a reference.
pub(super) fn decode(
    dict: &Dict,
    raw: Vec<u8>,
    remaining: &mut Remaining,
    resolve: impl Fn(&Object) -> Object,
) -> Option<Vec<u8>> {
    let named = |long: &str, short: &str| match dict.get(long) {
        Object::Null => resolve(dict.get(short)),
        found => resolve(found),
    };
    let listed = |object: Object| match object {
        Object::Array(items) => items.iter().map(&resolve).collect(),
        Object::Null => Vec::new(),
        single => vec![single],
    };
    let filters: Vec<Object> = listed(named("Filter", "F"));
    let params: Vec<Object> = listed(named("DecodeParms", "DP"));
    if filters.len() > MOST_FILTERS {
        return None;
    }
    let mut data = raw;
    for (index, filter) in filters.iter().enumerate() {
        let room = remaining.room();
        let params = params.get(index).and_then(Object::dict);
        data = match filter.name()? {
            b"FlateDecode" | b"Fl" => predicted(flate(&data, room)?, params, &resolve)?,
            b"LZWDecode" | b"LZW" => {
                let early =
                    params.is_none_or(|params| resolve(params.get("EarlyChange")).number() != Some(0.0));
                predicted(lzw(&data, early, room)?, params, &resolve)?
            }
            b"ASCIIHexDecode" | b"AHx" => ascii_hex(&data),
            b"ASCII85Decode" | b"A85" => ascii_85(&data),
            b"RunLengthDecode" | b"RL" => run_length(&data, room)?,
            b"Crypt" => data,
            _ => return None,
        };
        remaining.unpacked(data.len());
    }
    Some(data)
}

fn flate(data: &[u8], room: usize) -> Option<Vec<u8>> {
    let zlib = inflated(data, true, room)?;
    if !zlib.is_empty() {
        return Some(zlib);
    }
    // Some programs write a wrong head or none.
    let bare = inflated(data.get(2..).unwrap_or_default(), false, room)?;
    if bare.is_empty() { inflated(data, false, room) } else { Some(bare) }
}

fn inflated(data: &[u8], zlib: bool, room: usize) -> Option<Vec<u8>> {
    let mut inflate = Decompress::new(zlib);
    let mut out = Vec::with_capacity(data.len().saturating_mul(3).clamp(256, 1 << 20).min(room.max(256)));
    loop {
        if out.len() == out.capacity() {
            if out.len() >= room {
                return None;
            }
            out.reserve(out.len().clamp(4_096, 4 << 20));
        }
        let (taken, given) = (inflate.total_in(), inflate.total_out());
        let rest = data.get(taken as usize..).unwrap_or_default();
        match inflate.decompress_vec(rest, &mut out, FlushDecompress::None) {
            Ok(Status::StreamEnd) | Err(_) => break,
            Ok(_)
                if inflate.total_in() == taken
                    && inflate.total_out() == given
                    && out.len() < out.capacity() =>
            {
                break;
            }
            Ok(_) => {}
        }
    }
    (out.len() <= room).then_some(out)
}

fn lzw(data: &[u8], early: bool, room: usize) -> Option<Vec<u8>> {
    // Each code is an earlier piece of the output: where it is, and how long.
    let mut table: Vec<(usize, usize)> = Vec::with_capacity(4_096);
    let (mut out, mut bits, mut have, mut width) = (Vec::<u8>::new(), 0_u32, 0_u32, 9_u32);
    let mut last: Option<(usize, usize)> = None;
    for byte in data {
        bits = bits << 8 | u32::from(*byte);
        have += 8;
        if have < width {
            continue;
        }
        have -= width;
        let code = (bits >> have) as usize & ((1 << width) - 1);
        bits &= (1 << have) - 1;
        let from = out.len();
        match code {
            256 => {
                (width, last) = (9, None);
                table.clear();
                continue;
            }
            257 => break,
            code if code < 256 => out.push(code as u8),
            code => match (table.get(code - 258).copied(), last) {
                (Some((at, length)), _) => out.extend_from_within(at..at + length),
                (None, Some((at, length))) if code - 258 == table.len() => {
                    out.extend_from_within(at..at + length);
                    let first = out.get(at).copied()?;
                    out.push(first);
                }
                _ => break,
            },
        }
        if out.len() > room {
            return None;
        }
        if let Some((at, length)) = last
            && table.len() < 4_096 - 258
        {
            table.push((at, length + 1));
        }
        last = Some((from, out.len() - from));
        let next = table.len() + 258 + usize::from(early);
        width = match next {
            0..=511 => 9,
            512..=1_023 => 10,
            1_024..=2_047 => 11,
            _ => 12,
        };
    }
    Some(out)
}

fn run_length(data: &[u8], room: usize) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::new(), data);
    while let Some((length, after)) = rest.split_first() {
        let length = usize::from(*length);
        rest = match length {
            128 => break,
            0..=127 => {
                let (run, after) = after.split_at(after.len().min(length + 1));
                out.extend_from_slice(run);
                after
            }
            _ => {
                let Some((byte, after)) = after.split_first() else { break };
                out.resize(out.len() + 257 - length, *byte);
                after
            }
        };
        if out.len() > room {
            return None;
        }
    }
    Some(out)
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits =
        data.iter().take_while(|byte| **byte != b'>').filter_map(|byte| char::from(*byte).to_digit(16));
    let digits: Vec<u8> = digits.map(|digit| digit as u8).collect();
    digits
        .chunks(2)
        .map(|pair| pair.first().map_or(0, |high| high << 4) | pair.get(1).copied().unwrap_or(0))
        .collect()
}

fn ascii_85(data: &[u8]) -> Vec<u8> {
    let (mut out, mut group) = (Vec::new(), Vec::with_capacity(5));
    for byte in data {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => group.push(byte - b'!'),
            _ => {}
        }
        if group.len() == 5 {
            out.extend(from_85(&group).to_be_bytes());
            group.clear();
        }
    }
    if group.len() > 1 {
        let kept = group.len() - 1;
        group.resize(5, 84);
        out.extend(from_85(&group).to_be_bytes().iter().take(kept));
    }
    out
}

fn from_85(group: &[u8]) -> u32 {
    group.iter().fold(0_u32, |sum, digit| sum.wrapping_mul(85).wrapping_add(u32::from(*digit)))
}

fn predicted(data: Vec<u8>, params: Option<&Dict>, resolve: &impl Fn(&Object) -> Object) -> Option<Vec<u8>> {
    let Some(params) = params else { return Some(data) };
    let number = |name: &str, usual: usize| resolve(params.get(name)).count().unwrap_or(usual);
    let predictor = number("Predictor", 1);
    if predictor < 2 {
        return Some(data);
    }
    let (colors, depth, columns) = (number("Colors", 1), number("BitsPerComponent", 8), number("Columns", 1));
    if colors == 0 || colors > 32 || depth > 32 || columns == 0 || columns > 1 << 20 {
        return None;
    }
    let (pixel, row) = ((colors * depth).div_ceil(8).max(1), (colors * depth * columns).div_ceil(8));
    match predictor {
        2 if depth == 8 => {
            let mut data = data;
            for row in data.chunks_mut(row) {
                for at in pixel..row.len() {
                    let left = row.get(at - pixel).copied().unwrap_or(0);
                    if let Some(byte) = row.get_mut(at) {
                        *byte = byte.wrapping_add(left);
                    }
                }
            }
            Some(data)
        }
        2 => Some(data),
        _ => Some(png(&data, pixel, row)),
    }
}

fn png(data: &[u8], pixel: usize, row: usize) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(data.len());
    let mut above = vec![0_u8; row];
    for line in data.chunks(row + 1) {
        let Some((filter, bytes)) = line.split_first() else { break };
        let mut now = vec![0_u8; row];
        for at in 0..bytes.len() {
            let (up, left) = (above.get(at).copied().unwrap_or(0), at.checked_sub(pixel));
            let corner = left.and_then(|left| above.get(left)).copied().unwrap_or(0);
            let left = left.and_then(|left| now.get(left)).copied().unwrap_or(0);
            let guess = match filter {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            };
            if let (Some(to), Some(byte)) = (now.get_mut(at), bytes.get(at)) {
                *to = byte.wrapping_add(guess);
            }
        }
        out.extend_from_slice(now.get(..bytes.len()).unwrap_or_default());
        above = now;
    }
    out
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(up) - i16::from(corner);
    let far = |from: u8| (guess - i16::from(from)).abs();
    match () {
        () if far(left) <= far(up) && far(left) <= far(corner) => left,
        () if far(up) <= far(corner) => up,
        () => corner,
    }
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
