#!/usr/bin/env bash
# The main road at an empty database and at a full one; appends to RESULTS.md. With --shared over PostgreSQL and Redis.
#   bench/filled.sh [--shared] [--sessions 1000000] [--events 10000000] [--users 20000] [--seconds 8] [--note TEXT]
set -euo pipefail
source "$(dirname "$0")/binaries.sh"
where=()
if [ "${1:-}" = --shared ]; then
    shift
    source "$root/bench/stores.sh"
    where=(--database "$database" --redis "$redis" --process "$redis_process"
        --process "$(head -1 "$stores/server/data/postmaster.pid")")
fi
env -u DRAWBRIDGE_BINARY python3 "$root/bench/filled.py" --drawbridge "$drawbridge" ${where[@]+"${where[@]}"} "$@"
