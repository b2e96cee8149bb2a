#!/usr/bin/env bash
# Look-ups and purging in a PostgreSQL that has held much for long, and what a row costs on disk.
#   bench/large.sh [--sessions 1000000] [--events 10000000] [--subjects 100000] [--seconds 10]
set -euo pipefail
cd "$(dirname "$0")/.."
sessions=1000000 events=10000000 subjects=100000 seconds=10
while [ $# -gt 0 ]; do
    case "$1" in
    --sessions) sessions=$2 ;; --events) events=$2 ;; --subjects) subjects=$2 ;; --seconds) seconds=$2 ;;
    *) sed -n 2,3p "$0" >&2; exit 64 ;;
    esac
    shift 2
done
binary="${BENCH_STORAGE:-$PWD/.build/release/bench-storage}"
[ -x "$binary" ] || swift build -c release --product bench-storage
# Filling writes no log, so that it takes minutes and not an hour; what is measured afterwards writes it as ever.
BENCH_SETTINGS=$'shared_buffers = 1GB\nmaintenance_work_mem = 1GB\nwal_level = minimal\nmax_wal_senders = 0\nmax_wal_size = 4GB'
source bench/stores.sh
"$binary" migrate "$database"
fill=$PWD/bench/large.sql
sql() { "$programs/psql" -XqAt -v ON_ERROR_STOP=1 -v sessions="$sessions" -v events="$events" -v subjects="$subjects" "$database" "$@"; }
echo "Filling: $sessions sessions, $events events, $subjects users"
sql -f "$fill"
echo "Bytes a row (table, with its indexes):"
sql -F ' ' -c "
    SELECT format('  %-18s %12s rows  %5s  %5s', relname, n, pg_table_size(oid) / n, pg_total_relation_size(oid) / n)
    FROM (SELECT oid, relname, reltuples::bigint AS n FROM pg_class
          WHERE relname IN ('web_session', 'audit_event', 'login_token_use', 'app_user')) t WHERE n > 0 ORDER BY 1"
"$binary" large "$database" "$sessions" "$subjects" "$seconds"
