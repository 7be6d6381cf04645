// What patches cost: the first byte says how often lists and objects are repeated, the first line
// is the document, the rest the patch. The bytes that a patch of any type allocates, and its
// result, are in proportion to the sizes of the document and the patch, apart from what the limits
// of JSON patches and strategic merge patches allow.
#ifdef BERTH_FUZZ
#include <sanitizer/allocator_interface.h>
#endif

#include <atomic>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "apiserver/patch/patches.h"
#include "apiserver/patch/server_side_apply.h"
#include "base/check.h"

namespace {

using berth::api::Json;
using berth::api::JsonArray;
using berth::api::JsonObject;
namespace patches = berth::apiserver::patch;

constexpr size_t kMaxValues = 20'000;
// Documents take about ten times their text. An apply copies them several times, with the sets of
// their fields.
constexpr size_t kFactor = 100;
constexpr size_t kApplyFactor = 400;
constexpr size_t kFloor = 1 << 20;
// The limit of copies by a JSON patch, in documents that grow by doubling.
constexpr size_t kCopies = size_t{64} * (3 << 20);
// The limit of repeated elements in a strategic merge patch.
constexpr size_t kRepetitions = size_t{16} * (32 << 20);

std::atomic<size_t> allocated = 0;  // Bytes, since the start.

#ifdef BERTH_FUZZ
void CountAllocation(const volatile void*, size_t size) { allocated += size; }
void IgnoreRelease(const volatile void*) {}

bool CountAllocations() {
  return __sanitizer_install_malloc_and_free_hooks(CountAllocation, IgnoreRelease) > 0;
}
#else
// operator new counts, see below.
bool CountAllocations() { return true; }
#endif

// Repeater makes large documents of small ones.
class Repeater {
 public:
  // Repeats the elements of lists; with `members`, also the members of objects under other names.
  Repeater(size_t times, bool members) : times_(times), members_(members) {}

  // Fields of managers ("f:...") get the index of their list element, so that each manager has its
  // own.
  Json Repeat(const Json& value, const std::string& index = "") {
    ++values_;
    if (const auto* list = value.if_array()) {
      JsonArray result;
      for (size_t i = 0; i < Times(true); ++i) {
        for (const Json& element : *list) result.push_back(Repeat(element, std::to_string(i)));
      }
      return result;
    }
    const auto* object = value.if_object();
    if (object == nullptr) return value;
    JsonObject result;
    for (size_t i = 0; i < Times(members_); ++i) {
      for (const auto& [key, member] : *object) {
        std::string name(key);
        if (i > 0) name += std::to_string(i);
        if (name.starts_with("f:")) name += index;
        result.emplace(name, Repeat(member, index));
      }
    }
    return result;
  }

 private:
  size_t Times(bool repeats) const { return repeats && values_ < kMaxValues ? times_ : 1; }

  size_t times_;
  bool members_;
  size_t values_ = 0;
};

size_t SizeOf(const Json& value) { return berth::api::ToJsonText(value).size(); }

template <typename Patch>
void CheckCost(size_t budget, const Patch& patch) {
  const size_t before = allocated;
  patch();
  CHECK(allocated - before <= budget);
}

}  // namespace

#ifndef BERTH_FUZZ
// Without the hooks of a sanitizer, those of the language count.
void* operator new(size_t size) {
  allocated += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool counts = CountAllocations();
  CHECK(counts);
  if (size == 0) return 0;
  const size_t times = 1 + data[0] % 64;
  const bool members = (data[0] & 64) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  boost::json::error_code error;
  const Json document =
      Repeater(times, members).Repeat(boost::json::parse(text.substr(0, end), error));
  if (error) return 0;
  const Json patch =
      Repeater(times, members).Repeat(boost::json::parse(text.substr(end + 1), error));
  if (error || !berth::api::HasFiniteNumbers(document) || !berth::api::HasFiniteNumbers(patch)) {
    return 0;
  }
  const size_t input = SizeOf(document) + SizeOf(patch);
  const size_t budget = kFloor + kFactor * input;

  CheckCost(budget + kCopies, [&] {
    const auto patched = patches::ApplyJsonPatch(document, patch);
    CHECK(!patched || SizeOf(*patched) <= 2 * input + (6 << 20));
  });
  CheckCost(budget, [&] { CHECK(SizeOf(patches::ApplyMergePatch(document, patch)) <= 2 * input); });
  CheckCost(budget + kRepetitions, [&] {
    const auto patched = patches::ApplyStrategicPatch(document, patch);
    CHECK(!patched || SizeOf(*patched) <= 2 * input);
  });
  CheckCost(kFloor + kApplyFactor * input, [&] {
    const berth::api::scheme::Kind& pods = berth::api::scheme::KindOf("pods");
    const auto apply = [&](const Json& live, const Json& config, const char* manager) {
      return patches::ServerSideApply(
          pods, live, config, {.manager = manager, .force = false, .now = {}, .subresource = ""});
    };
    const auto applied = apply(document, patch, "a");
    if (!applied) return;
    // The second manager conflicts with the first, or shares its fields.
    (void)apply(*applied, document, "b");
    (void)patches::TrackUpdate(pods, *applied, document, "editor", "", {});
  });
  return 0;
}
