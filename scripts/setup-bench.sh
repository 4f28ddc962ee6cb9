#!/usr/bin/env bash
# Fetches the libraries that `make bench` compares Majordomo with. One that cannot be fetched is reported as not run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../benches/peers"

if command -v npm >/dev/null; then
    [ -d node_modules/express ] && [ -d node_modules/htmlparser2 ] || npm install --no-audit --no-fund --no-package-lock --loglevel=error \
        || echo "npm could not fetch Express and htmlparser2. They will be reported as not run." >&2
else
    echo "npm is not installed. Express and htmlparser2 will be reported as not run." >&2
fi
