#!/usr/bin/env bash
# Measures the token side of the provider against the hello server: refresh, introspection, userinfo, client credentials.
#   bench/provider.sh [--rounds 5] [--seconds 4] [--note TEXT] [--results FILE]
set -euo pipefail
source "$(dirname "$0")/binaries.sh"
exec env -u DRAWBRIDGE_BINARY python3 "$root/bench/provider.py" --drawbridge "$drawbridge" --hello "$hello" "$@"
