// The one translation unit that compiles Boost.JSON, which is header-only otherwise.
#include <boost/json/src.hpp>
