# Sourced: finds or builds the release binaries in a scratch path of their own (SCRATCH, default .build-release).
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
scratch="${SCRATCH:-$root/.build-release}"
drawbridge="${DRAWBRIDGE_BINARY:-$scratch/release/drawbridge}"
hello="${HELLO_BINARY:-$scratch/release/bench-hello}"
if [ ! -x "$drawbridge" ] || [ ! -x "$hello" ]; then
    echo "Building release binaries in $scratch; a first build takes about ten minutes." >&2
    swift build -c release --scratch-path "$scratch" --package-path "$root" >&2
fi
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
