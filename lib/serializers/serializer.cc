#include <renkei/lib/serializers/serializer.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>

namespace renkei {
namespace {

std::string_view without_slashes(std::string_view key) {
  while (key.starts_with('/')) key.remove_prefix(1);
  while (key.ends_with('/')) key.remove_suffix(1);
  return key;
}

bool is_scalar(const Array& array) { return array && array.ndim() == 0; }
bool is_integer(Dtype dtype) { return !is_floating(dtype) && dtype != Dtype::boolean; }

/// An integer stored as such or in an array of shape (); null otherwise.
std::optional<std::int64_t> as_integer(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto* array = std::get_if<Array>(&value);
  if (!array || !is_scalar(*array) || !is_integer(array->dtype())) return std::nullopt;
  return to_vector<std::int64_t>(cast(*array, Dtype::int64)).front();
}

std::optional<double> as_number(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto integer = as_integer(value)) return static_cast<double>(*integer);
  const auto* array = std::get_if<Array>(&value);
  if (!array || !is_scalar(*array) || !is_floating(array->dtype())) return std::nullopt;
  return to_double(*array);
}

}  // namespace

struct Serializer::Loading {
  const Dictionary& source;
  std::string origin;
  LoadOptions options;
  std::set<std::string, std::less<>> asked = {};
  std::set<std::string, std::less<>> missing = {};

  bool ignores(std::string_view key) const {
    if (options.ignore && options.ignore(key)) return true;
    return std::any_of(options.ignore_names.begin(), options.ignore_names.end(), [&](const std::string& name) {
      return key == name || (name.ends_with('/') && key.starts_with(name));
    });
  }
};

Serializer Serializer::saving(Dictionary& target) {
  Serializer serializer;
  serializer.target_ = &target;
  return serializer;
}

Serializer Serializer::loading(const Dictionary& source, std::string origin, LoadOptions options) {
  Serializer serializer;
  const std::string path{without_slashes(options.path)};
  if (!path.empty()) serializer.path_ = path + "/";
  serializer.source_ = std::make_shared<Loading>(Loading{source, std::move(origin), std::move(options)});
  return serializer;
}

Serializer Serializer::child(std::string_view key) const {
  Serializer part = *this;
  part.path_ = full_key(key) + "/";
  return part;
}

std::string Serializer::full_key(std::string_view key) const { return path_ + std::string{without_slashes(key)}; }
std::string Serializer::origin() const { return source_ ? source_->origin : std::string{}; }

void Serializer::fail(std::string_view key, std::string_view problem) const {
  throw MismatchError{fmt::format("{}{}{}: {}", origin(), source_ ? ": " : "", full_key(key), problem)};
}

const Value* Serializer::find(std::string_view key) {
  if (!source_) throw StateError{fmt::format("{}: find: this serializer saves", full_key(key))};
  const std::string name = full_key(key);
  if (source_->ignores(name)) return nullptr;
  const auto entry = source_->source.find(name);
  if (entry == source_->source.end()) {
    if (!source_->options.allow_missing) fail(key, "not in the file, but the object needs it");
    source_->missing.insert(name);
    return nullptr;
  }
  source_->asked.insert(name);
  return &entry->second;
}

void Serializer::save(std::string_view key, Value value) {
  if (!target_) throw StateError{fmt::format("{}: save: this serializer loads", full_key(key))};
  const std::string name = full_key(key);
  if (!target_->emplace(name, std::move(value)).second)
    throw StateError{fmt::format("{}: saved twice; give the two objects different names", name)};
}

bool Serializer::contains(std::string_view key) const {
  if (!source_) return false;
  const std::string name = full_key(key);
  return source_->source.contains(name) && !source_->ignores(name);
}

bool Serializer::contains_below(std::string_view key) const {
  if (!source_) return false;
  const std::string name = full_key(key);
  const std::string prefix = name.empty() || name.ends_with('/') ? name : name + "/";
  const auto entry = source_->source.lower_bound(prefix);
  return entry != source_->source.end() && entry->first.starts_with(prefix);
}

LoadReport Serializer::finish() {
  if (!source_) return {};
  LoadReport report;
  for (auto entry = source_->source.lower_bound(path_);
       entry != source_->source.end() && entry->first.starts_with(path_); ++entry) {
    const std::string& key = entry->first;
    if (source_->asked.contains(key)) continue;
    (source_->ignores(key) ? report.ignored : report.extra).push_back(key);
  }
  if (!report.extra.empty() && !source_->options.allow_extra) {
    const std::size_t others = report.extra.size() - 1;
    throw MismatchError{fmt::format("{}: {}: in the file ({}), but the object has no such entry{}", origin(),
                                    report.extra.front(), describe(source_->source.find(report.extra.front())->second),
                                    others ? fmt::format("; {} more like it", others) : "")};
  }
  report.missing.assign(source_->missing.begin(), source_->missing.end());
  return report;
}

void Serializer::operator()(std::string_view key, bool& value) {
  if (!source_) return save(key, value);
  const Value* stored = find(key);
  if (!stored) return;
  if (const auto* flag = std::get_if<bool>(stored)) {
    value = *flag;
    return;
  }
  const auto* array = std::get_if<Array>(stored);
  if (!array || !is_scalar(*array) || array->dtype() != Dtype::boolean)
    fail(key, fmt::format("the file has {}, the object a bool", describe(*stored)));
  value = to_vector<bool>(*array).front();
}

void Serializer::operator()(std::string_view key, std::int64_t& value) {
  if (!source_) return save(key, value);
  const Value* stored = find(key);
  if (!stored) return;
  const auto number = as_integer(*stored);
  if (!number) fail(key, fmt::format("the file has {}, the object an integer", describe(*stored)));
  value = *number;
}

void Serializer::operator()(std::string_view key, int& value) {
  std::int64_t wide = value;
  (*this)(key, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    fail(key, fmt::format("the file has integer {}, which does not fit into 32 bits", wide));
  value = static_cast<int>(wide);
}

void Serializer::operator()(std::string_view key, double& value) {
  if (!source_) return save(key, value);
  const Value* stored = find(key);
  if (!stored) return;
  const auto number = as_number(*stored);
  if (!number) fail(key, fmt::format("the file has {}, the object a number", describe(*stored)));
  value = *number;
}

void Serializer::operator()(std::string_view key, std::string& value) {
  if (!source_) return save(key, value);
  const Value* stored = find(key);
  if (!stored) return;
  const auto* text = std::get_if<std::string>(stored);
  if (!text) fail(key, fmt::format("the file has {}, the object text", describe(*stored)));
  value = *text;
}

void Serializer::operator()(std::string_view key, Array& value) {
  if (!source_) return save(key, value ? Value{value} : Value{None{}});
  const Value* stored = find(key);
  if (!stored || std::holds_alternative<None>(*stored)) return;
  const Array array = as_array(*stored);
  if (!array) fail(key, fmt::format("the file has {}, the object an array", describe(*stored)));
  if (!value) {
    Array made = empty(array.shape(), array.dtype());
    copy_into(made, array);
    value = made;
    return;
  }
  if (array.shape() != value.shape())
    fail(key, fmt::format("the file has shape {}, the object {}", array.shape().to_string(),
                          value.shape().to_string()));
  if (array.dtype() != value.dtype() && !(is_floating(array.dtype()) && is_floating(value.dtype())))
    fail(key, fmt::format("the file has dtype {}, the object {}", name_of(array.dtype()), name_of(value.dtype())));
  copy_into(value, cast(array, value.dtype()));
}

}  // namespace renkei
