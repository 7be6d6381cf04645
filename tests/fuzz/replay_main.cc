// Runs every fuzz target over its corpus, tests/fuzz/corpus/NAME, without a fuzzer.
//
//   fuzz_replay CORPUS [NAME...]
//
// Each target is a function of its own name here: see CMakeLists.txt. Ends with 1 if a target has
// no inputs; an input that a target rejects ends the process, after its name was printed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#define BERTH_FUZZ_TARGET(name) extern "C" int name##_fuzz(const uint8_t* data, size_t size);
#include "fuzz_targets.inc"
#undef BERTH_FUZZ_TARGET

namespace {

struct Target {
  std::string_view name;
  int (*run)(const uint8_t*, size_t);
};

constexpr Target kTargets[] = {
#define BERTH_FUZZ_TARGET(name) {#name, name##_fuzz},
#include "fuzz_targets.inc"
#undef BERTH_FUZZ_TARGET
};

// Returns how many inputs there are.
size_t Replay(const Target& target, const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    target.run(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  return files.size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fuzz_replay CORPUS [NAME...]\n");
    return 2;
  }
  const std::vector<std::string_view> chosen(argv + 2, argv + argc);
  bool complete = true;
  for (const Target& target : kTargets) {
    if (!chosen.empty() && std::ranges::find(chosen, target.name) == chosen.end()) continue;
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / target.name;
    if (Replay(target, folder) > 0) continue;
    std::fprintf(stderr, "fuzz_replay: %s has no inputs in %s\n", std::string(target.name).c_str(),
                 folder.c_str());
    complete = false;
  }
  return complete ? 0 : 1;
}
