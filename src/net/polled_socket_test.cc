#include "net/polled_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>

namespace berth::net {
namespace BERTH_TEST_FILE {

using boost::asio::ip::tcp;

TEST(PolledSocketTest, NoticesAPeerThatVanished) {
  boost::asio::io_context context;
  tcp::acceptor acceptor(context, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  tcp::socket connected(context);
  connected.connect(acceptor.local_endpoint());
  PolledSocket socket(std::move(connected), {.small = 1, .large = 1});
  const int descriptor = socket.Prepare();
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(descriptor, level, name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  const int after = option(IPPROTO_TCP, TCP_KEEPIDLE) +
                    option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT);
  EXPECT_EQ(after, 35);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 35'000);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
