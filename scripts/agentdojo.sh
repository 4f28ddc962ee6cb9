#!/usr/bin/env bash
# Fetches AgentDojo from PyPI into target/tools and writes its pairs to target/agentdojo.json, once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
pairs=target/agentdojo.json
[ ! -s "$pairs" ] || exit 0
venv=target/tools/agentdojo
mkdir -p target/tools
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
# Without what talks to models: nothing of it is used.
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps agentdojo==0.1.35 pydantic pydantic-core typing-extensions \
    annotated-types typing-inspection pyyaml deepdiff orderly-set cachebox docstring-parser email-validator dnspython idna
"$venv/bin/python" scripts/agentdojo_pairs.py "$pairs.new"
mv "$pairs.new" "$pairs"
