// Arguments: the flags that training programs share, in Chainer's spelling, and the frame of their main function.
//
//   int main(int argc, char** argv) {
//     return renkei::run_program(argc, argv, [](const renkei::Arguments& args) { ... });
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <renkei/lib/device/device.h>

namespace renkei {

/// Which device plays which part: {"main", cpu}.
class DeviceMap {
 public:
  /// Reads "main=cpu,second=cpu:1". Throws ValueError when it cannot be read, a name or device is used twice, or `main`
  /// is missing; DeviceError for a device that is not there.
  static DeviceMap parse(const std::string& text);

  Device& main() const;
  std::size_t size() const { return devices_.size(); }
  std::vector<std::pair<std::string, Device*>>::const_iterator begin() const { return devices_.begin(); }
  std::vector<std::pair<std::string, Device*>>::const_iterator end() const { return devices_.end(); }

 private:
  std::vector<std::pair<std::string, Device*>> devices_;
};

struct Arguments {
  std::int64_t batchsize = 100;            ///< -b, --batchsize
  std::int64_t epoch = 20;                 ///< -e, --epoch
  std::int64_t frequency = -1;             ///< -f, --frequency: epochs between snapshots; -1: one at the end
  DeviceMap devices;                       ///< -d, --device NAME; --devices main=NAME,...
  int threads = 0;                         ///< --threads: host threads of each device; 0: all processors
  std::string out = "result";              ///< -o, --out
  std::string resume;                      ///< -r, --resume: a snapshot to go on from
  bool autoload = false;                   ///< --autoload: go on from the newest good snapshot in `out`
  std::int64_t unit = 1000;                ///< -u, --unit: units of a hidden layer
  std::uint64_t seed = 0;                  ///< --seed
  std::string dataset = "fashion-mnist";   ///< --dataset: fashion-mnist or mnist
  std::string data_dir;                    ///< --data-dir: folder of its files
  bool shuffle = true;                     ///< --no-shuffle clears it
  std::optional<std::int64_t> train_size;  ///< --train-size: the first so many examples
  std::optional<std::int64_t> test_size;   ///< --test-size
  std::string optimizer = "adam";          ///< --optimizer: adam, sgd or momentum
  std::string init;                        ///< --init: model file with the first parameters
};

/// Reads the flags. Prints them and returns nothing for --help. Throws ValueError for one it cannot read or out of range.
std::optional<Arguments> parse_arguments(int argc, const char* const* argv);

/// Parses the flags, seeds the default generator, makes the main device current and runs `body`. Returns the exit
/// status: 0, 2 after an Error (one line on stderr that begins with the program's name), 1 after any other exception.
int run_program(int argc, const char* const* argv, const std::function<void(const Arguments&)>& body);

}  // namespace renkei
