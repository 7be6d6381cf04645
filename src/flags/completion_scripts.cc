#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/check.h"
#include "flags/completion.h"

namespace berth::flags {
namespace {

// In all three, {function} is the name of the function, {names} are those of the programs, and
// {program} is the first of them. Nothing that the user has typed or the program has printed is
// evaluated.

// bash passes the line as it is typed: COMP_WORDS is broken at = and : as well. For the same reason
// it wants only what follows the last of them.
constexpr const char* kBash = R"sh(# bash completion of {names}
{function}() {
  local program=${1/#\~\//$HOME/} line=${COMP_LINE:0:COMP_POINT} typed word directive
  local -a lines
  type -P -- "$program" > /dev/null || program={program}
  mapfile -t lines < <("$program" __complete_line "$line" 2> /dev/null < /dev/null)
  ((${#lines[@]} > 0)) || return
  directive=${lines[-1]#:}
  unset 'lines[-1]'
  typed=${line##*[[:space:]]}
  [[ $typed == -*=* ]] && typed=${typed#*=}
  for word in "${lines[@]}"; do
    word=${word%%$'\t'*}
    [[ $word == *[!-[:alnum:]_./:=,@+%]* ]] || COMPREPLY+=("${word#"${typed%"$2"}"}")
  done
  if ((directive & 16)); then
    compopt -o filenames
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$2")
  elif ((!(directive & 4))); then
    compopt -o filenames
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2")
  fi
  if ((directive & 2)); then compopt -o nospace; fi
}
complete -F {function} {names}
)sh";

constexpr const char* kZsh = R"sh(#compdef {names}
# zsh completion of {names}
{function}() {
  local -a lines candidates shown typed
  local line directive
  local -i width=0
  typed=("${(@Q)words[2,CURRENT]}")
  typed[-1]=${(Q)PREFIX}
  lines=("${(@f)$({program} __complete "${(@)typed}" 2> /dev/null < /dev/null)}")
  directive=${lines[-1]#:}
  [[ $directive == <-> ]] || return 1
  lines[-1]=()
  for line in "${(@)lines}"; do
    (( ${#line%%$'\t'*} > width )) && width=${#line%%$'\t'*}
  done
  for line in "${(@)lines}"; do
    candidates+=("${line%%$'\t'*}")
    if [[ $line == *$'\t'* ]]; then
      shown+=("${(r:width:)${line%%$'\t'*}}  -- ${line#*$'\t'}")
    else
      shown+=("$line")
    fi
  done
  [[ $PREFIX == -*=* ]] && compset -P 1 '*='
  local -a options
  (( directive & 2 )) && options=(-S '')
  (( ${#candidates} )) && compadd -l -V names -d shown "${(@)options}" -a candidates
  if (( directive & 16 )); then
    _files -/
  elif (( ! (directive & 4) )); then
    _files
  fi
  return 0
}
if [[ $funcstack[1] == {function} ]]; then
  {function} "$@"
else
  compdef {function} {names}
fi
)sh";

constexpr const char* kFish = R"sh(# fish completion of {names}
function {function}
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ({program} __complete $words[2..-1] 2> /dev/null < /dev/null)
    test (count $lines) -gt 0; or return
    set -l directive (string sub -s 2 -- $lines[-1])
    set -l prefix (string match -r -- '^-[^=]*=' "$words[-1]"; or echo '')
    for line in $lines[1..-2]
        echo -- $prefix$line
    end
    set -l paths
    set -l value (string replace -- "$prefix" '' "$words[-1]")
    if test (math "bitand($directive, 16)") -ne 0
        set paths (__fish_complete_directories $value)
    else if test (math "bitand($directive, 4)") -eq 0
        set paths (__fish_complete_path $value)
    end
    for path in $paths
        echo -- $prefix$path
    end
end
for program in {names}
    complete -c $program -f -k -a '({function})'
end
)sh";

void Replace(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

}  // namespace

std::string CompletionScript(std::string_view shell, std::span<const std::string> programs) {
  CHECK(std::ranges::find(kShells, shell) != std::end(kShells));
  std::string text = shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish;
  std::string function = (shell == "fish" ? "__complete_" : "_") + programs.front();
  if (shell == "fish") std::ranges::replace(function, '-', '_');
  Replace(text, "{names}", fmt::format("{}", fmt::join(programs, " ")));
  Replace(text, "{program}", programs.front());
  Replace(text, "{function}", function);
  return text;
}

}  // namespace berth::flags
