#!/usr/bin/env bash
# What group commit brings on PostgreSQL: issues and redemptions a second by callers, on a throwaway server.
#   bench/group-commit.sh [SECONDS]      one caller is a transaction and a disk flush for each write
set -euo pipefail
cd "$(dirname "$0")/.."
binary="${BENCH_STORAGE:-$PWD/.build/release/bench-storage}"
[ -x "$binary" ] || swift build -c release --product bench-storage
source bench/stores.sh
"$binary" commits "$database" "${1:-3}"
