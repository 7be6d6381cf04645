// The program that crash_test kills: it writes to a store in DIRECTORY as fast as it can, on
// several threads, and logs its writes to standard output.
//
//   crash_writer DIRECTORY ROUND THREADS HISTORY
//
// Each thread creates objects, replaces each and deletes every third. For each write it logs the
// lines "will NAME OPERATION 0" before the call, "try NAME OPERATION VERSION" when the store has
// assigned the version, and "ack NAME OPERATION VERSION" when the write is visible. OPERATION is c,
// r or d.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <thread>

#include "apiserver/store/store_testing.h"
#include "base/terminal.h"

namespace berth::apiserver::store {
namespace {

void Log(const char* what, const std::string& name, char operation, Version version) {
  const std::string line = fmt::format("{} {} {} {}\n", what, name, operation, version);
  // Short writes to a pipe are atomic. If the reader is gone, the output does not matter.
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) _exit(3);
}

template <typename Write>
Version Do(Store& store, const std::string& name, char operation, const Write& make) {
  // Logged first, since the process may be killed at any point.
  Log("will", name, operation, 0);
  const WriteOutcome outcome = make();
  if (!outcome) _exit(4);
  const Version version = (*outcome)->version;
  Log("try", name, operation, version);
  std::promise<bool> visible;
  store.WhenVisible(version, [&](const Status& status) { visible.set_value(status.has_value()); });
  if (!visible.get_future().get()) _exit(5);
  Log("ack", name, operation, version);
  return version;
}

void WriteForever(Store& store, const std::string& prefix) {
  for (int i = 0;; ++i) {
    const std::string name = fmt::format("{}-{}", prefix, i);
    Version version =
        Do(store, name, 'c', [&] { return store.Create(kPods, MakeDraft(name, "created")); });
    const std::string text = "replaced" + std::string(static_cast<size_t>(i) % 7 * 1000, '.');
    version =
        Do(store, name, 'r', [&] { return store.Replace(kPods, MakeDraft(name, text), version); });
    if (i % 3 == 0) {
      Do(store, name, 'd', [&] { return store.Delete(kPods, Name(name), version); });
    }
  }
}

int Run(const char* directory, const std::string& round, int threads, size_t history) {
  auto journal = OpenSqliteJournal(directory, 32);
  if (!journal) {
    PrintError("{}\n", journal.error().message);
    return 1;
  }
  const auto store = OpenStore(std::move(*journal), history);
  std::vector<std::thread> writers;
  for (int i = 0; i < threads; ++i) {
    writers.emplace_back([&, i] { WriteForever(*store, fmt::format("{}-{}", round, i)); });
  }
  for (std::thread& writer : writers) writer.join();
  return 0;
}

}  // namespace
}  // namespace berth::apiserver::store

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  return berth::apiserver::store::Run(argv[1], argv[2], std::atoi(argv[3]),
                                      static_cast<size_t>(std::atoi(argv[4])));
}
