#!/usr/bin/env bash
# The audit log with ten million events: how long every filter of the console takes, how fast export and verification are.
#   bench/audit.sh [--events 10000000] [--engine sqlite|postgres|both] [--requests 200] [--keep FOLDER] [--offline]
# DRAWBRIDGE_BINARY names the binary; the data (about 9 GB an engine for ten million) goes to BENCH_SCRATCH or TMPDIR.
# --offline writes an export too (7 GB for ten million) and verifies it with the public key alone.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
drawbridge="${DRAWBRIDGE_BINARY:-${SCRATCH:-$root/.build}/release/drawbridge}"
[ -x "$drawbridge" ] || { echo "No binary at $drawbridge: swift build -c release --product drawbridge" >&2; exit 1; }
events=10000000 engine=both requests=200 keep= offline=
while [ $# -gt 0 ]; do
    case "$1" in
    --offline) offline=--offline; shift; continue ;;
    --events) events=$2 ;; --engine) engine=$2 ;; --requests) requests=$2 ;; --keep) keep=$2 ;;
    *) sed -n 2,5p "$0" >&2; exit 64 ;;
    esac
    shift 2
done
case "$engine" in sqlite | postgres | both) ;; *) sed -n 2,5p "$0" >&2; exit 64 ;; esac

measure() { # DATA-FOLDER [DATABASE]
    python3 bench/audit.py --drawbridge "$drawbridge" --events "$events" --requests "$requests" $offline --data "$@"
}

if [ "$engine" != postgres ]; then
    data="${keep:-$(mktemp -d "${BENCH_SCRATCH:-${TMPDIR:-/tmp}}/bench-audit-XXXXXX")}"
    mkdir -p "$data"
    [ -n "$keep" ] || trap 'rm -rf "$data"' EXIT
    measure "$data"
    [ -n "$keep" ] || rm -rf "$data"
fi
if [ "$engine" != sqlite ]; then
    # Filling writes no log, so that it takes minutes and not an hour; everything that is measured only reads.
    BENCH_SETTINGS=$'shared_buffers = 512MB\nmaintenance_work_mem = 1GB\nwal_level = minimal\nmax_wal_senders = 0\nmax_wal_size = 4GB'
    source bench/stores.sh
    mkdir "$stores/demo"
    measure "$stores/demo" --database "$database"
fi
