#!/usr/bin/env bash
# Checks the licences, the sources and the known weaknesses (RustSec) of every crate that the program is built from, and that it has
# none of the banned crates. With CI=true a check that could not be made is a failure. ADVISORIES=skip leaves out the known weaknesses, for a place
# where another machine checks them.
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
        "To check them, install it: cargo install cargo-deny --locked"
    exit 0
fi
cargo deny --log-level error check licenses bans sources

# An earlier copy of the list is better than none; without one nothing can be checked.
if [ "${ADVISORIES:-}" = skip ]; then
    echo "ADVISORIES=skip: known weaknesses of the crates were not checked." >&2
elif cargo deny --log-level error fetch db; then
    cargo deny --log-level error check advisories
elif compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-db*/*" >/dev/null; then
    echo "The list of known weaknesses cannot be fetched. The list from the last time is used." >&2
    cargo deny --log-level error --offline check advisories
else
    unchecked "known weaknesses of the crates: the list cannot be fetched, and there is no earlier copy of it." \
        "The list is at https://github.com/rustsec/advisory-db. If you cannot reach it here and another machine checks the weaknesses:" \
        "ADVISORIES=skip make check"
fi
