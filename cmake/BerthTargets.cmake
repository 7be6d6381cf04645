# The headers that nearly every file needs are compiled once for all libraries and, with GoogleTest
# and the flags of tests, once for all tests. Each library here only carries one of the two.
add_library(berth_precompiled STATIC ${CMAKE_CURRENT_LIST_DIR}/precompiled.cc)
target_link_libraries(berth_precompiled PRIVATE berth_compile_options fmt::fmt)
target_precompile_headers(berth_precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled.h)
# The code under test is optimised; optimising the tests would only make them slow to build.
set(BERTH_TEST_OPTIONS $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0>)
if(BERTH_TESTS)
  add_library(berth_precompiled_tests STATIC ${CMAKE_CURRENT_LIST_DIR}/precompiled.cc)
  target_link_libraries(berth_precompiled_tests PRIVATE
    berth_compile_options fmt::fmt rapidcheck_gtest GTest::gmock)
  target_compile_options(berth_precompiled_tests PRIVATE ${BERTH_TEST_OPTIONS})
  target_precompile_headers(berth_precompiled_tests PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/precompiled.h ${CMAKE_CURRENT_LIST_DIR}/precompiled_tests.h)
endif()

# berth_library(FOLDER USES folder... LINKS library... TEST_USES folder... TEST_LINKS library...)
# makes a static library from the sources of src/FOLDER and a test program from its *_test.cc files.
# Their targets are named after the folder: scheduler/queue gives berth_scheduler_queue and
# scheduler_queue_tests.
#
# USES lists the folders of src/ that its sources include, no more and no fewer; LINKS the libraries
# from elsewhere. scripts/libraries.py compares USES with the includes and draws it in
# ARCHITECTURE.md.
# With SUBFOLDERS, sources in folders below belong to the library, too.
function(berth_library folder)
  cmake_parse_arguments(ARG "SUBFOLDERS" "" "USES;LINKS;TEST_USES;TEST_LINKS" ${ARGN})
  set(directory ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${directory}/*.cc)
  if(ARG_SUBFOLDERS)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${directory}/*.cc)
  endif()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM ARG_USES REPLACE "/" "_")
  list(TRANSFORM ARG_USES PREPEND "berth_")
  list(TRANSFORM ARG_TEST_USES REPLACE "/" "_")
  list(TRANSFORM ARG_TEST_USES PREPEND "berth_")
  string(REPLACE "/" "_" name ${folder})

  add_library(berth_${name} STATIC ${sources})
  target_link_libraries(berth_${name} PUBLIC berth_compile_options ${ARG_USES} ${ARG_LINKS})
  target_precompile_headers(berth_${name} REUSE_FROM berth_precompiled)
  # Most of the time of a compilation goes into headers that the files of one library share.
  set_target_properties(berth_${name} PROPERTIES
    UNITY_BUILD ${BERTH_UNITY} UNITY_BUILD_BATCH_SIZE 6)
  set_property(GLOBAL APPEND PROPERTY BERTH_LIBRARIES berth_${name})
  if(BERTH_TESTS AND tests)
    berth_test(${name}_tests
      SOURCES ${tests} LINKS berth_${name} ${ARG_TEST_USES} ${ARG_TEST_LINKS})
  endif()
endfunction()

# berth_test(NAME SOURCES ... LINKS ...) makes a GoogleTest program whose cases ctest runs one by
# one. Property tests get a fixed seed there, so that runs repeat; run by hand, they draw new ones.
function(berth_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE
    ${ARG_LINKS} rapidcheck_gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE BERTH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # Fixtures that are only headers: #include "testing/await.h".
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE ${BERTH_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM berth_precompiled_tests)
  # Tests of one library instantiate the same templates: compiled several at a time, they take a
  # third of the time. BERTH_TEST_FILE, which is empty otherwise, keeps their helpers apart. More
  # at a time is quicker still, but not for one who changes a single test.
  set(batch 8)
  if(BERTH_UNITY)
    set(batch 16)
  endif()
  set_target_properties(${name} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch} UNITY_BUILD_UNIQUE_ID BERTH_TEST_FILE)
  target_compile_definitions(${name} PRIVATE BERTH_TEST_FILE=)
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600 ENVIRONMENT RC_PARAMS=seed=1)
endfunction()
