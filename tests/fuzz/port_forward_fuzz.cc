// Arbitrary messages of a port-forward. The bytes of the connection are parts of the messages, and
// the error is bounded.
//
// The first byte is the size of the messages.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "client/port_forward.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t step = data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  berth::client::PortForwardChannels channels;
  size_t received = 0;
  while (!rest.empty()) {
    const std::string_view message = rest.substr(0, step + 1);
    rest.remove_prefix(message.size());
    const std::string_view bytes = channels.Receive(message);
    CHECK(bytes.empty() || (bytes.data() > message.data() &&
                            bytes.data() + bytes.size() == message.data() + message.size()));
    received += bytes.size();
    CHECK(channels.error().size() <= channels.kMaxErrorBytes);
  }
  CHECK(received <= size);
  return 0;
}
