#!/bin/sh
# Installs the Debian packages that are named on the command line and are not there yet, as root or through sudo.
# Called by apps/quickstart.sh and test/run.sh, which know what they need.
set -eu

missing=""
for package in "$@"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "please install as root:$missing" >&2; exit 1; }
  as_root="sudo"
fi
echo "Installing Debian packages:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086  # one word per package
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
