#!/usr/bin/env bash
# Like run.sh, with a node on a throwaway PostgreSQL and a throwaway Redis instead of the embedded stores.
#   bench/shared.sh [--rounds 5] [--seconds 4] [--note TEXT]
set -euo pipefail
source "$(dirname "$0")/binaries.sh"
source "$root/bench/stores.sh"
env -u DRAWBRIDGE_BINARY python3 "$root/bench/run.py" --drawbridge "$drawbridge" --hello "$hello" \
    --database "$database" --redis "$redis" "$@"
