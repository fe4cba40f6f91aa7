#!/bin/sh
# release.sh VERSION FOLDER [OS/ARCH…]: the programs, built static, with completions, manual pages, Debian packages and checksums.
# FOLDER is made anew. It needs Go and, for the packages, dpkg-deb.
set -eu
version=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
flags="-s -w -X askd/config.Version=$version"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
export GOTOOLCHAIN=auto # the Go that go.mod names, whatever is installed
umask 022

rm -rf "$out"
mkdir -p "$out/completions"
out=$(cd "$out" && pwd)
cd "$root"
host=$(mktemp -d)
trap 'rm -rf "$host"' EXIT
CGO_ENABLED=0 go build -tags man -trimpath -ldflags="$flags" -o "$host/" ./cmd/askd ./cmd/askctl
"$host/askctl" man "$out/man"
"$host/askd" man "$out/man"
rm -f "$out"/man/askd-completion*
for shell in bash zsh fish; do
	"$host/askctl" completion $shell >"$out/completions/askctl.$shell"
done

# The pages that README sends a user to stand where its links name them.
pages="cmd/askctl/MACHINES.md cmd/askctl/SCRIPTS.md cmd/pi-extension/ASK_USER_QUESTION.md journal/DAMAGE.md"

for target in "$@"; do
	os=${target%/*} arch=${target#*/}
	name=askd-$version-$os-$arch
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags="$flags" -o "$out/$name/" ./cmd/askd ./cmd/askctl
	cp LICENSE README.md CHANGELOG.md "$out/$name/"
	tar -cf - $pages | tar -xf - -C "$out/$name"
	cp -R "$out/man" "$out/completions" "$out/$name/"
	tar -C "$out" -czf "$out/$name.tar.gz" "$name"
	if [ "$os" = linux ] && command -v dpkg-deb >/dev/null; then
		"$here/deb.sh" "$version" "$arch" "$out/$name" "$out"
	fi
done
cd "$out"
set -- *.tar.gz
for deb in *.deb; do
	[ ! -e "$deb" ] || set -- "$@" "$deb"
done
if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi >SHA256SUMS
