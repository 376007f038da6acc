#include <catch2/catch.hpp>

#include <iostream>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/random.h>
#include <renkei/trainer/arguments.h>
#include <renkei/trainer/trainer.h>

#include "support/capture.h"
#include "support/fake_updater.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using Catch::Matchers::Contains;

namespace {

std::vector<const char*> line(const std::vector<std::string>& words) {
  std::vector<const char*> argv{"/some/where/program"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return argv;
}

Arguments parse(const std::vector<std::string>& words) {
  const auto argv = line(words);
  return parse_arguments(static_cast<int>(argv.size()), argv.data()).value();
}

int run_with(const std::vector<std::string>& words, const std::function<void(const Arguments&)>& body) {
  const auto argv = line(words);
  return run_program(static_cast<int>(argv.size()), argv.data(), body);
}

void check_refused(const std::vector<std::string>& words, const std::vector<std::string>& pieces) {
  CAPTURE(words);
  check_error<ValueError>([&] { parse(words); }, pieces);
}

}  // namespace

TEST_CASE("flags that are not given have Chainer's defaults") {
  const Arguments a = parse({});
  CHECK(a.batchsize == 100);
  CHECK(a.epoch == 20);
  CHECK(a.frequency == -1);
  CHECK(&a.devices.main() == &get_device("cpu"));
  CHECK(a.devices.size() == 1);
  CHECK(a.threads == 0);
  CHECK(a.out == "result");
  CHECK(a.resume.empty());
  CHECK_FALSE(a.autoload);
  CHECK(a.unit == 1000);
  CHECK(a.seed == 0);
  CHECK(a.dataset == "fashion-mnist");
  CHECK(a.data_dir.empty());
  CHECK(a.shuffle);
  CHECK_FALSE(a.train_size);
  CHECK_FALSE(a.test_size);
  CHECK(a.optimizer == "adam");
  CHECK(a.init.empty());
}

TEST_CASE("every flag is read") {
  const Arguments a = parse({"--batchsize", "7", "--epoch", "3", "--frequency", "2", "--device", "cpu", "--threads", "2",
                             "--out", "o", "--autoload", "--unit", "9", "--seed", "5", "--dataset", "mnist", "--data-dir", "d",
                             "--no-shuffle", "--train-size", "11", "--test-size", "12", "--optimizer", "sgd", "--init", "i.npz"});
  CHECK(a.batchsize == 7);
  CHECK(a.epoch == 3);
  CHECK(a.frequency == 2);
  CHECK(a.threads == 2);
  CHECK(a.out == "o");
  CHECK(a.autoload);
  CHECK(a.unit == 9);
  CHECK(a.seed == 5);
  CHECK(a.dataset == "mnist");
  CHECK(a.data_dir == "d");
  CHECK_FALSE(a.shuffle);
  CHECK(a.train_size == 11);
  CHECK(a.test_size == 12);
  CHECK(a.optimizer == "sgd");
  CHECK(a.init == "i.npz");
  CHECK(parse({"--resume", "r"}).resume == "r");
  CHECK(parse({"--frequency=-1"}).frequency == -1);
  CHECK(parse({"--frequency", "-1"}).frequency == -1);
}

TEST_CASE("flags have Chainer's short names") {
  const Arguments a = parse({"-b", "7", "-e", "3", "-f", "2", "-d", "cpu", "-o", "o", "-r", "s", "-u", "9"});
  CHECK(a.batchsize == 7);
  CHECK(a.epoch == 3);
  CHECK(a.frequency == 2);
  CHECK(a.out == "o");
  CHECK(a.resume == "s");
  CHECK(a.unit == 9);
}

TEST_CASE("Chainer's name for the processor is taken") {
  CHECK(&parse({"-d", "-1"}).devices.main() == &get_device("cpu"));
  CHECK(&parse({"--device", "@numpy"}).devices.main() == &get_device("cpu"));
}

TEST_CASE("flags that are unknown, cut short or without value are refused by name") {
  check_refused({"--speed", "3"}, {"speed"});
  check_refused({"--batch", "3"}, {"batch"});
  check_refused({"-x"}, {"x"});
  check_refused({"surplus"}, {"surplus"});
  check_refused({"--out"}, {"out"});
}

TEST_CASE("values out of range are refused with the flag and the value") {
  check_refused({"-b", "0"}, {"--batchsize", "0", "at least 1"});
  check_refused({"-b", "-1"}, {"--batchsize", "-1", "at least 1"});
  check_refused({"--batchsize=-1"}, {"--batchsize", "-1"});
  check_refused({"-b", "many"}, {"batchsize", "many"});
  check_refused({"-b", "1.5"}, {"batchsize", "1.5"});
  check_refused({"-e", "0"}, {"--epoch", "0"});
  check_refused({"-u", "0"}, {"--unit", "0"});
  check_refused({"-f", "0"}, {"--frequency", "0"});
  check_refused({"-f", "-2"}, {"--frequency", "-2"});
  check_refused({"--threads", "-1"}, {"--threads", "-1"});
  check_refused({"--seed", "-1"}, {"--seed", "-1"});
  check_refused({"--train-size", "0"}, {"--train-size", "0"});
  check_refused({"--test-size", "-5"}, {"--test-size", "-5"});
  check_refused({"--dataset", "cifar"}, {"--dataset", "cifar", "fashion-mnist or mnist"});
  check_refused({"--optimizer", "adamant"}, {"--optimizer", "adamant", "adam or sgd or momentum"});
  check_refused({"-r", "s", "--autoload"}, {"--resume", "--autoload"});
  check_refused({"-d", "cpu", "--devices", "main=cpu"}, {"--device", "--devices"});
}

TEST_CASE("a device map gives parts of a program their devices") {
  const DeviceMap map = parse({"--devices", "main=cpu"}).devices;
  CHECK(map.size() == 1);
  CHECK(&map.main() == &get_device("cpu"));
  const DeviceMap two = DeviceMap::parse("second=cpu:1,main=cpu:0");
  CHECK(two.size() == 2);
  CHECK(&two.main() == &get_device("cpu:0"));
  CHECK(two.begin()->first == "second");
}

TEST_CASE("a device map that is broken, ambiguous or without main is refused with its text") {
  for (const std::string text : {"cpu", "=cpu", "main=cpu,main=cpu:1", "main=cpu,second=cpu:0", "second=cpu", ""}) {
    CAPTURE(text);
    check_error<ValueError>([&] { DeviceMap::parse(text); }, {"--devices", text});
  }
  check_error<ValueError>([] { DeviceMap::parse("main=warp"); }, {"warp"});
  check_error<ValueError>([] { parse({"-d", "warp"}); }, {"warp"});
  check_error<DeviceError>([] { parse({"-d", "cuda:99"}); }, {"cuda:99"});
}

TEST_CASE("a program that ends well exits with 0, and ran with its seed on its device") {
  std::uint64_t seed = 0, stream = 9;
  Device* device = nullptr;
  const int status = run_with({"--seed", "42"}, [&](const Arguments& args) {
    seed = default_generator().seed();
    stream = default_generator().next_stream();
    device = &current_device();
    CHECK(device == &args.devices.main());
  });
  CHECK(status == 0);
  CHECK(seed == 42);
  CHECK(stream == 0);
}

TEST_CASE("an error of the user's exits with 2 and one line that begins with the program's name") {
  const Capture errors;
  CHECK(run_with({}, [](const Arguments&) { throw ValueError{"wrong"}; }) == 2);
  CHECK(errors.text() == "program: wrong\n");
  CHECK(run_with({"-b", "0"}, [](const Arguments&) { FAIL("ran"); }) == 2);
  CHECK_THAT(errors.text(), Contains("\nprogram: ") && Contains("--batchsize"));
}

TEST_CASE("any other exception exits with 1 and is named") {
  const Capture errors;
  CHECK(run_with({}, [](const Arguments&) { throw std::runtime_error{"a failure of ours"}; }) == 1);
  CHECK(errors.text() == "program: a failure of ours\n");
}

TEST_CASE("an error that the trainer has printed is not printed again") {
  const TemporaryFolder out;
  const Capture errors;
  CHECK(run_with({}, [&](const Arguments&) {
          FakeUpdater updater;
          updater.step = [](std::int64_t) { throw ValueError{"only once"}; };
          Trainer trainer{updater, {1, "iteration"}, out.path()};
          trainer.run();
        }) == 2);
  CHECK(errors.text() == "Exception in main training loop: only once\n");
}

TEST_CASE("--help prints every flag and runs nothing") {
  const Capture output{stdout};
  CHECK(run_with({"--help"}, [](const Arguments&) { FAIL("ran"); }) == 0);
  std::cout.flush();
  for (const char* flag : {"--batchsize", "--epoch", "--frequency", "--device ", "--devices", "--threads", "--out", "--resume",
                           "--autoload", "--unit", "--seed", "--dataset", "--data-dir", "--no-shuffle", "--train-size", "--test-size",
                           "--optimizer", "--init"})
    CHECK_THAT(output.text(), Contains(flag));
}
