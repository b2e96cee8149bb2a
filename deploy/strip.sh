#!/bin/bash
# Writes a program without what its compiler kept for itself:
#
#   deploy/strip.sh PROGRAM OUT
#
# Symbols, and a digest for each object of how it was compiled. Those name the folder, so two builds of one commit would
# differ in nothing else. They are part of what is loaded, so they are blanked and not removed.
set -euo pipefail
strip -o "$2" "$1"
size=$(readelf -SW "$2" | sed -nE 's/.* \.swift_modhash +PROGBITS +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) .*/\1/p')
if [ -n "$size" ]; then
    zeros=$(mktemp)
    trap 'rm -f "$zeros"' EXIT
    head -c "$((16#$size))" /dev/zero >"$zeros"
    objcopy --update-section .swift_modhash="$zeros" "$2"
fi
