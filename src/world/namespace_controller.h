// NamespaceController ends namespaces: deletes what is in them, waits for what takes its time, and
// then lets them go.
#pragma once

#include <string>
#include <unordered_map>

#include "world/controller.h"

namespace berth::world {

class NamespaceController final : public Controller {
 public:
  explicit NamespaceController(Context& context) : Controller("namespaces", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& key) override;  // The key is a namespace's.
  size_t index_size() const override { return left_.size(); }

 private:
  // How many objects have yet to go in each that ends.
  std::unordered_map<std::string, size_t> left_;
};

}  // namespace berth::world
