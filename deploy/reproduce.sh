#!/bin/bash
# Builds the release of the last commit twice, from two clones in two folders, and compares what comes out:
#
#   deploy/reproduce.sh [FOLDER]        FOLDER: where both are built and left; without it they are removed
#
# Their names are not equally long, on purpose. Ends with 1, and leaves what differs to be looked at, when one byte of the
# program, the archive or the package does.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${1:-}" ]; then mkdir -p "$1" && folder=$(realpath "$1"); else folder=$(mktemp -d) && scratch=$folder; fi
# What is committed meanwhile is in neither: a release has its commit's time in it.
commit=$(git rev-parse HEAD)
for name in first another-one; do
    git clone -q --no-hardlinks . "$folder/$name"
    git -C "$folder/$name" checkout -q --detach "$commit"
    (cd "$folder/$name" && deploy/build-release.sh .build-release \
        && deploy/release.sh .build-release/release/drawbridge .build-release out \
        && deploy/strip.sh .build-release/release/drawbridge out/drawbridge)
done
(cd "$folder/first/out" && sha256sum -- *)
diff -r "$folder/first/out" "$folder/another-one/out" || { echo "They differ: $folder" >&2; exit 1; }
echo "The same bytes from both."
[ -z "${scratch:-}" ] || rm -rf "$scratch"
