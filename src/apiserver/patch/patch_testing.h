// A row in the table-driven tests of patches.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace berth::apiserver::patch {

struct PatchCase {
  const char* name;
  const char* document;
  const char* patch;
  const char* want;  // The document, or part of the error message.
};

inline std::string NameOf(const testing::TestParamInfo<PatchCase>& info) { return info.param.name; }

}  // namespace berth::apiserver::patch
