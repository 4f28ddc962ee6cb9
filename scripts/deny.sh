#!/usr/bin/env bash
# Licences, banned crates and sources of everything that is built in, and what is known against it (RustSec).
# With CI=true everything must have been checked. ADVISORIES=skip says that the known weaknesses are looked at elsewhere.
set -euo pipefail

unchecked() {
    {
        echo
        echo "NOT CHECKED: $1"
        printf '  %s\n' "${@:2}"
        echo
    } >&2
    [ "${CI:-}" != true ] || exit 1
}

if ! cargo deny --version >/dev/null 2>&1; then
    unchecked "licences, banned crates, sources and known weaknesses: cargo deny is not installed." \
        "To have them checked: cargo install cargo-deny --locked"
    exit 0
fi
cargo deny --log-level error check licenses bans sources

# A list of weaknesses that was fetched before is better than none; without any, nothing is known.
if [ "${ADVISORIES:-}" = skip ]; then
    echo "ADVISORIES=skip: known weaknesses of what is built in were not looked for." >&2
elif cargo deny --log-level error fetch db; then
    cargo deny --log-level error check advisories
elif compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-db*/*" >/dev/null; then
    echo "The list of known weaknesses cannot be fetched; the one of the last time is used." >&2
    cargo deny --log-level error --offline check advisories
else
    unchecked "known weaknesses of what is built in: their list cannot be fetched, and there is none of before." \
        "It comes from https://github.com/rustsec/advisory-db. Where that is out of reach and somebody else looks at it:" \
        "ADVISORIES=skip make check"
fi
