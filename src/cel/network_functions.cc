// Functions of IP addresses and networks.
#include <algorithm>

#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/network.h"

namespace berth::cel {
namespace {

Value NewAddress(const Call& call, const IpAddress& address, bool is_network) {
  const auto* copy = call.evaluation.arena().New<IpAddress>(address);
  return is_network ? Value::Cidr(copy) : Value::Ip(copy);
}

Value ToIp(const Call& call) {
  const auto address = ParseIp(call[0].text());
  if (!address) return call.evaluation.FailWith("{}", address.error().message);
  return NewAddress(call, *address, false);
}

Value IsIp(const Call& call) { return Value::Bool(ParseIp(call[0].text()).has_value()); }

Value IsCanonicalIp(const Call& call) {
  const Value address = ToIp(call);
  if (address.is_error()) return address;
  return Value::Bool(FormatAddress(address) == call[0].text());
}

Value Family(const Call& call) { return Value::Int(call[0].address().is_v4 ? 4 : 6); }

bool IsUnspecifiedAddress(const IpAddress& address) {
  return std::ranges::all_of(address.bytes, [](uint8_t byte) { return byte == 0; });
}

bool IsLoopbackAddress(const IpAddress& address) {
  if (address.is_v4) return address.bytes[0] == 127;
  return address.bytes[15] == 1 && std::all_of(address.bytes.begin(), address.bytes.end() - 1,
                                               [](uint8_t byte) { return byte == 0; });
}

bool IsMulticastAddress(const IpAddress& address) {
  return address.is_v4 ? (address.bytes[0] & 0xF0) == 0xE0 : address.bytes[0] == 0xFF;
}

bool IsLinkLocalUnicastAddress(const IpAddress& address) {
  if (address.is_v4) return address.bytes[0] == 169 && address.bytes[1] == 254;
  return address.bytes[0] == 0xFE && (address.bytes[1] & 0xC0) == 0x80;
}

Value IsUnspecified(const Call& call) {
  return Value::Bool(IsUnspecifiedAddress(call[0].address()));
}

Value IsLoopback(const Call& call) { return Value::Bool(IsLoopbackAddress(call[0].address())); }

Value IsLinkLocalMulticast(const Call& call) {
  const auto& bytes = call[0].address().bytes;
  if (call[0].address().is_v4) {
    return Value::Bool(bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0);
  }
  return Value::Bool(bytes[0] == 0xFF && (bytes[1] & 0x0F) == 0x02);
}

Value IsLinkLocalUnicast(const Call& call) {
  return Value::Bool(IsLinkLocalUnicastAddress(call[0].address()));
}

Value IsGlobalUnicast(const Call& call) {
  const IpAddress& address = call[0].address();
  const bool broadcast =
      address.is_v4 && std::all_of(address.bytes.begin(), address.bytes.begin() + 4,
                                   [](uint8_t byte) { return byte == 255; });
  return Value::Bool(!broadcast && !IsUnspecifiedAddress(address) && !IsLoopbackAddress(address) &&
                     !IsMulticastAddress(address) && !IsLinkLocalUnicastAddress(address));
}

Value ToCidr(const Call& call) {
  const auto network = ParseCidr(call[0].text());
  if (!network) {
    return call.evaluation.FailWith("network address parse error during conversion from string: {}",
                                    network.error().message);
  }
  return NewAddress(call, *network, true);
}

Value IsCidr(const Call& call) { return Value::Bool(ParseCidr(call[0].text()).has_value()); }

IpAddress Masked(IpAddress network) {
  for (size_t i = 0; i < network.bytes.size(); ++i) {
    const int kept = std::clamp(network.bits - static_cast<int>(i) * 8, 0, 8);
    network.bytes[i] &= static_cast<uint8_t>(0xFF00 >> kept);
  }
  return network;
}

// Reports whether both have the first `bits` bits in common.
bool SharePrefix(IpAddress a, IpAddress b, uint8_t bits) {
  a.bits = bits;
  b.bits = bits;
  return Masked(a) == Masked(b);
}

bool ContainsAddress(const IpAddress& network, const IpAddress& address) {
  return network.is_v4 == address.is_v4 && SharePrefix(network, address, network.bits);
}

bool ContainsNetwork(const IpAddress& network, const IpAddress& other) {
  return network.bits <= other.bits && ContainsAddress(network, other);
}

Value ContainsIp(const Call& call) {
  return Value::Bool(ContainsAddress(call[0].address(), call[1].address()));
}

Value ContainsIpText(const Call& call) {
  const auto address = ParseIp(call[1].text());
  if (!address) return Value::Error(kNoSuchOverload);
  return Value::Bool(ContainsAddress(call[0].address(), *address));
}

Value ContainsCidr(const Call& call) {
  return Value::Bool(ContainsNetwork(call[0].address(), call[1].address()));
}

Value ContainsCidrText(const Call& call) {
  const auto network = ParseCidr(call[1].text());
  if (!network) {
    return call.evaluation.FailWith("network address parse error during conversion from string: {}",
                                    network.error().message);
  }
  return Value::Bool(ContainsNetwork(call[0].address(), *network));
}

Value CidrAddress(const Call& call) {
  IpAddress address = call[0].address();
  address.bits = 0;
  return NewAddress(call, address, false);
}

Value PrefixLength(const Call& call) { return Value::Int(call[0].address().bits); }

Value MaskedCidr(const Call& call) { return NewAddress(call, Masked(call[0].address()), true); }

}  // namespace

void AddNetworkFunctions(Environment& environment) {
  const Type* const s = &kStringType;
  const Type* const ip = &kIpType;
  const Type* const cidr = &kCidrType;
  environment.Define("ip")
      .Costs(CostRule::kScan)
      .Global("string_to_ip", {s}, ip, ToIp)
      .Member("cidr_ip", {cidr}, ip, CidrAddress, CostRule::kOne);
  environment.Define("isIP").Costs(CostRule::kScan).Global("is_ip", {s}, &kBoolType, IsIp);
  environment.Define("ip.isCanonical")
      .Costs(CostRule::kScanTwice)
      .Global("ip_is_canonical", {s}, &kBoolType, IsCanonicalIp);
  environment.Define("family").Member("ip_family", {ip}, &kIntType, Family);
  environment.Define("isUnspecified").Member("ip_is_unspecified", {ip}, &kBoolType, IsUnspecified);
  environment.Define("isLoopback").Member("ip_is_loopback", {ip}, &kBoolType, IsLoopback);
  environment.Define("isLinkLocalMulticast")
      .Member("ip_is_link_local_multicast", {ip}, &kBoolType, IsLinkLocalMulticast);
  environment.Define("isLinkLocalUnicast")
      .Member("ip_is_link_local_unicast", {ip}, &kBoolType, IsLinkLocalUnicast);
  environment.Define("isGlobalUnicast")
      .Member("ip_is_global_unicast", {ip}, &kBoolType, IsGlobalUnicast);
  environment.Define("cidr").Costs(CostRule::kScan).Global("string_to_cidr", {s}, cidr, ToCidr);
  environment.Define("isCIDR").Costs(CostRule::kScan).Global("is_cidr", {s}, &kBoolType, IsCidr);
  environment.Define("containsIP")
      .Costs(CostRule::kContainsIp)
      .Member("cidr_contains_ip_string", {cidr, s}, &kBoolType, ContainsIpText,
              CostRule::kContainsIpText)
      .Member("cidr_contains_ip_ip", {cidr, ip}, &kBoolType, ContainsIp);
  environment.Define("containsCIDR")
      .Costs(CostRule::kContainsCidr)
      .Member("cidr_contains_cidr_string", {cidr, s}, &kBoolType, ContainsCidrText,
              CostRule::kContainsCidrText)
      .Member("cidr_contains_cidr", {cidr, cidr}, &kBoolType, ContainsCidr);
  environment.Define("prefixLength").Member("cidr_prefix_length", {cidr}, &kIntType, PrefixLength);
  environment.Define("masked").Member("cidr_masked", {cidr}, cidr, MaskedCidr);
}

}  // namespace berth::cel
