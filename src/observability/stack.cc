#include "observability/stack.h"

#include <cxxabi.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "observability/elf_symbols.h"

namespace berth::observability {
namespace {

struct Capture {
  Stack* stack;
  size_t skip;
};

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* data) {
  auto& capture = *static_cast<Capture*>(data);
  int before_instruction = 0;
  uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (address == 0) return _URC_END_OF_STACK;
  // The address after a call may be in the next function.
  if (before_instruction == 0) --address;
  if (capture.skip > 0) {
    --capture.skip;
    return _URC_NO_REASON;
  }
  Stack& stack = *capture.stack;
  if (stack.depth == Stack::kMaxDepth) return _URC_END_OF_STACK;
  stack.addresses[stack.depth++] = address;
  return _URC_NO_REASON;
}

// The program or library that has an address.
struct Module {
  uintptr_t address;
  const char* path = nullptr;  // Empty: the program.
  uintptr_t base = 0;
};

int FindModule(dl_phdr_info* info, size_t, void* data) {
  auto& module = *static_cast<Module*>(data);
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || module.address < start ||
        module.address - start >= part.p_memsz) {
      continue;
    }
    module.path = info->dlpi_name;
    module.base = info->dlpi_addr;
    return 1;
  }
  return 0;
}

// Appends to a line of limited length.
class Line {
 public:
  void Add(std::string_view text) {
    const size_t count = std::min(text.size(), sizeof text_ - 1 - size_);
    std::memcpy(text_ + size_, text.data(), count);
    size_ += count;
  }
  void AddNumber(uint64_t number, uint64_t base) {
    char digits[24];
    size_t count = 0;
    do {
      digits[count++] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number > 0);
    std::reverse(digits, digits + count);
    Add({digits, count});
  }
  std::string_view End() {
    text_[size_++] = '\n';
    return {text_, size_};
  }

 private:
  char text_[1024];
  size_t size_ = 0;
};

void AddName(Line& line, const char* name, Names names) {
  if (names == Names::kDemangled) {
    int status = 0;
    char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    if (readable != nullptr) {
      line.Add(readable);
      return std::free(readable);
    }
  }
  line.Add(name);
}

}  // namespace

Stack CaptureStack(size_t skip) {
  Stack stack;
  Capture capture{&stack, skip + 1};
  _Unwind_Backtrace(&AddFrame, &capture);
  return stack;
}

void WriteStack(const Stack& stack, Names names, void (*write)(void* to, std::string_view text),
                void* to) {
  const ElfSymbols program("/proc/self/exe");
  for (size_t i = 0; i < stack.depth; ++i) {
    Module module{stack.addresses[i]};
    Line line;
    line.Add("    #");
    line.AddNumber(i, 10);
    line.Add(" ");
    if (dl_iterate_phdr(&FindModule, &module) == 0) {
      line.Add("0x");
      line.AddNumber(module.address, 16);
      write(to, line.End());
      continue;
    }
    const bool in_program = module.path == nullptr || *module.path == '\0';
    const uintptr_t offset = module.address - module.base;
    const auto symbol = [&](const ElfSymbols& symbols) { return symbols.Find(offset); };
    const char* slash = in_program ? nullptr : std::strrchr(module.path, '/');
    const char* file = in_program ? "berth" : slash == nullptr ? module.path : slash + 1;
    const auto describe = [&](const ElfSymbols::Symbol& found) {
      if (found.name != nullptr) {
        AddName(line, found.name, names);
        line.Add("+0x");
        line.AddNumber(found.offset, 16);
        line.Add(" ");
      }
      line.Add("(");
      line.Add(file);
      line.Add("+0x");
      line.AddNumber(offset, 16);
      line.Add(")");
    };
    if (in_program) {
      describe(symbol(program));
    } else {
      const ElfSymbols library(module.path);
      describe(symbol(library));
    }
    write(to, line.End());
  }
}

std::string StackText(const Stack& stack) {
  std::string text;
  WriteStack(
      stack, Names::kDemangled,
      [](void* to, std::string_view line) { *static_cast<std::string*>(to) += line; }, &text);
  return text;
}

}  // namespace berth::observability
