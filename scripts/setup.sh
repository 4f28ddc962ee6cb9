#!/usr/bin/env bash
# Checks that the program can be built, with Rust and a C compiler. Quick and silent when nothing is missing.
# Without bubblewrap the program works, but agents cannot run programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=install.sh
source ./install.sh

needed=1.95.0

if ! command -v rustc >/dev/null || ! command -v cargo >/dev/null; then
    stop "Rust is not installed, or its programs are not in PATH." \
        "Install Rust $needed or newer from https://rustup.rs, then open a new terminal and try again."
fi

found=$(rustc --version | cut -d ' ' -f 2 | cut -d - -f 1)
oldest=$(printf '%s\n%s\n' "$needed" "$found" | sort -V | head -n 1)
if [ "$oldest" != "$needed" ]; then
    stop "Rust $found is too old. Majordomo needs Rust $needed or newer." \
        "If you have rustup: rustup update stable. Otherwise install Rust from https://rustup.rs."
fi

# SQLite and the cryptography are compiled from C.
if ! command -v cc >/dev/null; then
    if can_install; then
        install_packages gcc libc6-dev
    else
        stop "There is no C compiler (cc). It is needed to build SQLite and the encryption." \
            "Debian, Ubuntu: sudo apt-get install gcc libc6-dev" \
            "Fedora: sudo dnf install gcc    macOS: xcode-select --install"
    fi
fi

if [ "$(uname -s)" = Linux ] && ! command -v bwrap >/dev/null; then
    echo "bubblewrap is not installed, so agents cannot run programs. Everything else works." \
        "To install it: sudo apt-get install bubblewrap (Fedora: sudo dnf install bubblewrap)." >&2
fi
