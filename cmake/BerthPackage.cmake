# The programs of the packages, two links of the same objects:
#
#   debian/berth, debian/berth-scheduler   for Debian packages. Libraries whose names differ between
#                                          the releases of Debian are linked statically, the others
#                                          dynamically: one package serves all releases.
#   static/berth, static/berth-scheduler   for tarballs and images: they need no library, and run on
#                                          any distribution.
#
# scripts/package/archive.py fills three folders with packages of Debian: BERTH_PACKAGE_SOURCES has
# the sources of libraries that Debian has no static libraries of (fmtlib, simdjson, mimalloc),
# BERTH_PACKAGE_ROOT the other libraries, and BERTH_PACKAGE_ROOT-libc the C library.

enable_language(C)

add_library(packaged_fmt STATIC
  ${BERTH_PACKAGE_SOURCES}/fmtlib/src/format.cc ${BERTH_PACKAGE_SOURCES}/fmtlib/src/os.cc)
target_include_directories(packaged_fmt PRIVATE ${BERTH_PACKAGE_SOURCES}/fmtlib/include)

add_library(packaged_simdjson STATIC ${BERTH_PACKAGE_SOURCES}/simdjson/src/simdjson.cpp)
target_include_directories(packaged_simdjson PRIVATE
  ${BERTH_PACKAGE_SOURCES}/simdjson/include ${BERTH_PACKAGE_SOURCES}/simdjson/src)
target_compile_definitions(packaged_simdjson PRIVATE SIMDJSON_THREADS_ENABLED=1)

# Objects, not an archive: what it defines must win over the C library's.
add_library(packaged_mimalloc OBJECT ${BERTH_PACKAGE_SOURCES}/mimalloc/src/static.c)
target_include_directories(packaged_mimalloc PRIVATE ${BERTH_PACKAGE_SOURCES}/mimalloc/include)
target_compile_definitions(packaged_mimalloc PRIVATE MI_MALLOC_OVERRIDE MI_STATIC_LIB)
target_compile_options(packaged_mimalloc PRIVATE -fno-builtin-malloc)

# Sets `output` to what to link for the library `linked`, as src/CMakeLists.txt names it.
function(berth_packaged_library output kind linked)
  if(linked STREQUAL "fmt::fmt")
    set(files packaged_fmt)
  elseif(linked STREQUAL "simdjson::simdjson")
    set(files packaged_simdjson)
  elseif(linked STREQUAL "Boost::headers")
    set(files)
  elseif(linked STREQUAL "Threads::Threads")
    set(files Threads::Threads)
  elseif(linked STREQUAL BERTH_RE2)
    set(archives re2)
  elseif(kind STREQUAL "debian")
    set(files ${linked})
  elseif(linked STREQUAL "OpenSSL::SSL")
    set(archives ssl crypto)
  elseif(linked STREQUAL "OpenSSL::Crypto")
    set(archives crypto)
  elseif(linked STREQUAL "ZLIB::ZLIB")
    set(archives z)
  elseif(linked STREQUAL "SQLite::SQLite3")
    set(archives sqlite3)
  elseif(linked STREQUAL BERTH_YAML)
    set(archives yaml)
  elseif(linked STREQUAL BERTH_NGHTTP2)
    set(archives nghttp2)
  else()
    message(FATAL_ERROR "BerthPackage.cmake does not know how to link ${linked} statically")
  endif()
  foreach(archive ${archives})
    find_library(BERTH_STATIC_${archive} lib${archive}.a REQUIRED
      PATHS ${BERTH_PACKAGE_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
      NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
    list(APPEND files ${BERTH_STATIC_${archive}})
  endforeach()
  set(${output} ${files} PARENT_SCOPE)
endfunction()

# berth_packaged_program(PROGRAM KIND) links PROGRAM once more, as KIND/PROGRAM.
function(berth_packaged_program program kind)
  get_target_property(sources ${program} SOURCES)
  get_target_property(directory ${program} SOURCE_DIR)
  list(TRANSFORM sources PREPEND ${directory}/)
  get_target_property(todo ${program} LINK_LIBRARIES)
  set(own)
  set(others)
  while(todo)
    list(POP_FRONT todo linked)
    if(linked IN_LIST own OR linked STREQUAL "mimalloc" OR linked STREQUAL "berth_compile_options")
      continue()
    elseif(linked MATCHES "^berth_")
      list(APPEND own ${linked})
      get_target_property(below ${linked} LINK_LIBRARIES)
      list(APPEND todo ${below})
    else()
      berth_packaged_library(files ${kind} ${linked})
      list(APPEND others ${files})
    endif()
  endwhile()
  list(REMOVE_DUPLICATES others)

  set(name ${program}-${kind})
  add_executable(${name} ${sources} $<TARGET_OBJECTS:packaged_mimalloc>)
  # The files, not the targets, which would bring the shared libraries with them.
  set(archives ${own})
  list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  target_link_libraries(${name} PRIVATE
    berth_compile_options -Wl,--start-group ${archives} ${others} -Wl,--end-group)
  add_dependencies(${name} ${own})
  target_link_options(${name} PRIVATE
    -Wl,-z,relro,-z,now -Wl,--as-needed -Wl,--build-id=sha1)
  if(kind STREQUAL "static")
    target_sources(${name} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/static_program.cc)
    set(libc ${BERTH_PACKAGE_ROOT}-libc/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
    # Without warnings that getaddrinfo needs shared libraries: static_program.cc cares for that.
    target_link_options(${name} PRIVATE -static-pie -B${libc} -L${libc} -Wl,--no-warnings)
  else()
    target_link_options(${name} PRIVATE -pie)
  endif()
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${kind})
endfunction()

add_custom_target(packaged)
foreach(kind debian static)
  foreach(program berth berth-scheduler)
    berth_packaged_program(${program} ${kind})
    add_dependencies(packaged ${program}-${kind})
  endforeach()
endforeach()
