# The toolchain of the preset `arm64`: Debian's cross compiler, and the libraries that
# scripts/package/archive.py unpacks for it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)

cmake_path(SET BERTH_ROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/package/root-arm64)
set(CMAKE_FIND_ROOT_PATH ${BERTH_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${BERTH_ROOT}/usr/include/aarch64-linux-gnu)
