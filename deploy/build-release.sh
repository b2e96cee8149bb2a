#!/bin/bash
# Builds the program of a release, Swift's runtime inside:
#
#   deploy/build-release.sh SCRATCH     SCRATCH: a folder for nothing else, below this repository; the program is SCRATCH/release/drawbridge
#
# The folder that it is built in is no part of it: paths that compilers write into programs begin at the repository, and the
# linker makes no id of what deploy/strip.sh takes out again. One trace is left, the length of a source's path, which Swift
# keeps where it checks that a closure did not escape: so the build is so deep that every such path has the same length.
set -euo pipefail
cd "$(dirname "$0")/.."
depth=160
mkdir -p "$1"
scratch=$(realpath "$1")
missing=$((depth - $(printf %s "$scratch" | wc -c) - 1))
if [ "$missing" -lt 1 ]; then
    echo "$scratch is more than $depth bytes long; the program would not be the same as elsewhere" >&2
    exit 1
fi
place=$(head -c "$missing" /dev/zero | tr '\0' x)
for name in release checkouts workspace-state.json; do
    [ -L "$scratch/$name" ] || rm -rf "${scratch:?}/$name"
    ln -sfn "$place/$name" "$scratch/$name"
done
# Swift takes the first of these that fits, and Clang the last.
deep=$scratch/$place=./.build here=$PWD=.
maps=(-Xswiftc -file-prefix-map -Xswiftc "$deep" -Xswiftc -file-prefix-map -Xswiftc "$here")
for compiler in -Xcc -Xcxx; do
    maps+=("$compiler" "-ffile-prefix-map=$here" "$compiler" "-ffile-prefix-map=$deep")
done
exec "${SWIFT:-swift}" build -c release --static-swift-stdlib --product drawbridge --scratch-path "$scratch/$place" \
    "${maps[@]}" -Xlinker --build-id=none
