// ElfSymbols finds the function to which an address in a program or library belongs, in the symbol
// table of its file.
//
// Allocates nothing and takes no lock: it works in a process that has crashed. Looking up a symbol
// reads the whole table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::observability {

class ElfSymbols {
 public:
  // Maps the file. Without a readable symbol table no function is found.
  explicit ElfSymbols(const char* path);
  ~ElfSymbols();
  ElfSymbols(const ElfSymbols&) = delete;
  ElfSymbols& operator=(const ElfSymbols&) = delete;

  struct Symbol {
    const char* name = nullptr;  // Mangled; valid as long as the table. Null if it is not known.
    uint64_t offset = 0;         // Of the address in the function.
  };
  // `address` is relative to where the file is loaded.
  Symbol Find(uint64_t address) const;

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
  const char* symbols_ = nullptr;
  size_t count_ = 0;
  const char* names_ = nullptr;
  size_t names_size_ = 0;
};

}  // namespace berth::observability
