#!/usr/bin/env bash
# What group commit brings on PostgreSQL: issues and redemptions a second by callers, on a throwaway server.
#   bench/group-commit.sh [SECONDS]      one caller is a transaction and a disk flush for each write
set -euo pipefail
cd "$(dirname "$0")/.."
binary="${BENCH_STORAGE:-.build/release/bench-storage}"
[ -x "$binary" ] || swift build -c release --product bench-storage
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
folder=$(mktemp -d)
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi; }
chmod 755 "$folder"
mkdir -m 700 "$folder/server"
if [ "$(id -u)" = 0 ]; then chown postgres: "$folder/server"; fi
trap 'cd /; as "$programs/pg_ctl" stop -s -m immediate -D "$folder/server/data"; rm -rf "$folder"' EXIT
as "$programs/initdb" -D "$folder/server/data" -U drawbridge -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
as "$programs/pg_ctl" start -w -s -D "$folder/server/data" -l "$folder/server/log" \
    -o "-c listen_addresses= -c unix_socket_directories=$folder/server -c unix_socket_permissions=0777"
chmod 755 "$folder/server"
"$binary" "postgres://drawbridge@/postgres?host=$folder/server" "${1:-3}"
