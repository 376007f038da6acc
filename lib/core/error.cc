#include <renkei/lib/core/error.h>

#include <fmt/format.h>

namespace renkei {
namespace {

template <class Operands, class Text>
std::string describe(std::string_view where, const Operands& got, std::string_view want, Text text) {
  std::string message = fmt::format("{}: got", where);
  for (const auto& operand : got) message += fmt::format(" {}={}", operand.name, text(operand));
  return message + fmt::format("; want {}", want);
}

}  // namespace

void Error::prepend(std::string_view context) { message_ = fmt::format("{}: {}", context, message_); }

ShapeError::ShapeError(std::string_view where, const std::vector<NamedShape>& got, std::string_view want)
    : Error{describe(where, got, want, [](const NamedShape& o) { return o.shape.to_string(); })} {}

DtypeError::DtypeError(std::string_view where, const std::vector<NamedDtype>& got, std::string_view want)
    : Error{describe(where, got, want, [](const NamedDtype& o) { return name_of(o.dtype); })} {}

std::string ValueError::as_text(double got) { return fmt::format("{}", got); }

std::string ValueError::compose(std::string_view name, std::string_view got, std::string_view want) {
  return fmt::format("{}: got {}; want {}", name, got, want);
}

FileError::FileError(std::string_view path, std::string_view problem)
    : Error{fmt::format("{}: {}", path, problem)} {}

FileError::FileError(std::string_view path, std::int64_t offset, std::string_view problem)
    : Error{fmt::format("{}: offset {}: {}", path, offset, problem)} {}

}  // namespace renkei
