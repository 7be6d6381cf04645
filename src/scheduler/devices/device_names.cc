#include "scheduler/devices/device_names.h"

#include <fmt/format.h>

namespace berth::scheduler::devices {

std::string PoolKey(std::string_view driver, std::string_view pool) {
  return fmt::format("{}:{}{}", driver.size(), driver, pool);
}

std::string DeviceKey(std::string_view driver, std::string_view pool, std::string_view device) {
  return fmt::format("{}:{}:{}{}{}", driver.size(), pool.size(), driver, pool, device);
}

}  // namespace berth::scheduler::devices
