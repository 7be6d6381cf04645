// What nearly every test needs besides, compiled once.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
