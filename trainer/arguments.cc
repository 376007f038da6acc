#include <renkei/trainer/arguments.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/random.h>
#include <renkei/trainer/trainer.h>

namespace renkei {
namespace {

namespace options = boost::program_options;

/// Boost reads -1 into an unsigned type without a word, so counts are read signed and checked here.
void check_at_least(std::string_view flag, std::int64_t value, std::int64_t least) {
  if (value < least) throw ValueError{flag, value, fmt::format("at least {}", least)};
}

void check_one_of(std::string_view flag, const std::string& value, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw ValueError{flag, value, fmt::format("{}", fmt::join(choices, " or "))};
}

/// A flag that was given, or nothing.
std::optional<std::int64_t> count_of(const options::variables_map& given, const char* name) {
  if (!given.contains(name)) return std::nullopt;
  const auto count = given[name].as<std::int64_t>();
  check_at_least(fmt::format("--{}", name), count, 1);
  return count;
}

/// A flag given again replaces what was given before, so that scripts can pass their own flags and then the user's.
/// Throws ValueError for a word that belongs to no flag.
void keep_last_of_each(options::parsed_options& parsed) {
  std::vector<options::option> kept;
  for (options::option& option : parsed.options) {
    if (option.string_key.empty()) throw ValueError{fmt::format("'{}' does not belong to a flag", option.value.at(0))};
    std::erase_if(kept, [&](const options::option& earlier) { return earlier.string_key == option.string_key; });
    kept.push_back(std::move(option));
  }
  parsed.options = std::move(kept);
}

options::options_description describe(Arguments& a, std::string& device, std::string& devices, std::int64_t& seed) {
  options::options_description flags{"flags"};
  const auto text = [](std::string& target) { return options::value<std::string>(&target)->default_value(target); };
  const auto path = [](std::string& target) { return options::value<std::string>(&target); };
  const auto count = [](std::int64_t& target) { return options::value<std::int64_t>(&target)->default_value(target); };
  flags.add_options()("help,h", "print the flags")
      ("batchsize,b", count(a.batchsize), "examples in a batch")
      ("epoch,e", count(a.epoch), "sweeps over the training data")
      ("frequency,f", count(a.frequency), "epochs between snapshots; -1: one at the end")
      ("device,d", text(device), "cpu, cpu:N, cuda:N or Chainer's names")
      ("devices", path(devices), "device map: main=NAME,second=NAME")
      ("threads", options::value<int>(&a.threads)->default_value(0), "host threads of a device; 0: all processors")
      ("out,o", text(a.out), "output folder")
      ("resume,r", path(a.resume), "snapshot to go on from")
      ("autoload", options::bool_switch(&a.autoload), "go on from the newest good snapshot in the output folder")
      ("unit,u", count(a.unit), "units of a hidden layer")
      ("seed", count(seed), "seed of all random numbers")
      ("dataset", text(a.dataset), "fashion-mnist or mnist")
      ("data-dir", path(a.data_dir), "folder with the files of the data set")
      ("no-shuffle", "keep the order of the training data")
      ("train-size", options::value<std::int64_t>(), "use the first so many training examples")
      ("test-size", options::value<std::int64_t>(), "use the first so many test examples")
      ("optimizer", text(a.optimizer), "adam, sgd or momentum")
      ("init", path(a.init), "model file with the first parameters");
  return flags;
}

void check(const Arguments& a, std::int64_t seed) {
  check_at_least("--batchsize", a.batchsize, 1);
  check_at_least("--epoch", a.epoch, 1);
  check_at_least("--unit", a.unit, 1);
  check_at_least("--threads", a.threads, 0);
  check_at_least("--seed", seed, 0);
  if (a.frequency != -1) check_at_least("--frequency", a.frequency, 1);
  check_one_of("--dataset", a.dataset, {"fashion-mnist", "mnist"});
  check_one_of("--optimizer", a.optimizer, {"adam", "sgd", "momentum"});
  if (!a.resume.empty() && a.autoload) throw ValueError{"--resume and --autoload", "both", "one of them"};
}

}  // namespace

DeviceMap DeviceMap::parse(const std::string& text) {
  DeviceMap map;
  std::istringstream parts{text};
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) throw ValueError{"--devices", text, "main=NAME,second=NAME,..."};
    const std::string name = part.substr(0, equals);
    Device& device = get_device(part.substr(equals + 1));
    for (const auto& [other, used] : map.devices_)
      if (other == name || used == &device) throw ValueError{"--devices", text, "each name and each device once"};
    map.devices_.emplace_back(name, &device);
  }
  const bool has_main = std::any_of(map.begin(), map.end(), [](const auto& entry) { return entry.first == "main"; });
  if (!has_main) throw ValueError{"--devices", text, "a device called main"};
  return map;
}

Device& DeviceMap::main() const {
  for (const auto& [name, device] : devices_)
    if (name == "main") return *device;
  throw StateError{"device map: empty"};
}

std::optional<Arguments> parse_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  std::string device = "cpu", devices;
  std::int64_t seed = 0;
  const options::options_description flags = describe(arguments, device, devices, seed);
  options::variables_map given;
  try {
    const int style = options::command_line_style::default_style & ~options::command_line_style::allow_guessing;
    options::parsed_options parsed = options::command_line_parser(argc, argv).options(flags).style(style).run();
    keep_last_of_each(parsed);
    options::store(parsed, given);
    options::notify(given);
  } catch (const options::error& error) {
    throw ValueError{error.what()};
  }
  if (given.contains("help")) {
    std::cout << flags;
    return std::nullopt;
  }
  if (!devices.empty() && !given["device"].defaulted()) throw ValueError{"--device and --devices", "both", "one of them"};
  arguments.shuffle = !given.contains("no-shuffle");
  arguments.train_size = count_of(given, "train-size");
  arguments.test_size = count_of(given, "test-size");
  check(arguments, seed);
  arguments.seed = static_cast<std::uint64_t>(seed);
  arguments.devices = DeviceMap::parse(devices.empty() ? "main=" + device : devices);
  return arguments;
}

int run_program(int argc, const char* const* argv, const std::function<void(const Arguments&)>& body) {
  const std::string name = std::filesystem::path{argc > 0 ? argv[0] : "renkei"}.filename().string();
  const auto say = [&](const std::exception& error) {
    if (!was_printed(std::current_exception())) fmt::print(stderr, "{}: {}\n", name, error.what());
  };
  try {
    const std::optional<Arguments> arguments = parse_arguments(argc, argv);
    if (!arguments) return 0;
    default_generator().reset(arguments->seed);
    for (const auto& [part, device] : arguments->devices)
      if (arguments->threads > 0) device->set_threads(arguments->threads);
    const DeviceScope scope{arguments->devices.main()};
    body(*arguments);
    return 0;
  } catch (const Error& error) {
    say(error);
    return 2;
  } catch (const std::exception& error) {
    say(error);
    return 1;
  }
}

}  // namespace renkei
