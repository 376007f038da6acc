// Links that own children on the heap: any number of them, known at run time.
#pragma once

#include <memory>

#include <renkei/lib/links/link.h>

namespace renkei {

/// Owns a list of links, numbered "0", "1", ... in paths and files. Copies copy the children.
///
///   struct Deep : Chain {
///     ChainList layers{*this, "layers"};
///     explicit Deep(int depth) { for (int i = 0; i < depth; ++i) layers.add(links::Linear{100}); }
///     Variable forward(Variable x) {
///       for (std::size_t i = 0; i < layers.size(); ++i) x = functions::relu(layers.at<links::Linear>(i)(x));
///       return x;
///     }
///   };
class ChainList : public Chain {
 public:
  ChainList() = default;
  ChainList(Chain& parent, const std::string& name) : Chain{parent, name} {}
  ChainList(const ChainList& other);
  ChainList& operator=(const ChainList& other);
  ChainList(ChainList&&) = default;
  ChainList& operator=(ChainList&&) = default;
  ~ChainList() override;

  /// Moves `link` into the list; throws StateError if one of its members lies outside it. The reference stays valid.
  template <class T>
  T& add(T link) {
    auto element = std::make_unique<ElementOf<T>>(std::move(link));
    T& added = element->value;
    static_cast<Link&>(added).check_members_inside(&added, sizeof added);
    elements_.push_back(std::move(element));
    note_change_of_structure();
    return added;
  }

  std::size_t size() const { return elements_.size(); }
  Link& operator[](std::size_t i) { return at<Link>(i); }

  /// Child i as what it is; throws ValueError beyond the end or if it is something else.
  template <class T>
  T& at(std::size_t i) {
    if (i >= elements_.size()) throw_no_element(i);
    if (auto* link = dynamic_cast<T*>(&elements_[i]->link())) return *link;
    throw_wrong_type(i);
  }

  std::vector<std::pair<std::string, Link*>> children() override;

 private:
  struct Element {
    virtual ~Element() = default;
    virtual Link& link() = 0;
    virtual std::unique_ptr<Element> clone() const = 0;
  };
  template <class T>
  struct ElementOf final : Element {
    explicit ElementOf(T link) : value{std::move(link)} {}
    Link& link() override { return value; }
    std::unique_ptr<Element> clone() const override { return std::make_unique<ElementOf>(value); }
    T value;
  };

  [[noreturn]] void throw_no_element(std::size_t i) const;
  [[noreturn]] void throw_wrong_type(std::size_t i) const;

  std::vector<std::unique_ptr<Element>> elements_;
};

}  // namespace renkei
