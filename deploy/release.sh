#!/bin/bash
# Makes the archive and the Debian package of a binary that is already built, and of nothing but that and the repository:
#
#   deploy/release.sh BINARY BUILD FOLDER     BUILD: the build's scratch folder; FOLDER: where the two files go
#
# Swift's runtime is inside the binary. SQLite, libpq and hiredis, and with them OpenSSL and Kerberos, are not: they are
# Debian's, which mends them; copies in an archive would stay as they were on the day of the release (docs/operations.md).
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$(realpath "$1") build=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
version=$("$binary" --version)
architecture=$(dpkg --print-architecture)
# Two runs over one commit give the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

if readelf -d "$binary" | grep -q 'NEEDED.*libswift'; then
    echo "$binary needs Swift's libraries; build it with --static-swift-stdlib" >&2
    exit 1
fi
deploy/strip.sh "$binary" "$work/drawbridge"
install -D -m 0755 "$work/drawbridge" "$root/usr/bin/drawbridge"
install -D -m 0644 deploy/drawbridge.service "$root/usr/lib/systemd/system/drawbridge.service"
# The unit is written for a program that was put there by hand.
sed -i -e 's,/usr/local/bin/,/usr/bin/,' -e '1,/^\[Unit\]/{/^#/d}' "$root/usr/lib/systemd/system/drawbridge.service"
install -D -m 0644 deploy/debian/sysusers.conf "$root/usr/lib/sysusers.d/drawbridge.conf"
share=$root/usr/share
deploy/manual.py "$binary" "$work/man"
install -D -m 0644 -t "$share/man/man1" "$work/man/drawbridge.1"
install -D -m 0644 -t "$share/man/man5" "$work/man/drawbridge.yaml.5"
gzip -9n "$share"/man/man*/*
mkdir -p "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
"$binary" --generate-completion-script bash >"$share/bash-completion/completions/drawbridge"
"$binary" --generate-completion-script zsh >"$share/zsh/vendor-completions/_drawbridge"
"$binary" --generate-completion-script fish >"$share/fish/vendor_completions.d/drawbridge.fish"
doc=$share/doc/drawbridge
mkdir -p "$doc"
install -m 0644 -t "$doc" Config/drawbridge.example.yaml Config/openapi.yaml
# The pages in their folder, so that the links between them hold.
mkdir "$doc/docs"
cp -r --no-preserve=mode,ownership docs/*.md docs/adr docs/recipes docs/rules "$doc/docs/"
for page in public; do cp -r --no-preserve=mode,ownership "$page" "$doc/$page"; done
rm "$doc/public/embed.sh"
deploy/sbom.py --build "$build" --version "$version" >"$doc/drawbridge.cdx.json"
# The text of every licence, of what is inside the binary.
mkdir "$doc/licences"
for folder in "$build"/checkouts/*/; do
    for text in "$folder"LICEN* "$folder"NOTICE*; do
        [ ! -f "$text" ] || install -m 0644 "$text" "$doc/licences/$(basename "$folder")-$(basename "$text")"
    done
done

# The archive: the same files but for the unit, with a name before them.
archive=drawbridge-$version-linux-$architecture
mkdir -p "$work/$archive"
cp -a "$root/usr/." "$work/$archive/"
# From here the program is put in place by hand: the unit as it is, which says how.
install -m 0644 deploy/drawbridge.service "$work/$archive/lib/systemd/system/drawbridge.service"
page=README.md
install -m 0644 deploy/debian/README.archive.md "$work/$archive/$page"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$work" -cf - "$archive" \
    | gzip -9n >"$out/$archive.tar.gz"

# The package. What the binary is linked with names the packages that it needs, with their versions.
mkdir -p "$work/source/debian" "$root/DEBIAN"
printf 'Source: drawbridge\nPackage: drawbridge\nArchitecture: any\n' >"$work/source/debian/control"
needed=$(cd "$work/source" && dpkg-shlibdeps -O "$root/usr/bin/drawbridge" 2>/dev/null | sed 's/^shlibs:Depends=//')
install -D -m 0644 deploy/debian/drawbridge.yaml "$root/etc/drawbridge/drawbridge.yaml"
echo /etc/drawbridge/drawbridge.yaml >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 0755 "deploy/debian/$script" "$root/DEBIAN/$script"; done
# As Debian counts it, and not by the blocks of this machine's disk: whole KiB of each file, one for anything else.
size=$(find "$root" -path "$root/DEBIAN" -prune -o -type f -printf '%s\n' -o -printf '1\n' \
    | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
cat >"$root/DEBIAN/control" <<END
Package: drawbridge
Version: $version
Architecture: $architecture
Maintainer: the owners of drawbridge <root@localhost>
Installed-Size: $size
Depends: $needed, ca-certificates, systemd | systemd-standalone-sysusers
Section: net
Priority: optional
Description: from a signed-in app to a signed-in browser
 An app that is signed in opens a page of a website, and the browser lands
 there with a session of its own, by a one-time login token. Also an OAuth 2.0
 and OpenID Connect provider. One process with an embedded database.
END
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/drawbridge_${version}_$architecture.deb" >/dev/null
(cd "$out" && sha256sum "$archive.tar.gz" "drawbridge_${version}_$architecture.deb" >SHA256SUMS)
echo "$out/$archive.tar.gz"
echo "$out/drawbridge_${version}_$architecture.deb"
