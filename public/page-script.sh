#!/bin/sh
# Prints assets/drawbridge.js: the module of clients/js that watches a page's session, as a classic script.
set -eu
cd "$(dirname "$0")"
cat <<'HEAD'
// Built from clients/js/page.mjs by public/page-script.sh: edit that, then run `make assets`.
"use strict";

(() => {
HEAD
sed 's/^export //' ../clients/js/page.mjs
cat <<'FOOT'

self.drawbridge = watchSession({ flag: document.currentScript?.dataset.sessionFlag });
})();
FOOT
