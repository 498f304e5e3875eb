# Makes `.venv` in the repository ready; sourced by scripts/demo and scripts/test.
#
# `setup_venv [SPEC [pip arguments]]` installs the project, editable, as SPEC says: `.` if left out, `.[dev]` with what the
# tests need. Versions are those of scripts/constraints.txt. It is quiet and quick when nothing changed since it last
# succeeded with the same arguments; what it does, it says on stderr. `root` is the repository's folder.

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE:-$0}")/.." && pwd)

setup_venv() {
    [ $# -gt 0 ] || set -- .
    _venv_make || return 1
    # One stamp for each set of arguments: the demo and the tests do not undo each other's work.
    _stamp=$root/.venv/.installed-$(printf '%s\n' "$@" | cksum | cut -d ' ' -f 1)
    _wanted=$(_venv_digest "$@")
    if [ -f "$_stamp" ] && [ "$(cat "$_stamp")" = "$_wanted" ]; then
        return 0
    fi
    echo "Installing affidavit and what it needs into .venv ..." >&2
    if ! (cd "$root" && _venv_install "$@") >&2; then
        echo "The installation failed; what pip said stands above. The same command again goes on from here." >&2
        return 1
    fi
    printf '%s\n' "$_wanted" >"$_stamp"
}

_venv_install() {
    if [ -f scripts/constraints.txt ]; then
        set -- "$@" --constraint scripts/constraints.txt
    fi
    .venv/bin/python -m pip --disable-pip-version-check install --quiet --editable "$@"
}

# Prints a digest of everything that decides what is installed: the folder too, which an editable install points to.
_venv_digest() {
    {
        echo "$root"
        "$root/.venv/bin/python" --version
        (
            cd "$root" || exit 1
            for _file in pyproject.toml scripts/constraints.txt "$@"; do
                echo "$_file"
                if [ -f "$_file" ]; then cat "$_file"; fi
            done
        )
    } | cksum
}

_venv_make() {
    if "$root/.venv/bin/python" -c 'import pip' 2>/dev/null; then
        return 0
    fi
    _base=$(_venv_base) || return 1
    if ! "$_base" -c 'import ensurepip, venv' 2>/dev/null; then
        _package=$("$_base" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        echo "$_base cannot make virtual environments; the Debian package $_package is needed:" >&2
        echo "    sudo apt install $_package" >&2
        return 1
    fi
    echo "Making the virtual environment .venv with $("$_base" --version) ..." >&2
    "$_base" -m venv --clear "$root/.venv"
}

# Prints the interpreter to build on: python3.11, else a python3 that is no older.
_venv_base() {
    for _candidate in python3.11 python3; do
        if "$_candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$_candidate"
            return 0
        fi
    done
    echo "Python 3.11 or newer is needed; on Debian 12 and later it is in the packages python3 and python3-venv:" >&2
    echo "    sudo apt install python3 python3-venv" >&2
    return 1
}
