#!/usr/bin/env bash
# Sees to it that the tests can run: what setup.sh wants, rustfmt, clippy, the PostgreSQL server, what programs in a
# cage need, valgrind, Node and Chromium.
# The tests start a temporary cluster of their own; no server has to run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=install.sh
source ./install.sh
./setup.sh

for component in rustfmt clippy; do
    if ! cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1; then
        command -v rustup >/dev/null || stop "cargo ${component/rustfmt/fmt} is missing." \
            "Install the package of your system that brings $component."
        rustup component add "$component"
    fi
done

has_postgres() {
    command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

if [ "${POSTGRES:-}" = skip ]; then
    echo "POSTGRES=skip: the tests on PostgreSQL are left out, and the end of the run says so." >&2
elif ! has_postgres; then
    if can_install; then
        install_packages postgresql
    else
        stop "The tests need the programs of the PostgreSQL server (initdb, pg_ctl, postgres)." \
            "Debian, Ubuntu: sudo apt-get install postgresql" \
            "Fedora: sudo dnf install postgresql-server    macOS: brew install postgresql" \
            "Without them, on SQLite alone: make test POSTGRES=skip"
    fi
    has_postgres || stop "PostgreSQL was installed, but its server programs are not in /usr/lib/postgresql."
fi

# The cage that programs run in, and what its tests run in it.
if [ "$(uname -s)" = Linux ]; then
    missing=()
    command -v bwrap >/dev/null || missing+=(bubblewrap)
    [ -x /usr/bin/python3 ] || missing+=(python3-minimal)
    for tool in unshare nsenter prlimit chrt setsid; do
        command -v "$tool" >/dev/null || missing+=(util-linux)
    done
    if [ "${#missing[@]}" -gt 0 ]; then
        can_install || stop "The tests need: ${missing[*]}" \
            "Debian, Ubuntu: sudo apt-get install ${missing[*]}    Fedora: sudo dnf install bubblewrap python3 util-linux"
        install_packages "${missing[@]}"
    fi
fi

# Nodes with different clocks.
if [ "$(uname -s)" = Linux ] && ! compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null; then
    if can_install; then
        install_packages faketime
    else
        echo "There is no libfaketime here: the test of nodes with different clocks is left out." >&2
    fi
fi

# What a piece of a reply costs is counted by valgrind.
if [ "$(uname -s)" = Linux ] && ! command -v valgrind >/dev/null; then
    if can_install; then
        install_packages valgrind
    else
        echo "There is no valgrind here: the tests that count instructions are left out." >&2
    fi
fi

# `run_python` has packages brought by uv; a test does the same with the real one, where it can be had.
if [ "$(uname -s)" = Linux ] && ! command -v uv >/dev/null && [ ! -x ../target/tools/uv/bin/uv ]; then
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --retries 0 --timeout 20 \
        --target ../target/tools/uv uv==0.13.7 || echo "There is no uv here: the test that needs it is left out." >&2
fi

# The web page is built with Node and tried in a real browser.
if ! command -v npm >/dev/null; then
    if can_install; then
        install_packages nodejs npm
    else
        stop "The web page is built and tested with Node (20.19 or newer) and npm." \
            "Debian, Ubuntu: sudo apt-get install nodejs npm    elsewhere: https://nodejs.org"
    fi
fi
if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
    if can_install; then
        install_packages chromium
    else
        stop "The tests of the web page need Chromium." \
            "Debian: sudo apt-get install chromium    elsewhere name a Chromium or Chrome: CHROMIUM=/path/to/it make test"
    fi
fi
