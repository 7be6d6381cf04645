#include "scheduler/devices/device_names.h"

#include <array>
#include <charconv>
#include <cstddef>

namespace berth::scheduler::devices {
namespace {

constexpr size_t kMaxDigits = 20;  // Of a length.

void AppendLength(size_t length, std::string& to) {
  std::array<char, kMaxDigits> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), length).ptr;
  to.append(digits.data(), end).push_back(':');
}

}  // namespace

std::string PoolKey(std::string_view driver, std::string_view pool) {
  std::string key;
  key.reserve(kMaxDigits + driver.size() + pool.size());
  AppendLength(driver.size(), key);
  key.append(driver).append(pool);
  return key;
}

std::string DeviceKey(std::string_view driver, std::string_view pool, std::string_view device) {
  std::string key;
  key.reserve(2 * kMaxDigits + driver.size() + pool.size() + device.size());
  AppendLength(driver.size(), key);
  AppendLength(pool.size(), key);
  key.append(driver).append(pool).append(device);
  return key;
}

}  // namespace berth::scheduler::devices
