#!/usr/bin/env bash
# Our Redis client beside redis-benchmark, on SET NX PX, on a throwaway server.
#   bench/redis.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
binary="${BENCH_STORAGE:-$PWD/.build/release/bench-storage}"
[ -x "$binary" ] || swift build -c release --product bench-storage
source bench/stores.sh
for round in 1 2 3; do
    echo "redis-benchmark -c 50 -P 1: $(redis-benchmark -p "$redis_port" -c 50 -P 1 -n 300000 -r 100000000 --csv \
        SET key:__rand_int__ 1 NX PX 70000 | tail -1)"
    "$binary" redis "$redis" "${1:-3}"
done
