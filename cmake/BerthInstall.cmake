# What `cmake --install` installs, in two install components:
#
#   programs      bin/berth, bin/kubectl-berth and bin/kubectl_complete-berth (links to it), and
#                 bin/berth-scheduler
#   development   static libraries, public headers and the CMake package `berth`
#
# The package has three targets, each a library with everything below it that the one before lacks:
#
#   berth::berth    libberth: the engine, its plugins, configuration and recordings
#   berth::daemon   the berth-scheduler program as a function
#   berth::cmd      the berth program as a function

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(BERTH_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/berth)
# Headers that users of the package include; installed with all that they include themselves.
set(BERTH_PUBLIC_HEADERS
  berth/engine.h berth/plugin.h
  scheduler/recording/recording_engine.h scheduler/recording/replay.h
  daemon/scheduler_command.h cmd/command_line.h)

# berth_installed_library(NAME ROOTS target... ABOVE library) bundles the objects of the library
# targets ROOTS and of all that they link into one static library, without those of ABOVE and what
# that is above. The package calls it berth::NAME.
function(berth_installed_library name)
  cmake_parse_arguments(ARG "" "ABOVE" "ROOTS" ${ARGN})
  set(below)
  if(ARG_ABOVE)
    get_target_property(below ${ARG_ABOVE} BERTH_BUNDLED)
  endif()
  set(own)
  set(others)
  set(todo ${ARG_ROOTS})
  while(todo)
    list(POP_FRONT todo target)
    if(target IN_LIST own OR target IN_LIST below OR target STREQUAL "berth_compile_options")
      continue()
    endif()
    list(APPEND own ${target})
    get_target_property(linked ${target} LINK_LIBRARIES)
    foreach(library ${linked})
      if(library MATCHES "^berth_")
        list(APPEND todo ${library})
      elseif(IS_ABSOLUTE "${library}")
        # By name, so that the package does not depend on this machine's folders.
        cmake_path(GET library STEM stem)
        string(REGEX REPLACE "^lib" "" stem ${stem})
        list(APPEND others ${stem})
      else()
        list(APPEND others ${library})
      endif()
    endforeach()
  endwhile()
  # No public header includes it.
  list(REMOVE_ITEM others Boost::headers)
  list(REMOVE_DUPLICATES others)

  set(library installed_${name})
  set(objects ${own})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(${library} STATIC ${objects})
  string(REGEX REPLACE "^berth_berth$" "berth" output berth_${name})
  set_target_properties(${library} PROPERTIES
    OUTPUT_NAME ${output} EXPORT_NAME ${name} LINKER_LANGUAGE CXX
    BERTH_BUNDLED "${below};${own}")
  target_link_libraries(${library} PUBLIC ${ARG_ABOVE} ${others})
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} INTERFACE cxx_std_23)
  # As in the build: inline functions of the headers must compute the same doubles everywhere.
  target_compile_options(${library} INTERFACE -ffp-contract=off)
  install(TARGETS ${library} EXPORT berth-${name} COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT berth-${name} NAMESPACE berth:: DESTINATION ${BERTH_PACKAGE_DIR}
    COMPONENT development)
endfunction()

berth_installed_library(berth
  ROOTS berth_scheduler_engine berth_scheduler_plugins berth_scheduler_config
    berth_scheduler_recording)
berth_installed_library(daemon ROOTS berth_daemon ABOVE installed_berth)
berth_installed_library(cmd ROOTS berth_cmd ABOVE installed_daemon)
# What `make install` builds besides the programs.
add_custom_target(libraries DEPENDS installed_berth installed_daemon installed_cmd)

install(TARGETS berth berth-scheduler COMPONENT programs
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# kubectl runs the programs of that name as plugins, `kubectl berth why`, and asks the others for
# their completion.
foreach(link kubectl-berth kubectl_complete-berth)
  install(CODE "file(CREATE_LINK berth
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${link}\" SYMBOLIC)"
    COMPONENT programs)
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/berth-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/berth-config.cmake INSTALL_DESTINATION ${BERTH_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/berth-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/berth-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/berth-config-version.cmake
  DESTINATION ${BERTH_PACKAGE_DIR} COMPONENT development)
install(CODE "
  set(BERTH_SOURCES \"${CMAKE_SOURCE_DIR}/src\")
  set(BERTH_HEADERS \"${BERTH_PUBLIC_HEADERS}\")
  set(BERTH_INCLUDE_DIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake\")"
  COMPONENT development)
