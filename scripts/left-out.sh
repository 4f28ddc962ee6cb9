#!/usr/bin/env bash
# What the tests have left out, and what they did in a shorter way than `make` can.
#   begin           empties both lists
#   end             prints them. With CI=true a test that was left out is a failure; a shorter run is none.
#   during COMMAND  begins, runs the command, and prints the lists also after a failure, whose exit code it keeps
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
list=${LEFT_OUT:-target/left-out}
shorter=$list-shorter

begin() {
    mkdir -p "$(dirname "$list")"
    : >"$list"
    : >"$shorter"
    # Whole files of tests that run on one system only.
    if [ "$(uname -s)" != Linux ]; then
        echo "the tests of the sandbox that programs run in, because they need Linux" >>"$list"
    fi
}

end() {
    if [ -s "$shorter" ]; then
        echo
        echo "Tests that were SHORTER in this run:"
        sort -u "$shorter" | sed 's/^/  /'
    fi
    if [ ! -s "$list" ]; then
        echo "No test was left out."
        return 0
    fi
    echo
    echo "Tests that were LEFT OUT of this run:"
    sort "$list" | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/  \2 (\1×)/'
    if [ "${CI:-}" = true ]; then
        echo "With CI=true no test may be left out." >&2
        return 1
    fi
}

case "${1:-}" in
begin) begin ;;
end) end ;;
during)
    shift
    begin
    status=0
    "$@" || status=$?
    if ! end && [ "$status" -eq 0 ]; then
        status=1
    fi
    exit "$status"
    ;;
*)
    echo "usage: $0 begin|end|during COMMAND" >&2
    exit 2
    ;;
esac
