#!/usr/bin/env bash
# Throws random text at the parsers. SECONDS_EACH: how long each target runs; TARGETS: which; RUNS: instead of a time, how often.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "Installing cargo-fuzz …" >&2
    cargo install cargo-fuzz --locked
fi
command -v c++ >/dev/null || {
    echo "There is no C++ compiler (c++), which the fuzzing engine needs. Debian, Ubuntu: sudo apt-get install g++" >&2
    exit 1
}

# cargo-fuzz uses flags that the stable compiler has but does not offer by itself.
export RUSTC_BOOTSTRAP=1
if [ -n "${RUNS:-}" ]; then limit="-runs=$RUNS"; else limit="-max_total_time=${SECONDS_EACH:-60}"; fi

for target in ${TARGETS:-$(cargo fuzz list)}; do
    echo "== $target" >&2
    mkdir -p "fuzz/corpus/$target"
    # Time limit per input: a slow text is as bad as a panic.
    nice -n 10 cargo fuzz run --sanitizer none --release "$target" "fuzz/corpus/$target" crates/markup/corpus -- \
        "$limit" -dict=fuzz/markup.dict -max_len=4096 -timeout=5 -print_final_stats=1 -verbosity=0
done
