// IPv4 addresses of nodes and pods: ranges in CIDR notation.
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

// "10.0.4.1" as a number.
std::optional<uint32_t> ParseAddress(std::string_view text);
std::string FormatAddress(uint32_t address);

class AddressRange {
 public:
  // How many addresses of a range anybody keeps track of.
  static constexpr size_t kMaxTracked = 1024;

  AddressRange(uint32_t first, uint32_t size) : first_(first), size_(size) {}
  // "10.0.4.0/22"; nothing if it is not IPv4.
  static std::optional<AddressRange> Parse(std::string_view cidr);

  uint32_t first() const { return first_; }
  uint32_t size() const { return size_; }
  std::string At(uint32_t place) const { return FormatAddress(first_ + place); }
  // Where the address is in the range, if it is.
  std::optional<uint32_t> PlaceOf(std::string_view address) const;

 private:
  uint32_t first_;
  uint32_t size_;
};

// NodeKubelet makes nodes ready: conditions, addresses, what they run on and the range of their
// pods' addresses; the part of all kubelets that deals with the nodes themselves.
//
// A node costs one write. What its creator said is kept: a Ready condition that is False stays so,
// which is how a user breaks a node; Unknown, which a controller says, is put right.
class NodeKubelet final : public Controller {
 public:
  explicit NodeKubelet(Context& context) : Controller("node-kubelet", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key is a node's.
  size_t index_size() const override { return numbers_.size() + taken_.size(); }

 private:
  // The node's number, from which its addresses follow. It is the least that is free.
  uint32_t NumberOf(const std::string& node);
  void Complete(JsonObject& node, uint32_t number);

  std::map<std::string, uint32_t> numbers_;
  std::set<uint32_t> taken_;
};

// NodeLeases renews the leases of the nodes in kube-node-lease, by which others see that the
// kubelets live.
//
// Every ten seconds each, as kubelets do, while there are few nodes. With more of them leases last
// longer, so that all together cost at most 50 writes a second.
class NodeLeases final : public Controller {
 public:
  explicit NodeLeases(Context& context) : Controller("node-leases", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key is a node's.

 private:
  Duration Interval() const;
  void Renew(const NodeRecord& node, int64_t seconds);
};

}  // namespace berth::localcluster
