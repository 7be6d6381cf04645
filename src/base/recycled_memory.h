// Memory for objects of a few kilobytes that come and go again and again, such as the frames of
// coroutines.
//
// malloc caches blocks of up to a kilobyte for each thread; larger ones it splits and merges again
// every time. Freed blocks are kept here for the next object of about the same size, some for each
// thread.
#pragma once

#include <cstddef>

namespace berth {

void* AllocateRecycled(size_t bytes);
// `bytes` is what the block was allocated with. Any thread may free it.
void FreeRecycled(void* block, size_t bytes);

}  // namespace berth
