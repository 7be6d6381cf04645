# cmake -DSOURCE=DIR -DOUTPUT=FILE -DVERSION=... -DCOMMIT=... -DDATE=... -P WriteBuildValues.cmake
# writes the file of BerthBuildInfo.cmake, unless it would stay the same.

# Asks git about SOURCE, unless that is only a folder in somebody else's repository.
function(ask_git result)
  execute_process(COMMAND git -C ${SOURCE} ${ARGN}
    OUTPUT_VARIABLE answer RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(answer "")
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

if(EXISTS ${SOURCE}/.git)
  ask_git(head rev-parse HEAD)
  if(NOT COMMIT AND head)
    ask_git(changes status --porcelain --untracked-files=no)
    set(COMMIT ${head})
    if(changes)
      string(APPEND COMMIT "-dirty")
    endif()
  endif()
  if(head AND NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    ask_git(time show --no-patch --format=%ct HEAD)
    set(ENV{SOURCE_DATE_EPOCH} ${time})
  endif()
endif()
if(NOT DATE AND DEFINED ENV{SOURCE_DATE_EPOCH})
  # That of SOURCE_DATE_EPOCH.
  string(TIMESTAMP DATE "%Y-%m-%dT%H:%M:%SZ" UTC)
endif()
set(MODIFIED false)
if(COMMIT MATCHES "^(.*)-dirty$")
  set(COMMIT ${CMAKE_MATCH_1})
  set(MODIFIED true)
endif()
if(COMMIT AND NOT COMMIT MATCHES "^[0-9a-f]+$")
  message(FATAL_ERROR "BERTH_COMMIT: \"${COMMIT}\" is not a git commit")
endif()
if(DATE AND NOT DATE MATCHES "^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9:]+Z$")
  message(FATAL_ERROR "BERTH_DATE: \"${DATE}\" is not a date like 2026-01-31T10:00:00Z")
endif()

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "build_info/build_values.h"

namespace berth::build_info {

const char* const kBuildVersion = "@VERSION@";
const char* const kBuildCommit = "@COMMIT@";
const bool kBuildModified = @MODIFIED@;
const char* const kBuildDate = "@DATE@";

}  // namespace berth::build_info
]] @ONLY)
