// Crash reports: what a process writes to standard error when it ends by a signal, a failed CHECK
// or an exception that nobody caught.
#pragma once

#include <string>

namespace berth::observability {

// From now on a crash writes `program` with its version, the thread and its stack, and then ends
// the process by the same signal as before. Call it once, before other threads are started. Does
// nothing under sanitizers, which have reports of their own.
void ReportCrashes(const std::string& program);

// `finish` is called, with `data`, after a crash was reported and before the process ends: it may
// wait for other threads, but must be async-signal-safe. Null for none.
void SetCrashHook(void (*finish)(void* data), void* data);

}  // namespace berth::observability
