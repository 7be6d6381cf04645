# Compiler flags, sanitizers, libraries, and the faster tools (ccache, mold) where they are present.

find_program(BERTH_CCACHE ccache)
if(BERTH_CCACHE)
  # Without this sloppiness ccache never reuses what was compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${BERTH_CCACHE}")
endif()

find_program(BERTH_MOLD mold)
if(BERTH_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(berth_compile_options INTERFACE)
target_compile_options(berth_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${BERTH_WERROR}>:-Werror>
  # Scores must match kube-scheduler's doubles to the last bit: no fused multiply-add.
  -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # As on amd64: a char below zero there must not be one above 127 here.
  target_compile_options(berth_compile_options INTERFACE -fsigned-char)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives for these inside inlined standard library code.
  target_compile_options(berth_compile_options INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread
    # To GCC, files that are compiled several at a time are headers, and it warns of classes in them
    # that have members from anonymous namespaces.
    -Wno-subobject-linkage
    # From GCC 13 on: it takes references to what a temporary list points to for dangling.
    $<$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>:-Wno-dangling-reference>
    # Asio has fences that GCC's thread sanitizer does not see; nothing there depends on them.
    -Wno-tsan
    # GCC collects garbage from 128 MB on, which is a tenth of the time of a large unit; from
    # 512 MB on it needs a fifth more memory instead. The objects are the same.
    --param=ggc-min-heapsize=524288)
else()
  # clang blames the caller of std::stable_sort for what libstdc++ 12 uses inside it.
  target_compile_options(berth_compile_options INTERFACE -Wno-deprecated-declarations)
endif()
target_include_directories(berth_compile_options INTERFACE "${CMAKE_SOURCE_DIR}/src")

if(BERTH_SANITIZE)
  add_compile_options(
    -fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BERTH_SANITIZE})
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(SQLite3 REQUIRED)
find_library(BERTH_YAML yaml REQUIRED)
find_library(BERTH_NGHTTP2 nghttp2 REQUIRED)
find_library(BERTH_RE2 re2 REQUIRED)
# The malloc of the programs: a tenth to a fifth of their time is allocating. Embedders choose their
# own, and sanitizers bring theirs.
set(BERTH_MALLOC "")
if(NOT BERTH_SANITIZE)
  find_package(mimalloc REQUIRED)
  set(BERTH_MALLOC mimalloc)
endif()
if(BERTH_TESTS)
  include(GoogleTest)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(BERTH_BENCH)
  find_package(benchmark REQUIRED)
endif()
