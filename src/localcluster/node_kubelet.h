// NodeKubelet and NodeLeases are the parts of the fake kubelets that maintain nodes: their status
// and their leases. AddressRange assigns the IPv4 addresses of nodes and pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "localcluster/controller.h"

namespace berth::localcluster {

// Parses "10.0.4.1"; returns nullopt if it is not an IPv4 address.
std::optional<uint32_t> ParseAddress(std::string_view text);
std::string FormatAddress(uint32_t address);

class AddressRange {
 public:
  // How many addresses of a range are assigned at most.
  static constexpr size_t kMaxTracked = 1024;

  AddressRange(uint32_t first, uint32_t size) : first_(first), size_(size) {}
  // Parses "10.0.4.0/22"; returns nullopt if it is not IPv4.
  static std::optional<AddressRange> Parse(std::string_view cidr);

  uint32_t first() const { return first_; }
  uint32_t size() const { return size_; }
  std::string At(uint32_t offset) const { return FormatAddress(first_ + offset); }
  // Returns the address's offset in the range, or nullopt if it is outside.
  std::optional<uint32_t> OffsetOf(std::string_view address) const;

 private:
  uint32_t first_;
  uint32_t size_;
};

// NodeKubelet makes nodes ready: it sets their conditions, addresses, node info and pod CIDR.
//
// A node costs one write. Values that its creator set are retained: a Ready condition of False
// stays, so that users can break a node; Unknown, which the node lifecycle controller sets, becomes
// True.
class NodeKubelet final : public Controller {
 public:
  explicit NodeKubelet(Context& context) : Controller("node-kubelet", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key names a node.
  size_t index_size() const override { return numbers_.size() + taken_.size(); }

 private:
  // Returns the node's number, from which its addresses are derived; assigns a free one if it has
  // none.
  uint32_t NumberOf(const std::string& node);
  void Complete(JsonObject& node, uint32_t number);

  std::map<std::string, uint32_t> numbers_;
  std::set<uint32_t> taken_;
};

// NodeLeases renews the nodes' leases in kube-node-lease, the heartbeat of kubelets.
//
// Each is renewed every ten seconds, as kubelets do. With many nodes leases last longer, so that
// all together cost at most 50 writes per second.
class NodeLeases final : public Controller {
 public:
  explicit NodeLeases(Context& context) : Controller("node-leases", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key names a node.

 private:
  Duration Interval() const;
  void Renew(const NodeRecord& node, int64_t seconds);
};

}  // namespace berth::localcluster
