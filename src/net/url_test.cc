#include "net/url.h"

#include <gtest/gtest.h>

namespace berth::net {
namespace BERTH_TEST_FILE {

TEST(Url, IsParsed) {
  const struct {
    const char* text;
    Url want;
    const char* authority;
    const char* origin;
  } cases[] = {
      {"http://h", {false, "h", 80, "/"}, "h", "http://h:80"},
      {"https://h", {true, "h", 443, "/"}, "h", "https://h:443"},
      {"http://h:8080/a/b?c=d", {false, "h", 8080, "/a/b?c=d"}, "h:8080", "http://h:8080"},
      {"HTTPS://A.Example.COM:443/X",
       {true, "a.example.com", 443, "/X"},
       "a.example.com",
       "https://a.example.com:443"},
      {"http://10.0.0.1:1", {false, "10.0.0.1", 1, "/"}, "10.0.0.1:1", "http://10.0.0.1:1"},
      {"http://[::1]:99/x", {false, "::1", 99, "/x"}, "[::1]:99", "http://[::1]:99"},
      {"http://[fe80::1]", {false, "fe80::1", 80, "/"}, "[fe80::1]", "http://[fe80::1]:80"},
      {"http://h:/x", {false, "h", 80, "/x"}, "h", "http://h:80"},
      {"http://h?q", {false, "h", 80, "/?q"}, "h", "http://h:80"},
      {"http://h/a#b", {false, "h", 80, "/a"}, "h", "http://h:80"},
      {"http://my_host-1/%20",
       {false, "my_host-1", 80, "/%20"},
       "my_host-1",
       "http://my_host-1:80"},
      {"http://h/a@b:c", {false, "h", 80, "/a@b:c"}, "h", "http://h:80"},
  };
  for (const auto& c : cases) {
    const auto url = ParseUrl(c.text);
    ASSERT_TRUE(url.has_value()) << url.error().message;
    EXPECT_EQ(*url, c.want) << c.text;
    EXPECT_EQ(url->authority(), c.authority);
    EXPECT_EQ(url->origin(), c.origin);
    EXPECT_EQ(ParseUrl(url->ToString()), *url);
  }
}

TEST(Url, ErrorsNameTheProblem) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"", R"(URL "": it must begin with http:// or https://)"},
      {"h:80/x", R"(URL "h:80/x": it must begin with http:// or https://)"},
      {"ftp://h", R"(URL "ftp://h": it must begin with http:// or https://)"},
      {"http:/h", R"(URL "http:/h": it must begin with http:// or https://)"},
      {"http://", R"(URL "http://": there is no host)"},
      {"http://:80", R"(URL "http://:80": there is no host)"},
      {"http:///x", R"(URL "http:///x": there is no host)"},
      {"http://a b/x", R"(URL "http://a b/x": "a b" is not the name of a host)"},
      {"http://[]/x", R"(URL "http://[]/x": there is no host)"},
      {"http://[::1/x", R"(URL "http://[::1/x": ']' is missing after the address)"},
      {"http://[ab]/x", R"(URL "http://[ab]/x": "ab" is not an IPv6 address)"},
      {"http://[::g]/x", R"(URL "http://[::g]/x": "::g" is not an IPv6 address)"},
      {"http://[::1]x", R"(URL "http://[::1]x": "x" is not a port: it must be 1 to 65535)"},
      {"http://h:0", R"(URL "http://h:0": "0" is not a port: it must be 1 to 65535)"},
      {"http://h:65536", R"(URL "http://h:65536": "65536" is not a port: it must be 1 to 65535)"},
      {"http://h:8o", R"(URL "http://h:8o": "8o" is not a port: it must be 1 to 65535)"},
      {"http://h:-1", R"(URL "http://h:-1": "-1" is not a port: it must be 1 to 65535)"},
      {"http://::1/", R"(URL "http://::1/": there is no host)"},
      {"http://me:secret@h/",
       R"(URL "http://me:secret@h/": a user name before the host is not supported)"},
      {"http://h/a b",
       R"(URL "http://h/a b": blanks, control characters and what is not ASCII must be written as %XX)"},
      {"http://h/\xc3\xbc",
       "URL \"http://h/\xc3\xbc\": blanks, control characters and what is not ASCII must be "
       "written "
       "as %XX"},
  };
  for (const auto& c : cases) {
    const auto url = ParseUrl(c.text);
    ASSERT_FALSE(url.has_value()) << c.text;
    EXPECT_EQ(url.error().message, c.want);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
