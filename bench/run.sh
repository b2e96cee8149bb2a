#!/usr/bin/env bash
# Measures issue, redeem, session check and the mixed flow against the hello server; appends to RESULTS.md.
#   bench/run.sh [--rounds 5] [--seconds 4] [--note TEXT]
set -euo pipefail
source "$(dirname "$0")/binaries.sh"
exec env -u DRAWBRIDGE_BINARY python3 "$root/bench/run.py" --drawbridge "$drawbridge" --hello "$hello" "$@"
