# Used by the set-up scripts: installs packages on Debian, Ubuntu and similar systems, without asking.

can_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }
}

# The package lists may be missing or older than the packages, so they are refreshed first; callers come here
# only when something is missing.
install_packages() {
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo)
    fi
    echo "Installing with apt-get: $*" >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

stop() {
    { echo; printf '%s\n' "$@"; } >&2
    exit 1
}
