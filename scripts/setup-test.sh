#!/usr/bin/env bash
# Installs what the tests need, or says what is missing: everything that setup.sh checks, rustfmt, clippy, the PostgreSQL server, what
# programs in the sandbox need, valgrind, Node and Chromium.
# The tests start a temporary PostgreSQL server of their own; none has to be running.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=install.sh
source ./install.sh
./setup.sh

for component in rustfmt clippy; do
    if ! cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1; then
        command -v rustup >/dev/null || stop "cargo ${component/rustfmt/fmt} is missing." \
            "Install the package of your system that contains $component."
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
        stop "PostgreSQL is not installed. The tests need its programs initdb, pg_ctl and postgres." \
            "Debian, Ubuntu: sudo apt-get install postgresql" \
            "Fedora: sudo dnf install postgresql-server    macOS: brew install postgresql" \
            "To test with SQLite only: make test POSTGRES=skip"
    fi
    has_postgres || stop "PostgreSQL was installed, but its server programs are not in /usr/lib/postgresql."
fi

# The sandbox that programs run in, and the programs that its tests run in it.
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

# For the test of servers with different clocks.
if [ "$(uname -s)" = Linux ] && ! compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null; then
    if can_install; then
        install_packages faketime
    else
        echo "libfaketime is not installed, so the test of servers with different clocks is left out." >&2
    fi
fi

# valgrind counts the instructions that a piece of a reply costs.
if [ "$(uname -s)" = Linux ] && ! command -v valgrind >/dev/null; then
    if can_install; then
        install_packages valgrind
    else
        echo "valgrind is not installed, so the tests that count instructions are left out." >&2
    fi
fi

# `run_python` installs packages with uv. A test does the same with the real uv, if it can be installed.
if [ "$(uname -s)" = Linux ] && ! command -v uv >/dev/null && [ ! -x ../target/tools/uv/bin/uv ]; then
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --retries 0 --timeout 20 \
        --target ../target/tools/uv uv==0.13.7 || echo "uv could not be installed, so the test that needs it is left out." >&2
fi

# The web page is built with Node and tried in a real browser.
if ! command -v npm >/dev/null; then
    if can_install; then
        install_packages nodejs npm
    else
        stop "Node or npm is not installed. The web page is built and tested with Node 20.19 or newer." \
            "Debian 13 or newer: sudo apt-get install nodejs npm    elsewhere: https://nodejs.org"
    fi
fi
if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
    if can_install; then
        install_packages chromium
    else
        stop "Chromium is not installed. The tests of the web page need it." \
            "Debian: sudo apt-get install chromium    If you have Chromium or Chrome elsewhere: CHROMIUM=/path/to/it make test"
    fi
fi
