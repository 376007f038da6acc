#!/bin/sh
# Installs what the tests need, builds, and runs every test three times: as released, under the address and
# undefined-behaviour sanitizers, and under the thread sanitizer. Ends with "N passed, N failed".
#   sh test/run.sh            everything
#   sh test/run.sh release    only the release build
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2046  # one word per package
sh apps/install_packages.sh $(cat apps/build_packages.txt test/test_packages.txt)
if command -v nvcc >/dev/null || [ -n "${CUDA_HOME:-}" ]; then
  echo "This version of Renkei has CPU devices only: testing the CPU build although a CUDA toolkit is here."
else
  echo "No CUDA toolkit here: testing the CPU build."
fi

# Threads that sleep while they wait: on a busy machine spinning ones cost many times what they save on an idle one.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1

build_and_test() {  # folder, then options of meson setup
  folder=$1
  shift
  echo "== $folder"
  # The folder may be there already, from the quickstart and without the tests.
  if [ -f "$folder/build.ninja" ]; then set -- configure "$folder" "$@"; else set -- setup "$folder" "$@"; fi
  meson "$@" -Dtests=enabled
  ninja -C "$folder"
  meson test -C "$folder" --no-rebuild --print-errorlogs --quiet || true  # counted below
}

folders=build
build_and_test build
if [ "${1:-all}" != release ]; then
  build_and_test build-address -Dsanitize=address,undefined -Doptimization=1 -Dbench=false
  build_and_test build-thread -Dsanitize=thread -Doptimization=1 -Dbench=false
  folders="build build-address build-thread"
fi

# shellcheck disable=SC2086  # one word per folder
exec python3 test/count.py $folders
