// Scratch is the memory of the documents of one request: they are made there and forgotten at once.
#pragma once

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/storage_ptr.hpp>

namespace berth::apiserver {

// Declared before the documents that live in it. Copies of a document live where it does: what is
// to outlast the request is copied out with `Json(document, {})`.
class Scratch {
 public:
  Scratch() : resource_(buffer_.data(), buffer_.size()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  boost::json::storage_ptr storage() { return &resource_; }

 private:
  std::array<unsigned char, 24 * 1024> buffer_;
  boost::json::monotonic_resource resource_;
};

}  // namespace berth::apiserver
