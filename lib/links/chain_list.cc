#include <renkei/lib/links/chain_list.h>

#include <fmt/format.h>

namespace renkei {

ChainList::ChainList(const ChainList& other) : Chain{other} {
  for (const auto& element : other.elements_) elements_.push_back(element->clone());
}

ChainList& ChainList::operator=(const ChainList& other) {
  if (this == &other) return *this;
  ChainList copy{other};
  Chain::operator=(other);
  elements_ = std::move(copy.elements_);
  note_change_of_structure();
  return *this;
}

ChainList::~ChainList() = default;

std::vector<std::pair<std::string, Link*>> ChainList::children() {
  auto result = Chain::children();
  for (std::size_t i = 0; i < elements_.size(); ++i) result.emplace_back(std::to_string(i), &elements_[i]->link());
  return result;
}

void ChainList::throw_no_element(std::size_t i) const {
  throw ValueError{"ChainList: index", i, fmt::format("below its size, {}", elements_.size())};
}

void ChainList::throw_wrong_type(std::size_t i) const {
  throw ValueError{fmt::format("ChainList: element {} is a link of another type", i)};
}

}  // namespace renkei
