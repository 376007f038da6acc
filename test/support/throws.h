// Checks that an expression throws an error of a given type whose text holds every given piece.
#pragma once

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <renkei/lib/core/error.h>

namespace renkei::test {

/// The text of the error that `action` throws; fails the test if it throws none or one of another type.
template <class ErrorType = Error, class Action>
std::string error_text(Action&& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  FAIL("nothing was thrown");
  return {};
}

template <class ErrorType = Error, class Action>
void check_error(Action&& action, const std::vector<std::string>& pieces) {
  const std::string text = error_text<ErrorType>(std::forward<Action>(action));
  for (const std::string& piece : pieces) CHECK_THAT(text, Catch::Contains(piece));
}

}  // namespace renkei::test
