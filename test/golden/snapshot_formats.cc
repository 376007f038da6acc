// Files that show the layout on disk: each member's kind, shape and values; then, written by us and read again.
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/npz.h>

#include "golden/golden.h"
#include "golden/snapshot_objects.h"

namespace golden {
namespace {

using namespace renkei;
using nlohmann::json;

void flatten(const json& value, std::vector<json>& elements) {
  if (!value.is_array()) return elements.push_back(value);
  for (const json& part : value) flatten(part, elements);
}

/// Numbers are compared as the integer or double that JSON has: exactly, int64 included.
void compare_elements(Outcome& outcome, const std::string& key, const Array& array, const json& wanted) {
  std::vector<json> elements;
  flatten(wanted, elements);
  if (array.size() != static_cast<std::int64_t>(elements.size()))
    return outcome.expect(false, fmt::format("{}: {} elements, want {}", key, array.size(), elements.size()));
  const bool floating = is_floating(array.dtype());
  const auto doubles = to_vector<double>(cast(array, Dtype::float64));
  const auto integers = to_vector<std::int64_t>(cast(array, Dtype::int64));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string what = fmt::format("{}[{}]", key, i);
    if (floating) outcome.compare(what, doubles[i], elements[i].get<double>(), {});
    else if (elements[i].is_boolean()) outcome.expect((integers[i] != 0) == elements[i].get<bool>(), what);
    else outcome.equal(what, std::to_string(integers[i]), elements[i].dump());
  }
}

void compare_value(Outcome& outcome, const std::string& key, const Value& value, const json& wanted) {
  if (std::holds_alternative<None>(value)) return outcome.expect(wanted.is_null(), key + ": None not wanted");
  if (const auto* text = std::get_if<std::string>(&value)) {
    outcome.expect(wanted.is_string(), key + ": text not wanted");
    return outcome.equal(key, *text, wanted.is_string() ? wanted.get<std::string>() : "");
  }
  compare_elements(outcome, key, as_array(value), wanted);
}

void read(Outcome& outcome, const std::string& path, const json& entries) {
  const Dictionary dictionary = read_npz(path);
  const auto members = list_npz(path);
  outcome.equal("number of members", std::to_string(members.size()), std::to_string(entries.size()));
  for (const NpzMember& member : members) {
    if (!entries.contains(member.key)) {
      outcome.expect(false, member.key + ": not in contents.json");
      continue;
    }
    const json& facts = entries.at(member.key);
    outcome.equal(member.key + " dtype", member.descr, facts.at("dtype").get<std::string>());
    outcome.expect(member.shape == facts.at("shape").get<std::vector<std::int64_t>>(), member.key + ": other shape");
    outcome.expect(member.deflated == facts.at("deflated").get<bool>(), member.key + ": other compression");
    outcome.expect(member.fortran_order == facts.at("fortran").get<bool>(), member.key + ": other order");
    const Value& value = dictionary.at(member.key);
    if (const auto* array = std::get_if<Array>(&value))
      outcome.expect(array->shape() == Shape{std::span{member.shape}}, member.key + ": read with another shape");
    if (facts.contains("value")) compare_value(outcome, member.key, value, facts.at("value"));
  }
}

void rewrite(Outcome& outcome, const std::string& path, bool compress) {
  const Dictionary dictionary = read_npz(path);
  const std::string copy = (std::filesystem::temp_directory_path() /
                            fmt::format("renkei-golden-{}.npz", ::getpid())).string();
  write_npz(copy, dictionary, {.compress = compress});
  const Dictionary again = read_npz(copy);
  std::filesystem::remove(copy);
  const auto differing = differences(dictionary, again);
  outcome.expect(differing.empty(), fmt::format("not read as written: {}", fmt::join(differing, ", ")));
}

}  // namespace

void add_snapshot_formats(Suite& suite) {
  const std::string contents = "snapshot_formats/contents.json";
  if (!suite.has(contents)) return;
  for (const auto& [file, facts] : suite.json(contents).at("files").items()) {
    if (!suite.has("snapshot_formats/" + file)) continue;
    const std::string path = suite.path("snapshot_formats/" + file);
    const json& entries = facts.at("entries");
    Case reading{"snapshot_formats", file, file + "/read", {}};
    Case stored{"snapshot_formats", file, file + "/rewrite_stored", {}};
    Case deflated{"snapshot_formats", file, file + "/rewrite_deflated", {}};
    if (file.ends_with(".npz")) {
      reading.run = [path, &entries](Outcome& outcome) { read(outcome, path, entries); };
      stored.run = [path](Outcome& outcome) { rewrite(outcome, path, false); };
      deflated.run = [path](Outcome& outcome) { rewrite(outcome, path, true); };
    }
    for (Case* c : {&reading, &stored, &deflated}) suite.add(std::move(*c));
    if (auto load = loading_case(file, path)) suite.add({"snapshot_formats", file, file + "/load", std::move(load)});
  }
}

}  // namespace golden
