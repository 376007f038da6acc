#include <algorithm>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/serializers/npz.h>

namespace renkei {
namespace {

bool holds_below(const Dictionary& dictionary, std::string_view prefix) {
  const auto entry = dictionary.lower_bound(prefix);
  return entry != dictionary.end() && entry->first.starts_with(prefix);
}

std::size_t count_below(const Dictionary& dictionary, std::string_view prefix) {
  return static_cast<std::size_t>(std::count_if(dictionary.begin(), dictionary.end(), [&](const auto& entry) {
    return entry.first.starts_with(prefix);
  }));
}

std::string first_key(const Dictionary& dictionary) {
  return dictionary.empty() ? "nothing" : dictionary.begin()->first;
}

/// The keys an object writes; empty when it cannot be saved (an optimizer before its set-up).
Dictionary keys_of(const std::function<void(Serializer&)>& serialize) {
  Dictionary dictionary;
  try {
    Serializer serializer = Serializer::saving(dictionary);
    serialize(serializer);
  } catch (const Error&) {
    dictionary.clear();
  }
  return dictionary;
}

}  // namespace

NpzKind kind_of(const Dictionary& dictionary) {
  if (holds_below(dictionary, "updater/")) return NpzKind::snapshot;
  if (dictionary.contains("t") && dictionary.contains("epoch")) return NpzKind::optimizer;
  const auto is_parameter = [](const auto& entry) {
    return std::holds_alternative<Array>(entry.second) || std::holds_alternative<None>(entry.second);
  };
  // Names with a colon, such as iterator:main, are those of an updater's parts.
  const bool part = std::any_of(dictionary.begin(), dictionary.end(),
                                [](const auto& entry) { return entry.first.find(':') != std::string::npos; });
  return !part && std::any_of(dictionary.begin(), dictionary.end(), is_parameter) ? NpzKind::model : NpzKind::other;
}

std::string describe(NpzKind kind) {
  switch (kind) {
    case NpzKind::snapshot: return "a trainer snapshot";
    case NpzKind::optimizer: return "an optimizer file";
    case NpzKind::model: return "a model file";
    case NpzKind::other: break;
  }
  return "neither a trainer snapshot nor a model file";
}

void expect_kind(const std::string& path, const Dictionary& dictionary, NpzKind expected) {
  const NpzKind found = kind_of(dictionary);
  if (found == expected) return;
  const bool holds_model = found == NpzKind::snapshot && expected == NpzKind::model;
  throw MismatchError{fmt::format("{}: this is {} (its first entry is {}), not {}{}", path, describe(found),
                                  first_key(dictionary), describe(expected),
                                  holds_model ? "; its model is below the path updater/model:main" : "")};
}

LoadReport load_dictionary(const std::string& path, const Dictionary& dictionary, const LoadOptions& options,
                           const std::function<void(Serializer&)>& serialize) {
  Serializer serializer = Serializer::loading(dictionary, path, options);
  try {
    serialize(serializer);
    LoadReport report = serializer.finish();
    // Passing over everything is never what was meant.
    const std::size_t passed_over = report.extra.size() + report.ignored.size();
    if (!report.missing.empty() && passed_over == count_below(dictionary, serializer.full_key("")))
      throw MismatchError{fmt::format("{}: not one of its entries fits; the object wants {}, the file begins with {}",
                                      path, report.missing.front(), first_key(dictionary))};
    return report;
  } catch (const MismatchError&) {
    // The first missing key says little when the whole file is another thing.
    const NpzKind wanted = options.path.empty() ? kind_of(keys_of(serialize)) : NpzKind::other;
    if (wanted != NpzKind::other) expect_kind(path, dictionary, wanted);
    throw;
  }
}

}  // namespace renkei
