#!/usr/bin/env bash
# Opens a million sessions and says how much memory the server holds; appends to RESULTS.md.
#   bench/memory.sh [--sessions 1000000]
set -euo pipefail
source "$(dirname "$0")/binaries.sh"
exec env -u DRAWBRIDGE_BINARY python3 "$root/bench/memory.py" --drawbridge "$drawbridge" "$@"
