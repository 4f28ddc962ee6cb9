#!/usr/bin/env bash
# What the tests have left out: `begin` empties the list, `end` prints it. With CI=true an entry is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
list=${LEFT_OUT:-target/left-out}

case "${1:-}" in
begin)
    mkdir -p "$(dirname "$list")"
    : >"$list"
    # Whole files of tests that only one system has.
    if [ "$(uname -s)" != Linux ]; then
        echo "the tests of the cage that programs run in: they need Linux" >>"$list"
    fi
    ;;
end)
    if [ ! -s "$list" ]; then
        echo "Nothing was left out."
        exit 0
    fi
    echo
    echo "LEFT OUT of this run:"
    sort "$list" | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/  \2 (\1 times)/'
    if [ "${CI:-}" = true ]; then
        echo "With CI=true nothing may be left out." >&2
        exit 1
    fi
    ;;
*)
    echo "usage: $0 begin|end" >&2
    exit 2
    ;;
esac
