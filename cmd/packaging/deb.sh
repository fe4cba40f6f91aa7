#!/bin/sh
# deb.sh VERSION ARCH PROGRAMS FOLDER: a Debian package of the programs, manual pages and completions in the folder PROGRAMS.
set -eu
arch=$2 from=$3 out=$4
version=$(printf %s "${1#v}" | tr -- '-' '+')
case $version in
[0-9]*) ;;
*) version=0~$version ;; # a commit without a tag
esac
epoch=${SOURCE_DATE_EPOCH:-$(date +%s)}
maintainer=${MAINTAINER:-askd authors <askd@localhost>}
umask 022
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"

install -d "$tree/DEBIAN" "$tree/usr/bin" "$tree/usr/share/man/man1" "$tree/usr/share/doc/askd" \
	"$tree/usr/share/bash-completion/completions" "$tree/usr/share/zsh/vendor-completions" "$tree/usr/share/fish/vendor_completions.d" \
	"$tree/usr/share/lintian/overrides"
install -m 755 "$from/askd" "$from/askctl" "$tree/usr/bin/"
install -m 644 "$from"/man/*.1 "$tree/usr/share/man/man1/"
install -m 644 "$from/completions/askctl.bash" "$tree/usr/share/bash-completion/completions/askctl"
install -m 644 "$from/completions/askctl.zsh" "$tree/usr/share/zsh/vendor-completions/_askctl"
install -m 644 "$from/completions/askctl.fish" "$tree/usr/share/fish/vendor_completions.d/askctl.fish"
install -m 644 "$from/README.md" "$from/CHANGELOG.md" "$tree/usr/share/doc/askd/"
(cd "$from" && tar -cf - cmd journal) | tar -xf - -C "$tree/usr/share/doc/askd" --no-same-owner
cat >"$tree/usr/share/doc/askd/changelog" <<EOF
askd ($version) unstable; urgency=medium

  * What has changed is in CHANGELOG.md.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$epoch")
EOF
cat >"$tree/usr/share/lintian/overrides/askd" <<EOF
# Go programs: static on purpose, so that one build runs everywhere.
askd: statically-linked-binary
# Built by whoever runs the recipe, who can give MAINTAINER.
askd: bogus-mail-host
EOF
{
	printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: askd\n\nFiles: *\n'
	sed -n 's/^Copyright (c) /Copyright: /p' "$from/LICENSE"
	printf 'License: Expat\n'
	sed -e '1,4d' -e 's/^$/./' -e 's/^/ /' "$from/LICENSE"
} >"$tree/usr/share/doc/askd/copyright"
gzip -9n "$tree"/usr/share/man/man1/*.1 "$tree/usr/share/doc/askd/changelog" "$tree/usr/share/doc/askd/CHANGELOG.md"

cat >"$tree/DEBIAN/control" <<EOF
Package: askd
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$tree" | cut -f1)
Section: utils
Priority: optional
Recommends: tmux
Suggests: wl-clipboard | xclip
Description: inbox for the questions of coding agents
 askd runs in a terminal pane of its own. When a coding agent asks, its form
 appears there, and the answer goes back into the agent's conversation, once.
 Questions, answers and drafts are kept on disk. askctl answers from any
 terminal, asks from scripts, and reads and exports what was asked.
EOF
(cd "$tree" && find usr -type f -print | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
find "$tree" -exec touch -h -d "@$epoch" {} +
dpkg-deb --root-owner-group -Zxz --build "$tree" "$out/askd_${version}_$arch.deb" >/dev/null
