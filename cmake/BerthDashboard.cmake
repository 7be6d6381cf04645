# berth_embed_dashboard(TARGET) builds the dashboard of web/ with npm and adds its files to the
# library TARGET as a source. See scripts/build_dashboard.py for what happens without npm.
set(BERTH_DASHBOARD auto CACHE STRING
  "Build the dashboard: on, off, or auto (a page that says that it is missing, if npm is)")

function(berth_embed_dashboard target)
  set(web ${CMAKE_SOURCE_DIR}/web)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/dashboard_files.cc)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/*)
  list(FILTER sources EXCLUDE REGEX "\\.test\\.ts$")
  find_program(BERTH_PYTHON python3 REQUIRED)
  add_custom_command(OUTPUT ${output}
    COMMAND ${BERTH_PYTHON} ${CMAKE_SOURCE_DIR}/scripts/build_dashboard.py
      --web ${web} --output ${output} --mode ${BERTH_DASHBOARD}
    DEPENDS ${sources} ${web}/package.json ${web}/package-lock.json ${web}/scripts/build.mjs
      ${CMAKE_SOURCE_DIR}/scripts/build_dashboard.py
    COMMENT "Building the dashboard" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  # It holds some hundred kilobytes of numbers.
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
