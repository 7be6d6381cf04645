// Deflater and Inflater pack records as pieces of one deflate stream: each piece can be written and
// read at once, and refers back to what earlier pieces said, so that objects that resemble each
// other cost little.
#pragma once

#include <zlib.h>

#include <optional>
#include <string>
#include <string_view>

namespace berth {

class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // `plain` must not be empty.
  std::string Pack(std::string_view plain);

 private:
  z_stream stream_ = {};
};

// Unpacks the pieces in the order in which they were packed.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Nothing if `packed` is not the next piece, or if more than `limit` bytes would come out. No
  // further piece can then be unpacked.
  std::optional<std::string> Unpack(std::string_view packed, size_t limit);

 private:
  // Feeds `packed`; false on an error or when `plain` grows beyond `limit`.
  bool Feed(std::string_view packed, size_t limit, std::string& plain);

  z_stream stream_ = {};
};

}  // namespace berth
