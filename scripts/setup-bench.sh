#!/usr/bin/env bash
# Fetches the peers that `make bench` compares with. One that cannot be had is reported as not run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../benches/peers"

if command -v npm >/dev/null; then
    [ -d node_modules/express ] && [ -d node_modules/htmlparser2 ] || npm install --no-audit --no-fund --no-package-lock --loglevel=error \
        || echo "npm could not fetch Express and htmlparser2; they will be reported as not run." >&2
else
    echo "There is no npm; Express and htmlparser2 will be reported as not run." >&2
fi
