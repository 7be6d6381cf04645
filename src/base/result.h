// Result<T> is the return type of functions that can fail because of input or environment.
//
// The error is a sentence for the user: it names the file, field or value that is wrong and, where
// that is not obvious, what to do. A broken invariant is a CHECK, not an Error.
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

// Returns a failed Result: `return Fail("no such file: " + path);`
inline std::unexpected<Error> Fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

}  // namespace berth
