#!/usr/bin/env bash
# Builds the program of an earlier commit, for tests that run it beside this one:
#   scripts/previous.sh COMMIT            puts target/previous/majordomo-under-test there
#   scripts/previous.sh --record COMMIT   writes what it says to PostgreSQL into crates/store/previous.sql, as each release does
set -euo pipefail
cd "$(dirname "$0")/.."
record=
if [ "${1:-}" = --record ]; then
  record=1
  shift
fi
commit=$(git rev-parse --verify "${1:?which commit?}^{commit}")
root=$PWD
tree=$root/target/previous/tree
mkdir -p target/previous
if [ -d "$tree" ]; then
  git -C "$tree" checkout --quiet --detach "$commit"
else
  git worktree prune
  git worktree add --quiet --detach "$tree" "$commit"
fi
# A folder of its own: in a common one, cargo takes the files of one tree for those of the other.
export CARGO_TARGET_DIR=$root/target/previous/target
if [ -n "$record" ]; then
  (cd "$tree" && RECORD_STATEMENTS="$root/crates/store/previous.sql" \
    cargo test --workspace --test conformance -- every_statement_finds_its_rows_by_an_index)
  exit
fi
(cd "$tree" && cargo build --workspace --bin majordomo-under-test)
cp "$CARGO_TARGET_DIR/debug/majordomo-under-test" target/previous/majordomo-under-test
