// The headers that nearly every file needs, compiled once.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <array>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
