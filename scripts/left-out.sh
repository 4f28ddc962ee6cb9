#!/usr/bin/env bash
# What the tests have left out: `begin` empties the list, `end` prints it. With CI=true an entry is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
list=${LEFT_OUT:-target/left-out}

case "${1:-}" in
begin)
    mkdir -p "$(dirname "$list")"
    : >"$list"
    # Whole files of tests that run on one system only.
    if [ "$(uname -s)" != Linux ]; then
        echo "the tests of the sandbox that programs run in, because they need Linux" >>"$list"
    fi
    ;;
end)
    if [ ! -s "$list" ]; then
        echo "No test was left out."
        exit 0
    fi
    echo
    echo "Tests that were LEFT OUT of this run:"
    sort "$list" | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/  \2 (\1×)/'
    if [ "${CI:-}" = true ]; then
        echo "With CI=true no test may be left out." >&2
        exit 1
    fi
    ;;
*)
    echo "usage: $0 begin|end" >&2
    exit 2
    ;;
esac
