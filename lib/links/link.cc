#include <renkei/lib/links/link.h>

#include <algorithm>
#include <atomic>
#include <set>

#include <fmt/format.h>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/links/persistent.h>
#include <renkei/lib/serializers/serializer.h>

namespace renkei {
namespace {

std::atomic<std::uint64_t> g_structure_version{1};

std::string join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "/" + name;
}

}  // namespace

Link::Link(Chain& parent, const std::string& name) { parent.register_child(name, *this); }
Link::Link(Chain* parent, const std::string& name) {
  if (parent) parent->register_child(name, *this);
}
Link::~Link() = default;
Link::Link(const Link&) = default;
Link& Link::operator=(const Link&) = default;
Link::Link(Link&&) noexcept = default;
Link& Link::operator=(Link&&) noexcept = default;

std::uint64_t Link::structure_version() { return g_structure_version; }
void Link::note_change_of_structure() noexcept { ++g_structure_version; }

void Link::register_child(const std::string& name, Link& child) { add(children_, name, &child); }
void Link::register_parameter(const std::string& name, Parameter& parameter) { add(params_, name, &parameter); }
void Link::register_persistent(const std::string& name, PersistentBase& persistent) {
  add(persistents_, name, &persistent);
}

void Link::add(Members& members, const std::string& name, const void* member) {
  if (name.empty() || name.find('/') != std::string::npos)
    throw ValueError{"name of a member of a link", fmt::format("'{}'", name), "at least one character and no '/'"};
  for (const Members* taken : {&params_, &persistents_, &children_})
    for (const Member& other : *taken)
      if (other.name == name)
        throw ValueError{"name of a member of a link", fmt::format("'{}' twice", name), "a name of its own for each"};
  const auto place = std::upper_bound(members.begin(), members.end(), name,
                                      [](const std::string& key, const Member& m) { return key < m.name; });
  members.insert(place, {name, reinterpret_cast<std::intptr_t>(member) - reinterpret_cast<std::intptr_t>(this)});
  note_change_of_structure();
}

std::vector<std::pair<std::string, Link*>> Link::children() {
  std::vector<std::pair<std::string, Link*>> result;
  for (const Member& child : children_) result.emplace_back(child.name, &at<Link>(child));
  return result;
}

std::vector<std::pair<std::string, Parameter*>> Link::named_params() {
  std::vector<std::pair<std::string, Parameter*>> result;
  collect_params("", result);
  return result;
}

void Link::collect_params(const std::string& prefix, std::vector<std::pair<std::string, Parameter*>>& result) {
  for (const Member& member : params_) result.emplace_back(join(prefix, member.name), &at<Parameter>(member));
  for (const auto& [name, child] : children()) child->collect_params(join(prefix, name), result);
}

std::vector<std::pair<std::string, Link*>> Link::named_links() {
  std::vector<std::pair<std::string, Link*>> result;
  collect_links("", result);
  return result;
}

void Link::collect_links(const std::string& path, std::vector<std::pair<std::string, Link*>>& result) {
  result.emplace_back(path, this);
  for (const auto& [name, child] : children()) child->collect_links(join(path, name), result);
}

Parameter& Link::param(std::string_view path) {
  const auto params = named_params();
  std::vector<std::string_view> paths;
  for (const auto& [name, parameter] : params) {
    if (name == path) return *parameter;
    paths.push_back(name);
  }
  throw ValueError{"path of a parameter", path, fmt::format("one of {}", fmt::join(paths, ", "))};
}

std::int64_t Link::count_params() {
  std::set<const void*> seen;
  std::int64_t count = 0;
  for (const auto& [name, parameter] : named_params())
    if (parameter->is_initialized() && seen.insert(parameter->id()).second) count += parameter->size();
  return count;
}

void Link::cleargrads() {
  for (const Member& member : params_)
    if (const auto& parameter = at<Parameter>(member)) parameter.clear_grad();
  for (const auto& [name, child] : children()) child->cleargrads();
}

void Link::to_device(Device& device) {
  for (const Member& member : params_) at<Parameter>(member).to_device(device);
  for (const Member& member : persistents_) at<PersistentBase>(member).to_device(device);
  for (const auto& [name, child] : children()) child->to_device(device);
}

void Link::copy_from(Link& source) {
  Dictionary values;
  Serializer saver = Serializer::saving(values);
  source.serialize(saver);
  Serializer loader = Serializer::loading(values, "copy_from");
  serialize(loader);
  loader.finish();
}

void Link::serialize(Serializer& s) {
  for (const Member& member : params_) at<Parameter>(member).serialize(s, member.name);
  for (const Member& member : persistents_) at<PersistentBase>(member).serialize(s, member.name);
  for (const auto& [name, child] : children()) s.object(name, *child);
}

bool Link::find_path(const void* link, std::string& path) {
  for (const auto& [name, candidate] : named_links()) {
    if (candidate != link) continue;
    path = name;
    return true;
  }
  return false;
}

void Link::explain(Error& error) {
  std::string path;
  if (!error.link() || !find_path(error.link(), path) || path.empty()) return;
  if (!std::string_view{error.what()}.starts_with(path + ": ")) error.prepend(path);
}

void Link::check_members_inside(const void* object, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::intptr_t>(object), end = begin + static_cast<std::intptr_t>(bytes);
  for (const Members* members : {&params_, &persistents_, &children_})
    for (const Member& member : *members) {
      const std::intptr_t address = reinterpret_cast<std::intptr_t>(this) + member.offset;
      if (address < begin || address >= end)
        throw StateError{fmt::format("member '{}' is registered in a link but lies outside it (in a std::vector, or "
                                     "behind a pointer), so copies of the link would go wrong: keep it in a ChainList",
                                     member.name)};
    }
  for (const Member& child : children_) at<Link>(child).check_members_inside(object, bytes);
}

}  // namespace renkei
