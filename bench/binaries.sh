# Sourced: finds or builds the release binaries (SCRATCH, default .build; DRAWBRIDGE_BINARY, HELLO_BINARY).
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
scratch="${SCRATCH:-$root/.build}"
drawbridge="${DRAWBRIDGE_BINARY:-$scratch/release/drawbridge}"
hello="${HELLO_BINARY:-$scratch/release/bench-hello}"
if [ ! -x "$drawbridge" ] || [ ! -x "$hello" ]; then
    echo "Building release binaries in $scratch; a first build takes about ten minutes." >&2
    for product in drawbridge bench-hello; do
        swift build -c release --scratch-path "$scratch" --package-path "$root" --product "$product" >&2
    done
fi
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
