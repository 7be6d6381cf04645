#include "kinds/kept_text.h"

#include <gtest/gtest.h>

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

TEST(KeptTextTest, IsTheObjectWithoutWhatSaysItsTypeAndManagers) {
  EXPECT_EQ(WithoutTypeAndManagers(R"({"kind":"Pod", "apiVersion":"v1",
      "metadata":{"name":"p", "managedFields":[{"manager":"kubectl"}], "labels":{"kind":"x"}},
      "spec":{"containers":[{"name":"c", "env":[{"name":"A", "value":"\u00e4\""}]}]}})"),
            "{\"metadata\":{\"name\":\"p\",\"labels\":{\"kind\":\"x\"}},"
            "\"spec\":{\"containers\":[{\"name\":\"c\","
            "\"env\":[{\"name\":\"A\",\"value\":\"\u00e4\\\"\"}]}]}}");
}

TEST(KeptTextTest, KeepsNumbersExactly) {
  EXPECT_EQ(WithoutTypeAndManagers(R"({"a":9223372036854775807,"b":-1,"c":18446744073709551615})"),
            R"({"a":9223372036854775807,"b":-1,"c":18446744073709551615})");
}

TEST(KeptTextTest, WhatIsNoObjectStaysAsItIs) {
  for (const char* text : {"", "[1]", "null", R"({"metadata":)", R"({"metadata":3})"}) {
    EXPECT_EQ(WithoutTypeAndManagers(text), text);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
