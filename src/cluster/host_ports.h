// Host ports: which (ip, protocol, port) triples a pod takes on its node, and which of them clash.
//
// "0.0.0.0" stands for all addresses; no other address does, not even "::".
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "api/pod.h"
#include "base/symbol_table.h"

namespace berth {

struct HostPort {
  int32_t port = 0;
  Symbol protocol;
  Symbol ip;
  friend constexpr auto operator<=>(const HostPort&, const HostPort&) = default;
};

// The ports of containers and sidecars; ordinary init containers are gone before the pod runs.
std::vector<HostPort> HostPortsOf(const api::PodSpec& spec, SymbolTable& symbols);

// True if a pod wanting `a` cannot share a node with one holding `b`. `any_ip` is the symbol of
// "0.0.0.0".
constexpr bool Clash(const HostPort& a, const HostPort& b, Symbol any_ip) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == any_ip || b.ip == any_ip);
}

}  // namespace berth
