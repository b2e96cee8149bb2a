# Sourced: starts a throwaway PostgreSQL and a throwaway Redis, durable as shipped; says where in $database and $redis.
#   BENCH_SETTINGS   further lines for postgresql.conf
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
stores=$(mktemp -d "${BENCH_SCRATCH:-${TMPDIR:-/tmp}}/bench-stores-XXXXXX")
as_server() {
    if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi
}
stop_stores() {
    cd /
    [ -z "${redis_process:-}" ] || kill "$redis_process" 2>/dev/null || true
    as_server "$programs/pg_ctl" stop -s -m immediate -D "$stores/server/data" || true
    rm -rf "$stores"
}
trap stop_stores EXIT
trap 'exit 143' INT TERM
chmod 755 "$stores"
mkdir -m 700 "$stores/server"
if [ "$(id -u)" = 0 ]; then chown postgres: "$stores/server"; fi
as_server "$programs/initdb" -D "$stores/server/data" -U drawbridge -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
printf '%s\n' "${BENCH_SETTINGS:-}" | as_server tee -a "$stores/server/data/postgresql.conf" >/dev/null
as_server "$programs/pg_ctl" start -w -s -D "$stores/server/data" -l "$stores/server/log" \
    -o "-c listen_addresses= -c unix_socket_directories=$stores/server -c unix_socket_permissions=0777"
chmod 755 "$stores/server"
database="postgres://drawbridge@/postgres?host=$stores/server"
redis_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
redis-server --port "$redis_port" --bind 127.0.0.1 --save "" --appendonly no --daemonize no >"$stores/redis.log" </dev/null &
redis_process=$!
redis="redis://127.0.0.1:$redis_port"
until [ "$(redis-cli -p "$redis_port" ping 2>/dev/null)" = PONG ]; do sleep 0.05; done
