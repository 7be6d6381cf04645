// The constants of the file that each build generates.
#pragma once

namespace berth::build_info {

extern const char* const kBuildVersion;
extern const char* const kBuildCommit;
extern const bool kBuildModified;
extern const char* const kBuildDate;

}  // namespace berth::build_info
