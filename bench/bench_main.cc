// The main() of the benchmarks.
//
// Google Benchmark's own prints "Library was built as DEBUG" wherever the library was compiled
// without NDEBUG, as Debian's is. That says nothing about Berth's build type, and the library's
// assertions are outside of the timed loops, so the line is omitted; all others are printed.
#include <benchmark/benchmark.h>

#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kLibraryWarning = "***WARNING*** Library was built as DEBUG";

class Reporter final : public benchmark::ConsoleReporter {
 public:
  bool ReportContext(const Context& context) override {
    std::stringstream text;
    std::ostream& real = GetErrorStream();
    SetErrorStream(&text);
    const bool goes_on = ConsoleReporter::ReportContext(context);
    SetErrorStream(&real);
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with(kLibraryWarning)) real << line << '\n';
    }
    return goes_on;
  }
};

// Reports whether a flag asks for another format than the console's.
bool HasOtherFormat(int argc, char** argv) {
  constexpr std::string_view kFormat = "--benchmark_format=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(kFormat) && argument.substr(kFormat.size()) != "console") return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool other_format = HasOtherFormat(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(other_format ? nullptr : &reporter);
  benchmark::Shutdown();
  return 0;
}
