#!/bin/bash
# Builds the program of a release, Swift's runtime inside:
#
#   deploy/build-release.sh SCRATCH     SCRATCH: a folder below this repository
#
# The folder that it is built in is no part of it: paths that compilers write into programs begin at the repository, and the
# linker makes no id of what deploy/strip.sh takes out again.
set -euo pipefail
cd "$(dirname "$0")/.."
exec "${SWIFT:-swift}" build -c release --static-swift-stdlib --product drawbridge --scratch-path "$1" \
    -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=." -Xcxx "-ffile-prefix-map=$PWD=." \
    -Xlinker --build-id=none
