#!/bin/bash
# Tries the archive and the package of deploy/release.sh in a bare Debian 12 without Swift, as root:
#
#   deploy/test-release.sh FOLDER [ROOT]      FOLDER: where the two files are; ROOT: a debootstrapped root, kept and used again
#
# ROOT is made where it is missing, and becomes dirty. Nothing is started outside of it.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath "$1")
archive=$(ls "$out"/drawbridge-*-linux-*.tar.gz) package=$(ls "$out"/drawbridge_*.deb)
if [ -n "${2:-}" ]; then root=$2; else root=$(mktemp -d) && scratch=$root; fi
[ -x "$root/usr/bin/dpkg" ] || debootstrap --variant=minbase bookworm "$root" >"$out/debootstrap.log"
# A scratch folder is its owner's alone, and the service's account must get to its root.
chmod 0755 "$root"
running=
clean() {
    [ -z "$running" ] || kill "$running" 2>/dev/null || true
    umount "$root/proc" "$root/dev" 2>/dev/null || true
    [ -z "${scratch:-}" ] || rm -rf "$scratch"
}
trap clean EXIT
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
into=(chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
inside() { "${into[@]}" "$@"; }
say() { echo "* $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# start URL WORDS…: runs them inside until URL answers 200.
start() {
    local url=$1
    shift
    # Not by the function: the shell between would get the signal that is meant for the program.
    "${into[@]}" "$@" >"$out/inside.log" 2>&1 &
    running=$!
    for _ in $(seq 300); do
        [ "$(curl -s -o /dev/null -w '%{http_code}' "$url" || true)" != 200 ] || return 0
        kill -0 "$running" 2>/dev/null || break
        sleep 0.1
    done
    cat "$out/inside.log" >&2
    fail "$url does not answer"
}
stop() { kill "$running" && wait "$running" || fail "it did not end with status 0"; running=; }

[ -z "$(find "$root" -xdev -name 'libswift*' -not -path '*/proc/*')" ] || fail "Swift is there already"

# The archive, by the lines of its own README.
rm -rf "$root/tmp/try" && mkdir "$root/tmp/try"
tar -xzf "$archive" -C "$root/tmp/try" --strip-components 1
line=$(grep '^apt-get install' "$root"/tmp/try/README*)
inside apt-get update -qq
inside bash -c "$line -qq -y" >"$out/apt.log" 2>&1 || { cat "$out/apt.log"; fail "$line"; }
inside ldd /tmp/try/bin/drawbridge | grep 'not found' && fail "a library is missing"
port=$(free_port)
began=$(date +%s%N)
start "http://127.0.0.1:$port/" /tmp/try/bin/drawbridge demo --listen "127.0.0.1:$port"
say "the archive's demo answers after $((($(date +%s%N) - began) / 1000000)) ms"
stop
inside /tmp/try/bin/drawbridge demo --listen "0.0.0.0:$port" >"$out/inside.log" 2>&1 && fail "the demo listens for everybody"
grep -q -e --open-to-network "$out/inside.log" || fail "the refusal does not say how"
start "http://127.0.0.1:$port/" /tmp/try/bin/drawbridge demo --listen "0.0.0.0:$port" --open-to-network
stop
say "beyond loopback only when asked"

# From the package to the first landing, by the lines of docs/first-landing.md, but for systemctl, which needs a booted
# system, and the port, which somebody may have here.
inside dpkg --purge drawbridge >/dev/null 2>&1 || true
rm -rf "$root/tmp/landing" && mkdir "$root/tmp/landing"
cp "$package" "$root/tmp/landing/"
blocks=$(sed "s/127\.0\.0\.1:8080/127.0.0.1:$port/; s/127\.0\.0\.1:8081/127.0.0.1:$(free_port)/" docs/first-landing.md)
block() { awk -v n="$1" '/^```sh$/ { i++; on = i == n; next } /^```$/ { on = 0 } on' <<<"$blocks"; }
began=$(date +%s)
inside bash -euc "cd /tmp/landing && $(block 1)" >"$out/apt.log" 2>&1 || { cat "$out/apt.log"; fail "the package does not install"; }
inside bash -euc "$(block 2)"
inside bash -euc "$(block 3)" >"$out/inside.log" 2>&1 || { cat "$out/inside.log"; fail "$(block 3)"; }
[ "$(block 4)" = "systemctl enable --now drawbridge" ] || fail "it starts otherwise"
start "http://127.0.0.1:$port/.well-known/openid-configuration" setpriv --reuid drawbridge --regid drawbridge \
    --clear-groups /usr/bin/drawbridge serve --config /etc/drawbridge/drawbridge.yaml
inside bash -euc "cd /tmp/landing; $(block 5; block 6; block 7)" >"$out/landing.log" 2>&1 || { cat "$out/landing.log"; fail "nothing landed"; }
grep -q "^303 http://127.0.0.1:$port/contacts$" "$out/landing.log" || { cat "$out/landing.log"; fail "it landed elsewhere"; }
grep -q '"login:alice"' "$out/landing.log" || { cat "$out/landing.log"; fail "nobody is signed in"; }
took=$(($(date +%s) - began))
[ "$took" -le 300 ] || fail "the first landing took $took seconds"
say "from the package to the first landing in $took s"
stop
inside dpkg --purge drawbridge >/dev/null 2>&1 || fail "it is not purged"
[ -s "$root/etc/drawbridge/backend-secret" ] || fail "purging took a file that is the operator's own"
rm -r "$root/etc/drawbridge"

# The package.
inside dpkg --purge drawbridge >/dev/null 2>&1 || true
cp "$package" "$root/tmp/drawbridge.deb"
inside apt-get install -qq -y --no-install-recommends /tmp/drawbridge.deb >"$out/apt.log" 2>&1 || { cat "$out/apt.log"; fail "the package does not install"; }
[ "$(inside stat -c '%U %a' /var/lib/drawbridge)" = "drawbridge 700" ] || fail "the data folder is not the account's alone"
for shell in bash-completion/completions/drawbridge zsh/vendor-completions/_drawbridge fish/vendor_completions.d/drawbridge.fish; do
    [ -s "$root/usr/share/$shell" ] || fail "no $shell"
done
inside systemd-analyze verify --man=no /usr/lib/systemd/system/drawbridge.service || fail "systemd does not take the unit"
say "installed"
cat >"$root/etc/drawbridge/drawbridge.yaml" <<END
public_origin: http://127.0.0.1:$port
listen: 127.0.0.1:$port
management_listen: 127.0.0.1:$(free_port)
END
# What drawbridge.yaml says is left to do, but for systemctl, which needs a booted system.
grep -hE '^# +(drawbridge|runuser) ' deploy/debian/drawbridge.yaml | sed 's/^# *//' | while read -r line; do
    inside bash -c "$line" >"$out/inside.log" 2>&1 || { cat "$out/inside.log"; fail "$line"; }
done
# As the unit does: its command, as its user.
serve() {
    local words=(/usr/bin/drawbridge serve --config /etc/drawbridge/drawbridge.yaml)
    start "http://127.0.0.1:$port/.well-known/openid-configuration" setpriv --reuid drawbridge --regid drawbridge --clear-groups "${words[@]}"
}
serve
stop
keys=$(sha256sum "$root/var/lib/drawbridge/master-key")
say "it serves as its user"

rm -rf "$root/tmp/next" && dpkg-deb -R "$package" "$root/tmp/next"
sed -i 's/^Version: .*/&+next/' "$root/tmp/next/DEBIAN/control"
echo '# of the next version' >>"$root/tmp/next/etc/drawbridge/drawbridge.yaml"
dpkg-deb --root-owner-group -Znone --build "$root/tmp/next" "$root/tmp/next.deb" >/dev/null
inside dpkg --force-confdef --force-confold -i /tmp/next.deb >"$out/apt.log" 2>&1 || { cat "$out/apt.log"; fail "it does not upgrade"; }
grep -q "$port" "$root/etc/drawbridge/drawbridge.yaml" || fail "an upgrade took the settings"
[ "$keys" = "$(sha256sum "$root/var/lib/drawbridge/master-key")" ] || fail "an upgrade took the keys"
serve
stop
say "an upgrade keeps settings, keys and database"

inside dpkg --remove drawbridge >/dev/null 2>&1 || fail "it is not removed"
[ ! -e "$root/usr/bin/drawbridge" ] || fail "the program stayed"
grep -q "$port" "$root/etc/drawbridge/drawbridge.yaml" || fail "removal took the settings"
[ -s "$root/var/lib/drawbridge/master-key" ] || fail "removal took the keys"
inside dpkg --purge drawbridge >/dev/null 2>&1 || fail "it is not purged"
[ ! -e "$root/var/lib/drawbridge" ] && [ ! -e "$root/etc/drawbridge" ] || fail "purging left something"
say "removal keeps them, purging does not"
