// DeviceNames gives devices and pools small integers, by which they are compared and indexed, while
// somebody holds them: slices that list them, and allocations that name them.
#pragma once

#include <string>
#include <string_view>

#include "base/id.h"
#include "base/symbol_table.h"

namespace berth::scheduler::devices {

using DeviceId = Id<struct DeviceTag>;  // A device of a pool of a driver.
using PoolId = Id<struct PoolTag>;      // A pool of a driver.

using DeviceTable = StringTable<DeviceId>;
using DeviceHolder = StringHolder<DeviceId>;
using PoolTable = StringTable<PoolId>;
using PoolHolder = StringHolder<PoolId>;

struct DeviceNames {
  DeviceTable devices;
  PoolTable pools;
};

// The strings under which they are interned: names may contain any character, so each part but the
// last is preceded by its length.
std::string PoolKey(std::string_view driver, std::string_view pool);
std::string DeviceKey(std::string_view driver, std::string_view pool, std::string_view device);

}  // namespace berth::scheduler::devices
