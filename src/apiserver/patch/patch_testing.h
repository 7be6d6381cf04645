// A table row of the tests of patches.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace berth::apiserver::patch {

struct PatchCase {
  const char* name;
  const char* document;
  const char* patch;
  const char* want;  // The document, or for failing cases a part of the message.
};

inline std::string NameOf(const testing::TestParamInfo<PatchCase>& info) { return info.param.name; }

}  // namespace berth::apiserver::patch
