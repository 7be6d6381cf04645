#include "observability/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace berth::observability {
namespace {

// Reads a T at `offset`; returns false if the file ends before.
template <typename T>
bool ReadAt(const char* data, size_t size, uint64_t offset, T& value) {
  if (offset > size || size - offset < sizeof(T)) return false;
  std::memcpy(&value, data + offset, sizeof(T));
  return true;
}

}  // namespace

ElfSymbols::ElfSymbols(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status = {};
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    void* mapped =
        mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) {
      data_ = static_cast<const char*>(mapped);
      size_ = static_cast<size_t>(status.st_size);
    }
  }
  close(file);
  Elf64_Ehdr header = {};
  if (!ReadAt(data_, size_, 0, header)) return;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
  // A stripped file has only the table of what it exports.
  for (const uint32_t wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (uint32_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr table = {}, names = {};
      const auto section = [&](uint32_t index, Elf64_Shdr& out) {
        return ReadAt(data_, size_, header.e_shoff + uint64_t{index} * sizeof(Elf64_Shdr), out);
      };
      if (!section(i, table) || table.sh_type != wanted) continue;
      if (!section(table.sh_link, names)) continue;
      if (table.sh_offset > size_ || size_ - table.sh_offset < table.sh_size) continue;
      if (names.sh_offset > size_ || size_ - names.sh_offset < names.sh_size) continue;
      // Names end with a zero.
      if (names.sh_size == 0 || data_[names.sh_offset + names.sh_size - 1] != '\0') continue;
      symbols_ = data_ + table.sh_offset;
      count_ = table.sh_size / sizeof(Elf64_Sym);
      names_ = data_ + names.sh_offset;
      names_size_ = names.sh_size;
      return;
    }
  }
}

ElfSymbols::~ElfSymbols() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

ElfSymbols::Symbol ElfSymbols::Find(uint64_t address) const {
  for (size_t i = 0; i < count_; ++i) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols_ + i * sizeof symbol, sizeof symbol);
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names_size_) continue;
    if (address < symbol.st_value || address - symbol.st_value >= symbol.st_size) continue;
    return {names_ + symbol.st_name, address - symbol.st_value};
  }
  return {};
}

}  // namespace berth::observability
