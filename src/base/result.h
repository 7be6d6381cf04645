// Result<T> is what a function returns that can fail because of its input or surroundings.
//
// The error is a sentence for the user: it names the file, field or value that is wrong and, where
// that is not obvious, what to do. What cannot happen is a CHECK, not an Error.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace berth {

struct Error {
  std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

using Status = std::expected<void, Error>;

// Makes the failed Result: `return Fail("no such file: " + path);`
inline std::unexpected<Error> Fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

}  // namespace berth
