// Arena owns the strings, lists, maps and other parts of values that one program or one evaluation
// creates. They live as long as the arena.
//
// Small evaluations fit into the arena itself and allocate nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace berth::cel {

class Arena {
 public:
  Arena() : resource_(first_.data(), first_.size()) {}
  ~Arena() {
    for (const Cleanup* cleanup = cleanups_; cleanup != nullptr; cleanup = cleanup->next) {
      cleanup->destroy(cleanup->object);
    }
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <typename T, typename... Args>
  T* New(Args&&... args) {
    T* object = new (Allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      cleanups_ = New<Cleanup>(Cleanup{
          .destroy = [](void* address) { static_cast<T*>(address)->~T(); },
          .object = object,
          .next = cleanups_,
      });
    }
    return object;
  }

  // Returns `count` objects that are not initialised.
  template <typename T>
  T* NewArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(Allocate(count * sizeof(T), alignof(T)));
  }

  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* copy = NewArray<char>(text.size());
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

  // Returns the number of bytes allocated so far.
  size_t bytes() const { return bytes_; }

 private:
  struct Cleanup {
    void (*destroy)(void*);
    void* object;
    const Cleanup* next;
  };

  void* Allocate(size_t size, size_t alignment) {
    bytes_ += size;
    return resource_.allocate(size, alignment);
  }

  static constexpr size_t kFirstBytes = 1024;

  std::array<std::byte, kFirstBytes> first_;
  std::pmr::monotonic_buffer_resource resource_;
  const Cleanup* cleanups_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace berth::cel
