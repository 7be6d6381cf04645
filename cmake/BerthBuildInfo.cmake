# Gives the library build_info the version, and the commit and date of the sources. They are looked
# up at each build, and written to one small file, only when they change: a commit compiles that
# file and links the programs again.
#
# Builds without git, of a release's sources, give the commit and the date themselves.
set(BERTH_COMMIT "" CACHE STRING
  "Git commit of the sources, followed by -dirty if they differ; by default git is asked")
set(BERTH_DATE "" CACHE STRING
  "Date of the sources, as 2026-01-31T10:00:00Z; by default SOURCE_DATE_EPOCH, else the commit's")

set(values ${CMAKE_BINARY_DIR}/build_values.cc)
add_custom_target(berth_build_values
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${values}
    -DVERSION=${PROJECT_VERSION} -DCOMMIT=${BERTH_COMMIT} -DDATE=${BERTH_DATE}
    -P ${CMAKE_CURRENT_LIST_DIR}/WriteBuildValues.cmake
  BYPRODUCTS ${values}
  COMMENT "Looking up the commit"
  VERBATIM)
set_source_files_properties(${values} PROPERTIES
  GENERATED ON SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(berth_build_info PRIVATE ${values})
add_dependencies(berth_build_info berth_build_values)
