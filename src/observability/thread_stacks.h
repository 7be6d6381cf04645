// Stacks of all threads of this process, whatever they do: a thread that is stuck need not help.
#pragma once

#include <string>
#include <vector>

namespace berth::observability {

// Names the calling thread, for stacks and for tools, by the first 15 bytes of `name`, and prepares
// it to report that its stack has overflowed.
void EnterThread(const char* name);

struct ThreadStack {
  int id = 0;
  std::string name;
  std::string text;  // Its calls, a line each; or why they are not known.
};

// Interrupts each thread for some microseconds, by SIGURG, which nothing else may use. Any thread,
// one at a time. Takes up to a tenth of a second for a thread that does not respond.
std::vector<ThreadStack> StacksOfAllThreads();

// Returns all of that as one text, to be logged.
std::string StacksText();

}  // namespace berth::observability
