#include "inspect/http/link_token.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>
#include <span>

#include "base/check.h"

namespace berth::inspect::http {
namespace {

std::string Sign(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
             &size) != nullptr);
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(size), ""));
}

}  // namespace

bool SameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string MakeLinkToken(std::string_view key, Instant valid_until) {
  const std::string until = fmt::format("{}", valid_until.unix_seconds());
  return until + "-" + Sign(key, until);
}

bool IsValidLinkToken(std::string_view key, std::string_view token, Instant now) {
  const size_t dash = token.find('-');
  if (dash == token.npos) return false;
  const std::string_view until = token.substr(0, dash);
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(until.data(), until.data() + until.size(), seconds);
  const bool genuine = SameSecret(Sign(key, until), token.substr(dash + 1));
  return genuine && error == std::errc() && end == until.data() + until.size() &&
         now < Instant::FromUnixSeconds(seconds);
}

std::string DashboardLink(uint16_t port, std::string_view key, Instant now) {
  return fmt::format("http://127.0.0.1:{}/?token={}", port,
                     MakeLinkToken(key, now + kLinkLifetime));
}

}  // namespace berth::inspect::http
