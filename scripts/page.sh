#!/usr/bin/env bash
# Builds the web page into web/dist. Quick and silent when the page has not changed. Where Node is missing it says so and
# continues: the program then serves a page that says how to build it. With --must it stops instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=install.sh
source ./install.sh
cd ../web

advice=("Install Node 20.19 or newer with npm. Debian 13 or newer: sudo apt-get install nodejs npm. Elsewhere: https://nodejs.org.")
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    [ "${1:-}" = --must ] && stop "Node (with npm) is not installed. It is needed to build the web page." "${advice[@]}"
    printf '%s\n' "Node (with npm) is not installed, so the program starts without its web page. Everything else works." "${advice[@]}" >&2
    exit 0
fi
found=$(node --version | tr -d v)
if [ "$(printf '%s\n20.19.0\n' "$found" | sort -V | head -n 1)" != 20.19.0 ]; then
    [ "${1:-}" = --must ] && stop "Node $found is too old to build the web page." "${advice[@]}"
    printf '%s\n' "Node $found is too old, so the program starts without its web page. Everything else works." "${advice[@]}" >&2
    exit 0
fi

if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    # Not `npm ci`: it refuses a lock file without addresses when packages for other machines are optional.
    npm install --no-save --no-audit --no-fund --loglevel=error
fi
if [ -e dist/index.html ] && [ -z "$(find src scripts index.html vite.config.ts package-lock.json -newer dist/index.html -print -quit)" ]; then
    exit 0
fi
npm run --silent build
