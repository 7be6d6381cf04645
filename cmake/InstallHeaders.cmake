# Run by `cmake --install`: installs the headers BERTH_HEADERS of the folder BERTH_SOURCES, and all
# that they include, below BERTH_INCLUDE_DIR/berth.
#
# There, headers include each other as "berth/scheduler/...", not as "scheduler/..." as in the
# sources: with names such as "api/pod.h" they would get in the way of a user's own headers.

cmake_policy(VERSION 3.25)

set(todo ${BERTH_HEADERS})
set(done)
while(todo)
  list(POP_FRONT todo header)
  if(header IN_LIST done)
    continue()
  endif()
  list(APPEND done ${header})
  file(READ "${BERTH_SOURCES}/${header}" text)
  file(STRINGS "${BERTH_SOURCES}/${header}" lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    list(APPEND todo ${included})
  endforeach()
  string(REGEX REPLACE "(\n#include \")" "\\1berth/" text "${text}")
  string(REPLACE "\n#include \"berth/berth/" "\n#include \"berth/" text "${text}")

  string(REGEX REPLACE "^berth/" "" below ${header})
  set(installed "${BERTH_INCLUDE_DIR}/berth/${below}")
  set(before)
  if(EXISTS "$ENV{DESTDIR}${installed}")
    file(READ "$ENV{DESTDIR}${installed}" before)
  endif()
  # An unchanged header keeps its time: what includes it need not be compiled again.
  if(NOT text STREQUAL before)
    message(STATUS "Installing: $ENV{DESTDIR}${installed}")
    file(WRITE "$ENV{DESTDIR}${installed}" "${text}")
  endif()
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${installed}")
endwhile()
