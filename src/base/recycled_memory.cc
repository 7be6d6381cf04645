#include "base/recycled_memory.h"

#include <array>
#include <new>

namespace berth {
namespace {

constexpr size_t kGrain = 256;
constexpr size_t kLargest = 4096;
// Of all blocks that a thread keeps.
constexpr size_t kMostBytes = size_t{1} << 20;

// Sanitizers must see each object come and go.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeeps = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif
#else
constexpr bool kKeeps = true;
#endif

// Blocks are of multiples of kGrain.
constexpr size_t SizeClassOf(size_t bytes) { return (bytes + kGrain - 1) / kGrain; }

// The free blocks of a thread, by size class. A free block holds the address of the next one.
struct FreeBlocks {
  struct Block {
    Block* next;
  };
  std::array<Block*, kLargest / kGrain + 1> first{};
  size_t bytes = 0;
  bool ended = false;  // The thread ends: objects that live longer are freed at once.

  ~FreeBlocks() {
    ended = true;
    for (Block*& block : first) {
      while (block != nullptr) {
        Block* const next = block->next;
        ::operator delete(block);
        block = next;
      }
    }
  }
};

FreeBlocks& Mine() {
  thread_local FreeBlocks blocks;
  return blocks;
}

}  // namespace

void* AllocateRecycled(size_t bytes) {
  const size_t size_class = SizeClassOf(bytes);
  if (!kKeeps || bytes > kLargest) return ::operator new(bytes);
  FreeBlocks& mine = Mine();
  FreeBlocks::Block*& first = mine.first[size_class];
  if (first == nullptr) return ::operator new(size_class * kGrain);
  FreeBlocks::Block* const block = first;
  first = block->next;
  mine.bytes -= size_class * kGrain;
  return block;
}

void FreeRecycled(void* block, size_t bytes) {
  const size_t size_class = SizeClassOf(bytes);
  FreeBlocks& mine = Mine();
  if (!kKeeps || bytes > kLargest || mine.ended || mine.bytes + size_class * kGrain > kMostBytes) {
    ::operator delete(block);
    return;
  }
  mine.first[size_class] = new (block) FreeBlocks::Block{mine.first[size_class]};
  mine.bytes += size_class * kGrain;
}

}  // namespace berth
