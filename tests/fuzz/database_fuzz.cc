// Arbitrary and damaged files as the data directory of a store. Opening it ends with an error, or
// with a store that works; a store that was damaged has all its objects.
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/store/journal.h"
#include "apiserver/store/store.h"
#include "base/check.h"
#include "base/result.h"

namespace {

namespace fs = std::filesystem;
using berth::apiserver::store::Draft;
using berth::apiserver::store::Store;
using Contents = std::map<std::string, std::string>;

constexpr std::array<const char*, 3> kFiles = {"berth.db", "berth.db-wal", "acknowledged"};

// The directory of all inputs, in memory if possible, since stores are synced.
const std::string& Directory() {
  static const struct Temporary {
    Temporary() { CHECK(mkdtemp(path.data()) != nullptr); }
    ~Temporary() { fs::remove_all(path); }
    std::string path = fs::exists("/dev/shm") ? "/dev/shm/berth-XXXXXX" : "/tmp/berth-XXXXXX";
  } directory;
  return directory.path;
}

void Restore(const Contents& contents) {
  for (const char* file : kFiles) {
    const std::string path = Directory() + "/" + file;
    std::error_code ignored;
    fs::remove(path, ignored);
    const auto found = contents.find(file);
    if (found != contents.end()) std::ofstream(path, std::ios::binary) << found->second;
  }
}

Contents ReadFiles() {
  Contents contents;
  for (const char* file : kFiles) {
    std::ifstream in(Directory() + "/" + file, std::ios::binary);
    if (in) contents[file] = {std::istreambuf_iterator<char>(in), {}};
  }
  return contents;
}

berth::Result<std::unique_ptr<Store>> OpenStore() {
  auto journal = berth::apiserver::store::OpenSqliteJournal(Directory());
  if (!journal) return std::unexpected(journal.error());
  return Store::Open({.collections = {"pods"}, .history = 20}, *std::move(journal));
}

Draft MakeDraft(const std::string& name, const std::string& text) {
  Draft draft;
  draft.object.key.name = name;
  draft.object.labels = {{"app", "web"}};
  draft.object.json = R"({"v":"","text":")" + text + "\"}";
  draft.version_at = 6;
  return draft;
}

std::string Describe(const Store& store) {
  std::string text;
  for (const auto& object : store.List(0, {}).objects) text += object->json + "\n";
  return text;
}

// The files of a store that was closed, and of one whose process was killed.
struct Originals {
  Originals() {
    const auto store = OpenStore();
    CHECK(store.has_value());
    for (int i = 0; i < 80; ++i) {
      const std::string name = std::to_string(i % 50);
      const auto now = (*store)->Get(0, {"", name});
      const Draft draft = MakeDraft(name, std::string(i % 9 == 0 ? 5000 : 50, 'x'));
      CHECK(now == nullptr ? (*store)->Create(0, draft).has_value()
                           : (*store)->Replace(0, draft, now->version).has_value());
      if (i % 10 != 9) continue;
      std::promise<void> visible;
      (*store)->WhenVisible((*store)->version(), [&](const auto&) { visible.set_value(); });
      visible.get_future().wait();
    }
    description = Describe(**store);
    killed = ReadFiles();
  }
  // After the store is closed.
  void ReadClosed() { closed = ReadFiles(); }

  Contents killed;
  Contents closed;
  std::string description;
};

const Originals& TheOriginals() {
  static const Originals originals = [] {
    Originals made;
    made.ReadClosed();
    return made;
  }();
  return originals;
}

// Changes bytes: each change is three bytes of position and a mask, or zero to cut the rest off.
std::string Damage(std::string bytes, std::span<const uint8_t> changes) {
  for (; changes.size() >= 4 && !bytes.empty(); changes = changes.subspan(4)) {
    const size_t at = (changes[0] | changes[1] << 8 | changes[2] << 16) % bytes.size();
    if (changes[3] == 0) {
      bytes.resize(at);
    } else {
      bytes[at] = static_cast<char>(bytes[at] ^ changes[3]);
    }
  }
  return bytes;
}

}  // namespace

// The first byte chooses a file; the others are changes of it, or its whole content. Only one file
// is damaged, since the mark of acknowledged writes cannot reveal a damage if it is lost itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Originals& originals = TheOriginals();
  if (size == 0) return 0;
  const std::span<const uint8_t> rest(data + 1, size - 1);
  Contents contents = data[0] % 2 == 0 ? originals.closed : originals.killed;
  const bool damaged = data[0] % 4 < 2;
  std::string& file = contents[kFiles[data[0] / 4 % kFiles.size()]];
  file = damaged ? Damage(std::move(file), rest) : std::string(rest.begin(), rest.end());
  Restore(contents);
  std::string description;
  {
    const auto store = OpenStore();
    if (!store) {
      CHECK(store.error().message.find(Directory()) != std::string::npos);
      return 0;
    }
    CHECK(!damaged || Describe(**store) == originals.description);
    CHECK((*store)->Create(0, MakeDraft("new", "y")).has_value());
    description = Describe(**store);
  }
  const auto store = OpenStore();
  CHECK(store.has_value() && Describe(**store) == description);
  return 0;
}
