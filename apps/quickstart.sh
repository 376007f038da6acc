#!/bin/sh
# Installs what the build needs, builds Renkei and trains a multi-layer perceptron on Fashion-MNIST, printing the
# report as it goes. Further arguments go to the training program: sh apps/quickstart.sh -e 20
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2046  # one word per package
sh apps/install_packages.sh $(cat apps/build_packages.txt)

if command -v nvcc >/dev/null || [ -n "${CUDA_HOME:-}" ]; then
  echo "This version of Renkei has CPU devices only: building for the CPU although a CUDA toolkit is here."
else
  echo "No CUDA toolkit here: building for the CPU."
fi
[ -f build/build.ninja ] || meson setup build
ninja -C build apps/train_mnist
# Threads that sleep while they wait: on a busy machine spinning ones cost many times what they save on an idle one.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
echo
exec build/apps/train_mnist --epoch 5 "$@"
