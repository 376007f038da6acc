// Link: something with parameters. Chain: a link with child links; a user's model is a plain struct:
//
//   struct MLP : Chain {
//     links::Linear l1{*this, "l1", 1000}, l2{*this, "l2", 10};
//     Variable forward(const Variable& x) { return l2(functions::relu(l1(x))); }
//   };
//
// A member gives `*this` and its name to its constructor, and the link notes name and byte offset. Offsets are the same
// in every object of a type, so the compiler's own copy and move constructors make correct models: the copy's notes
// mean the copy's members, and parameters copy deeply. A member must therefore lie inside the object; children on the
// heap belong into a ChainList. Links are not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include <renkei/lib/core/error.h>
#include <renkei/lib/links/parameter.h>

namespace renkei {

class Chain;
class PersistentBase;

class Link {
 public:
  virtual ~Link();

  /// All parameters with their paths ("predictor/l1/W"), uninitialised ones too: own ones in the order of their names,
  /// then those of each child. A parameter reached on two paths is listed twice.
  std::vector<std::pair<std::string, Parameter*>> named_params();
  /// This link (path "") and all links below it.
  std::vector<std::pair<std::string, Link*>> named_links();
  /// Direct children, in the order of their names; ChainList and Sequential number theirs.
  virtual std::vector<std::pair<std::string, Link*>> children();

  /// The parameter of that path; throws ValueError listing what there is.
  Parameter& param(std::string_view path);
  std::int64_t count_params();  ///< number of elements of all initialised parameters, shared ones counted once
  void cleargrads();
  virtual void to_device(Device& device);

  /// Copies all parameters and persistent values of a model of the same structure (else MismatchError).
  void copy_from(Link& source);

  /// Parameters and persistent values by name, children under their names.
  virtual void serialize(Serializer& s);

  /// Path of a link inside this one ("" for itself); false if `link` is not inside.
  bool find_path(const void* link, std::string& path);
  /// Puts the path of the link that an error blames before its text: "predictor/l2: linear: got ...".
  void explain(Error& error);

  /// Throws StateError naming the member if a registered one lies outside [object, object + bytes), the memory of the
  /// most derived object. Copying such a model would go wrong.
  void check_members_inside(const void* object, std::size_t bytes);
  /// The same where the static type is the real one.
  template <class Model>
  static void check_members(Model& model) {
    Link& link = model;
    if (typeid(link) == typeid(Model)) link.check_members_inside(&model, sizeof model);
  }

  /// Changes whenever the set of parameters of any link may have changed.
  static std::uint64_t structure_version();
  static void note_change_of_structure() noexcept;

 protected:
  Link() = default;
  Link(Chain& parent, const std::string& name);
  Link(Chain* parent, const std::string& name);  ///< the same; null stands for no parent
  Link(const Link&);  // defined once in link.cc, or each user's model would compile them anew
  Link& operator=(const Link&);
  Link(Link&&) noexcept;
  Link& operator=(Link&&) noexcept;

  /// Registers members; throw ValueError when the name is empty, has a '/', or is taken.
  void register_child(const std::string& name, Link& child);
  void register_parameter(const std::string& name, Parameter& parameter);
  void register_persistent(const std::string& name, PersistentBase& persistent);

  /// Runs `body`; an Error that leaves it blames this link, if none further inside.
  template <class Body>
  decltype(auto) blaming(const Body& body) const {
    try {
      return body();
    } catch (Error& error) {
      error.blame(this);
      throw;
    }
  }

 private:
  friend class Parameter;
  friend class PersistentBase;

  struct Member {
    std::string name;
    std::intptr_t offset;  // of the member from this link
  };
  using Members = std::vector<Member>;  // sorted by name

  void add(Members& members, const std::string& name, const void* member);
  template <class T>
  T& at(const Member& member) {
    return *reinterpret_cast<T*>(reinterpret_cast<std::intptr_t>(this) + member.offset);
  }
  void collect_params(const std::string& prefix, std::vector<std::pair<std::string, Parameter*>>& result);
  void collect_links(const std::string& path, std::vector<std::pair<std::string, Link*>>& result);

  Members params_, persistents_, children_;
};

class Chain : public Link {
 protected:
  Chain() = default;
  Chain(Chain& parent, const std::string& name) : Link{parent, name} {}
  Chain(const Chain&) = default;
  Chain& operator=(const Chain&) = default;
  Chain(Chain&&) = default;
  Chain& operator=(Chain&&) = default;
};

}  // namespace renkei
