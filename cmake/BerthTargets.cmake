# The headers that nearly every file needs are compiled once for all parts, and, with GoogleTest and
# the flags of tests, once for all tests. Each library here is nothing but the carrier of one.
add_library(berth_precompiled STATIC ${CMAKE_CURRENT_LIST_DIR}/precompiled.cc)
target_link_libraries(berth_precompiled PRIVATE berth_flags)
target_precompile_headers(berth_precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled.h)
if(BERTH_TESTS)
  add_library(berth_precompiled_tests STATIC ${CMAKE_CURRENT_LIST_DIR}/precompiled.cc)
  target_link_libraries(berth_precompiled_tests PRIVATE
    berth_flags fmt::fmt rapidcheck_gtest GTest::gmock)
  target_compile_options(berth_precompiled_tests PRIVATE $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(berth_precompiled_tests PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/precompiled.h ${CMAKE_CURRENT_LIST_DIR}/precompiled_tests.h)
endif()

# berth_library(NAME LINKS ...) makes the static library berth_NAME from the sources of this
# folder, and the test program NAME_tests from its *_test.cc files.
#
# Sources are found by name so that adding a file pair needs no edit here. LINKS is the list of
# parts and libraries that this part may use: it is the layering of ARCHITECTURE.md, and
# scripts/check_style.py checks the includes against the same order. A part that consists of
# headers alone becomes an INTERFACE library.
function(berth_library name)
  cmake_parse_arguments(ARG "" "" "LINKS;TEST_LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(sources)
    add_library(berth_${name} STATIC ${sources})
    target_link_libraries(berth_${name} PUBLIC berth_flags ${ARG_LINKS})
    target_precompile_headers(berth_${name} REUSE_FROM berth_precompiled)
  else()
    add_library(berth_${name} INTERFACE)
    target_link_libraries(berth_${name} INTERFACE berth_flags ${ARG_LINKS})
  endif()
  set_property(GLOBAL APPEND PROPERTY BERTH_PARTS berth_${name})
  if(BERTH_TESTS AND tests)
    berth_test(${name}_tests SOURCES ${tests} LINKS berth_${name} ${ARG_TEST_LINKS})
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
  # What is tested is optimised; optimising the tests would only make them slow to build.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(${name} REUSE_FROM berth_precompiled_tests)
  # Tests of one part instantiate the same templates: compiled several at a time, they take a third
  # of the time. BERTH_TEST_FILE, which is nothing otherwise, keeps their helpers apart.
  set_target_properties(${name} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8 UNITY_BUILD_UNIQUE_ID BERTH_TEST_FILE)
  target_compile_definitions(${name} PRIVATE BERTH_TEST_FILE=)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600 ENVIRONMENT RC_PARAMS=seed=1)
endfunction()
