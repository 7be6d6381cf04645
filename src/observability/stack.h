// Stack is where a thread is: the addresses of its calls, innermost first, which can be written as
// names of functions.
//
// Capturing and writing allocate nothing and take no lock of this program: both work in a signal
// handler and in a process that has crashed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace berth::observability {

struct Stack {
  static constexpr size_t kMaxDepth = 96;

  std::array<uintptr_t, kMaxDepth> addresses = {};
  size_t depth = 0;
};

// Returns the calls of this thread without those of this function and of `skip` callers; in a
// signal handler, those that the signal interrupted are among them.
Stack CaptureStack(size_t skip = 0);

// How a mangled name is written. The demangler allocates, so a crashed process has none.
enum class Names { kMangled, kDemangled };

// Writes one line for each call, through `write`: "    #3 berth::net::EventLoop::Run()+0x12". A
// call in a library, or without a known function, has the name of the file and the offset in it.
void WriteStack(const Stack& stack, Names names, void (*write)(void* to, std::string_view text),
                void* to);
std::string StackText(const Stack& stack);

}  // namespace berth::observability
