// Issues collects what is wrong with an expression and prints it with position and source line, as
// cel-go does:
//
//   ERROR: <input>:1:7: undefined field 'nosuch'
//    | device.nosuch
//    | ......^
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cel {

class Issues {
 public:
  // `source` must outlive the object.
  explicit Issues(std::string_view source) : source_(source) {}

  // `offset` is in bytes.
  void Add(size_t offset, std::string message);
  // For what concerns the expression as a whole.
  void AddWithoutPosition(std::string message);

  bool empty() const { return issues_.empty(); }
  // Sorted by position. At most kMaxReported are printed.
  std::string ToString() const;

  static constexpr size_t kMaxReported = 100;

 private:
  struct Issue {
    size_t offset;
    bool has_position;
    std::string message;
  };

  std::string Format(const Issue& issue) const;

  std::string_view source_;
  std::vector<Issue> issues_;
  size_t count_ = 0;
};

}  // namespace berth::cel
