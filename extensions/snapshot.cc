#include <renkei/extensions/snapshot.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/serializers/atomic_file.h>
#include <renkei/trainer/trainer.h>

namespace renkei::extensions {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIteration = "{.updater.iteration}";
constexpr std::string_view kEpoch = "{.updater.epoch}";

std::string filled_in(std::string name, const Updater& updater) {
  const auto replace = [&](std::string_view mark, std::int64_t count) {
    for (std::size_t at = name.find(mark); at != std::string::npos; at = name.find(mark)) name.replace(at, mark.size(), std::to_string(count));
  };
  replace(kIteration, updater.iteration());
  replace(kEpoch, updater.epoch());
  return name;
}

/// The counts in `name` if it was made from `pattern`, in the order of its marks.
std::optional<std::vector<std::int64_t>> counts_in(std::string_view name, std::string_view pattern) {
  std::vector<std::int64_t> counts;
  while (!pattern.empty()) {
    if (pattern.front() != '{') {
      if (name.empty() || name.front() != pattern.front()) return std::nullopt;
      name.remove_prefix(1);
      pattern.remove_prefix(1);
      continue;
    }
    std::int64_t count = 0;
    const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), count);
    if (status != std::errc{} || name.front() == '-') return std::nullopt;
    counts.push_back(count);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    pattern.remove_prefix(pattern.find('}') + 1);
  }
  return name.empty() ? std::optional{counts} : std::nullopt;
}

void check_pattern(const std::string& pattern) {
  std::string rest = pattern;
  for (const std::string_view mark : {kIteration, kEpoch})
    for (std::size_t at = rest.find(mark); at != std::string::npos; at = rest.find(mark)) rest.erase(at, mark.size());
  if (pattern.empty() || rest.find_first_of("{}/") != std::string::npos)
    throw ValueError{"snapshot: filename", pattern, "a file name with {.updater.iteration} or {.updater.epoch}"};
  for (std::size_t at = 0; at + 1 < pattern.size(); ++at)
    if (pattern[at] == '}' && std::string_view{"0123456789{"}.find(pattern[at + 1]) != std::string_view::npos)
      throw ValueError{"snapshot: filename", pattern, "a name that shows where a count ends: no digit or count right after it"};
}

}  // namespace

Snapshot::Snapshot(SnapshotOptions options, Save save, Load load)
    : options_{std::move(options)}, save_{std::move(save)}, load_{std::move(load)} {
  check_pattern(options_.filename);
  if (options_.n_retains == 0 || options_.n_retains < -1)
    throw ValueError{"snapshot: n_retains", options_.n_retains, "at least 1, or -1 to keep all"};
}

Snapshot snapshot(SnapshotOptions options) {
  return Snapshot{std::move(options), [](Trainer& trainer, Serializer& s) { trainer.serialize(s); },
                  [](Trainer& trainer, const std::string& path, const Dictionary& dictionary) { trainer.resume(path, dictionary); }};
}

std::vector<Snapshot::Candidate> Snapshot::candidates(const std::string& folder) const {
  std::vector<Candidate> found;
  std::error_code failure;
  for (const auto& file : fs::directory_iterator{folder, failure}) {
    auto counts = counts_in(file.path().filename().string(), options_.filename);
    if (std::error_code ignored; counts && file.is_regular_file(ignored))
      found.push_back({std::move(*counts), file.path().string()});
  }
  if (failure) throw FileError{folder, fmt::format("cannot look for snapshots: {}", failure.message())};
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.counts > b.counts; });
  return found;
}

void Snapshot::restore(Trainer& trainer) {
  for (const std::string& name : remove_leftovers(trainer.out()))
    fmt::print(stderr, "{}: removed {}, left unfinished by an earlier run\n", trainer.out(), name);
  if (!options_.autoload) return;
  for (const Candidate& candidate : candidates(trainer.out())) {
    Dictionary dictionary;
    try {
      dictionary = read_npz(candidate.path);
    } catch (const FileError& error) {  // broken; one of another model is a mistake of the user's and passes
      fmt::print(stderr, "Not loaded: {}\n", error.what());
      continue;
    }
    load_(trainer, candidate.path, dictionary);
    fmt::print(stderr, "Loaded {}\n", candidate.path);
    return;
  }
}

void Snapshot::call(Trainer& trainer) {
  if (options_.condition && !options_.condition()) return;
  trainer.after_iteration([this, &trainer] {
    try {
      save(trainer);
    } catch (const FileError& error) {
      if (!options_.keep_training) throw;
      fmt::print(stderr, "Not saved: {}\n", error.what());
    }
  });
}

void Snapshot::on_error(Trainer& trainer, const std::exception&) {
  if (options_.snapshot_on_error) save(trainer);
}

void Snapshot::save(Trainer& trainer) const {
  Dictionary dictionary;
  Serializer serializer = Serializer::saving(dictionary);
  save_(trainer, serializer);
  const std::string name = filled_in(options_.filename, trainer.updater());
  write_npz((fs::path{trainer.out()} / name).string(), dictionary, {.compress = options_.compress});
  if (options_.n_retains > 0) remove_old(trainer.out(), name);
}

void Snapshot::remove_old(const std::string& folder, const std::string& saved) const {
  std::vector<Candidate> files = candidates(folder);
  const auto newest = counts_in(saved, options_.filename);
  std::erase_if(files, [&](const Candidate& file) { return file.counts > newest; });
  for (std::size_t i = static_cast<std::size_t>(options_.n_retains); i < files.size(); ++i) {
    std::error_code failure;
    if (!fs::remove(files[i].path, failure) || failure)
      fmt::print(stderr, "{}: cannot remove this old snapshot: {}\n", files[i].path, failure.message());
  }
}

}  // namespace renkei::extensions
