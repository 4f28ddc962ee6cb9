#!/usr/bin/env bash
# Sees to it that the program can be built: Rust and a C compiler. Quick and silent when nothing is missing.
# Without bubblewrap it works, too, but agents can run no programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=install.sh
source ./install.sh

needed=1.95.0

if ! command -v rustc >/dev/null || ! command -v cargo >/dev/null; then
    stop "Rust is not installed, or not in PATH." \
        "Install Rust $needed or newer: https://rustup.rs, then open a new shell and try again."
fi

found=$(rustc --version | cut -d ' ' -f 2 | cut -d - -f 1)
oldest=$(printf '%s\n%s\n' "$needed" "$found" | sort -V | head -n 1)
if [ "$oldest" != "$needed" ]; then
    stop "Rust $found is too old; $needed or newer is needed." \
        "With rustup: rustup update stable. Otherwise install it from https://rustup.rs."
fi

# SQLite and the cryptography are compiled from C.
if ! command -v cc >/dev/null; then
    if can_install; then
        install_packages gcc libc6-dev
    else
        stop "There is no C compiler (cc)." \
            "Debian, Ubuntu: sudo apt-get install gcc libc6-dev" \
            "Fedora: sudo dnf install gcc    macOS: xcode-select --install"
    fi
fi

if [ "$(uname -s)" = Linux ] && ! command -v bwrap >/dev/null; then
    echo "bubblewrap is not installed, so agents will not be able to run programs; everything else works." \
        "To have it: sudo apt-get install bubblewrap (Fedora: sudo dnf install bubblewrap)." >&2
fi
