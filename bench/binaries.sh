# Sourced: finds or builds the release binaries (SCRATCH, default .build; DRAWBRIDGE_BINARY, HELLO_BINARY).
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
scratch="${SCRATCH:-$root/.build}"
hello_scratch="${SCRATCH:+$SCRATCH/bench}"
hello_scratch="${hello_scratch:-$root/bench/.build}"
drawbridge="${DRAWBRIDGE_BINARY:-$scratch/release/drawbridge}"
hello="${HELLO_BINARY:-$hello_scratch/release/bench-hello}"
if [ ! -x "$drawbridge" ]; then
    echo "Building the release binary in $scratch; a first build takes about ten minutes." >&2
    swift build -c release --scratch-path "$scratch" --package-path "$root" --product drawbridge >&2
fi
if [ ! -x "$hello" ]; then
    echo "Building the baseline in $hello_scratch; a first build takes some minutes." >&2
    swift build -c release --scratch-path "$hello_scratch" --package-path "$root/bench" --product bench-hello >&2
fi
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
