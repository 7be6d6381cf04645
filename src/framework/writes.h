// The writes to the Kubernetes API that scheduling asks for, and how they end.
//
// The engine hands each write out as a command and hears of its end in a later event; nothing is
// taken as written before that.
#pragma once

#include <string>
#include <variant>

#include "api/meta.h"

namespace berth {

// POST pods/<name>/binding.
struct BindPod {
  api::ObjectKey pod;
  std::string uid;
  std::string node;
  friend bool operator==(const BindPod&, const BindPod&) = default;
};

using ApiWrite = std::variant<BindPod>;

struct WriteResult {
  enum class Kind { kOk, kConflict, kNotFound, kTimeout, kUnavailable, kRejected };
  Kind kind = Kind::kOk;
  std::string message;  // What the API said, unless ok.

  bool ok() const { return kind == Kind::kOk; }
  friend bool operator==(const WriteResult&, const WriteResult&) = default;
};

}  // namespace berth
