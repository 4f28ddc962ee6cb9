//! How much room there is.

use rustix::termios;

/// Where the width of the terminal cannot be learnt.
const COLUMNS: u16 = 80;

/// How wide the terminal is now; a person may change it at any time.
pub fn columns() -> u16 {
    let size = termios::tcgetwinsize(std::io::stdout());
    size.ok().map(|size| size.ws_col).filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}
