#!/usr/bin/env bash
# Measures the exchange of a device secret for a web view's cookies against the hello server; prints a table, and
# appends it to a file that is named.
#   bench/exchange.sh [--rounds 5] [--seconds 4] [--apps 8] [--database URL] [--redis URL] [--results FILE]
set -euo pipefail
source "$(dirname "$0")/binaries.sh"
exec env -u DRAWBRIDGE_BINARY python3 "$root/bench/exchange.py" --drawbridge "$drawbridge" --hello "$hello" "$@"
