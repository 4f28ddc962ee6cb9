#!/usr/bin/env bash
# Licences, banned crates and sources of everything that is built in. Advisories would need a network.
set -euo pipefail

if cargo deny --version >/dev/null 2>&1; then
    cargo deny --log-level error check licenses bans sources
else
    echo "cargo deny is not installed, so licences and sources were not checked." \
        "To have them checked: cargo install cargo-deny --locked" >&2
fi
