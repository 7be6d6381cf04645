// The functions of Kubernetes' libraries, beyond what the conformance cases cover.
#include <gtest/gtest.h>

#include <string>

#include "cel/selector_testing.h"

namespace berth::cel {
namespace BERTH_TEST_FILE {

// Each expression is true.
void ExpectAll(std::initializer_list<const char*> expressions) {
  for (const char* expression : expressions) EXPECT_EQ(Outcome(expression), "true") << expression;
}

TEST(FunctionLibraries, Strings) {
  ExpectAll({
      "'tacocat'.indexOf('a', 3) == 5 && 'tacocat'.lastIndexOf('a', 4) == 1",
      "'abc'.indexOf('', 2) == 2 && 'abc'.lastIndexOf('') == 3 && 'abc'.indexOf('c', 9) == -1",
      "'aaa'.replace('a', 'b', 2) == 'bba' && 'ab'.replace('', '-') == '-a-b-'",
      "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'abc'.split('') == ['a', 'b', 'c']",
      "'a,b'.split(',', 0) == [] && ''.split(',') == ['']",
      "'\u00e9\u6771x'.substring(1, 2) == '\u6771' && size('\u00e9\u6771') == 2",
      "'\u00a0\t x\u3000'.trim() == 'x' && ''.trim() == ''",
      "'MiXeD\u00c9'.lowerAscii() == 'mixed\u00c9'",
      "strings.quote('a\"\\n\\\\') == '\"a\\\\\"\\\\n\\\\\\\\\"'",
      "['a', 'b'].join(', ') == 'a, b' && [].join('-') == ''",
      "'a'.contains('') && 'ab'.endsWith('b') && 'abc'.charAt(3) == ''",
  });
}

TEST(FunctionLibraries, Format) {
  ExpectAll({
      "'%s %s %s'.format(['a', 1, true]) == 'a 1 true'",
      "'%s'.format([[1, 'a', 2.5, null]]) == '[1, \"a\", 2.500000, null]'",
      "'%s'.format([{'b': 1, 'a': duration('90s')}]) == '{\"a\":duration(\"90s\"), \"b\":1}'",
      "'%d %b %o %x %X'.format([-5, 5, 8, 255, 'ab']) == '-5 101 10 ff 6162'",
      "'%.1f %f'.format([1234567.25, 0.5]) == '1,234,567.2 0.500000'",
      "'100%%'.format([]) == '100%'",
      "'%s'.format([type(1)]) == 'int'",
  });
  EXPECT_EQ(
      Outcome("'%d'.format([dyn('a')]) == ''"),
      "runtime: error during formatting: decimal clause can only be used on integers, was given "
      "string");
  EXPECT_EQ(Outcome("'%q'.format([1]) == ''").substr(0, 108),
            "compile: compilation failed: ERROR: <input>:1:12: could not parse formatting clause: "
            "unrecognized formatting");
  EXPECT_EQ(Outcome("'a'.format([1]) == ''").substr(0, 101),
            "compile: compilation failed: ERROR: <input>:1:11: too many arguments supplied to "
            "string.format (expec");
}

TEST(FunctionLibraries, Lists) {
  ExpectAll({
      "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b']",
      "[1, 2, 1].distinct() == [1, 2] && [[1, 2], [3]].flatten() == [1, 2, 3]",
      "[[dyn([1])]].flatten(2) == [1] && [1, 2, 3].slice(1, 1) == []",
      "[duration('1s'), duration('2s')].sum() == duration('3s') && [1u, 2u].max() == 2u",
      "[1, 2].isSorted() && ![2, 1].isSorted() && [].isSorted() && [].sum() == 0",
      "['a', 'b', 'a'].lastIndexOf('a') == 2 && [].indexOf(1) == -1",
      "sets.equivalent([1, 1, 2], [2, 1]) && !sets.intersects([1], [2]) && sets.contains([1], [])",
      "[1, 2].first().value() == 1 && [].last() == optional.none()",
      "optional.unwrap([optional.of(1), optional.none()]) == [1] && [optional.of(2)].unwrapOpt() "
      "== "
      "[2]",
  });
}

TEST(FunctionLibraries, TimesAndConversions) {
  ExpectAll({
      "timestamp('2026-03-01T12:30:45.5Z').getMonth() == 2",
      "timestamp('2026-03-01T12:30:45.5Z').getDayOfYear() == 59",
      "timestamp('2026-03-01T23:30:00Z').getDate('+01:00') == 2",
      "timestamp('2026-03-01T00:30:00Z').getHours('-02:00') == 22",
      "timestamp('2026-03-01T12:30:45.5Z').getMilliseconds() == 500",
      "string(timestamp('2026-03-01T12:30:45.5+02:00')) == '2026-03-01T12:30:45.5+02:00'",
      "timestamp('1969-12-31T23:59:59.5Z') + duration('1s') == timestamp('1970-01-01T00:00:00.5Z')",
      "timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01T00:00:00Z') == duration('24h')",
      "int(timestamp('1970-01-01T00:01:00Z')) == 60 && timestamp(60).getMinutes() == 1",
      "duration('1h30m').getMinutes() == 90 && string(duration('1.5s')) == '1.5s'",
      "int(-1.9) == -1 && uint('7') == 7u && double(3) == 3.0 && string(1e6) == '1e+06'",
      "bool('T') && !bool('False') && string(b'abc') == 'abc' && bytes('\u00e9').size() == 2",
      "type(1) == int && type('a') != type(1) && type(type(1)) == type",
      "type(duration('1s')) == google.protobuf.Duration && type(optional.none()) == optional_type",
  });
  EXPECT_EQ(Outcome("timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0)"),
            "runtime: timestamp overflow");
  EXPECT_EQ(Outcome("timestamp(0).getHours('Mars/Olympus') == 0"),
            "runtime: unknown time zone Mars/Olympus");
  EXPECT_EQ(
      Outcome("string(b'\\xff') == ''"),
      "compile: program instantiation failed: invalid UTF-8 in bytes, cannot convert to string");
}

TEST(FunctionLibraries, QuantitiesAndVersions) {
  ExpectAll({
      "quantity('1.5k').asInteger() == 1500 && !quantity('1.0').isInteger()",
      "!quantity('0.0').isInteger() && quantity('0').isInteger()",
      "quantity('50k').sub(20000) == quantity('30k') && sign(quantity('-1m')) == -1",
      "quantity('1Gi').add(quantity('1Gi')).asInteger() == 2147483648",
      "quantity('1500m').asApproximateFloat() == 1.5 && quantity('1e400').asApproximateFloat() > "
      "1e308",
      "semver('1.2.3').patch() == 3 && isSemver('v1', true) && !isSemver('1.2')",
  });
}

TEST(FunctionLibraries, Networks) {
  ExpectAll({
      "ip('2001:db8:0:0:0:0:0:1') == ip('2001:db8::1') && string(ip('2001:db8::1')) == "
      "'2001:db8::1'",
      "string(ip('::')) == '::' && string(ip('1:0:0:2::3')) == '1:0:0:2::3'",
      "!ip.isCanonical('2001:DB8::1') && ip.isCanonical('10.0.0.1')",
      "!isIP('10.0.0.01') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && !isIP('1.2.3')",
      "ip('169.254.1.1').isLinkLocalUnicast() && ip('224.0.0.1').isLinkLocalMulticast()",
      "ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()",
      "ip('0.0.0.0').isUnspecified() && ip('ff02::1').isLinkLocalMulticast()",
      "cidr('192.168.1.7/24').masked() == cidr('192.168.1.0/24')",
      "string(cidr('192.168.1.7/24')) == '192.168.1.7/24' && cidr('::1/128').prefixLength() == 128",
      "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && "
      "!cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')",
      "!cidr('10.0.0.0/8').containsIP('::1') && cidr('10.0.0.1/8').ip() == ip('10.0.0.1')",
      "!isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/08')",
  });
  EXPECT_EQ(Outcome("cidr('10.0.0.0/8').containsIP('x')"), "runtime: no such overload");
}

TEST(FunctionLibraries, Urls) {
  ExpectAll({
      "url('https://u:p@h.example:80/a%20b?q=1&q=2&x=%41#f').getQuery() == {'q': ['1', '2'], 'x': "
      "['A']}",
      "url('HTTPS://h/').getScheme() == 'https' && url('https://[::1]:80/').getHostname() == '::1'",
      "url('https://[::1]:80/').getPort() == '80' && url('https://h/a%20b').getEscapedPath() == "
      "'/a%20b'",
      "url('/path only').getEscapedPath() == '/path%20only' && url('/p').getHost() == ''",
      "isURL('mailto:x') && !isURL('../x') && !isURL('') && !isURL('http://h:port/')",
      "!isURL('http://a b/') && !isURL('/%zz') && !isURL(':x')",
  });
}

TEST(FunctionLibraries, NamedFormats) {
  ExpectAll({
      "!format.dns1123Label().validate('my-name').hasValue()",
      "format.dns1123Label().validate('My').hasValue()",
      "!format.dns1123LabelPrefix().validate('my-').hasValue()",
      "format.dns1035Label().validate('1a').hasValue()",
      "!format.dns1123Subdomain().validate('a.b-c.d').hasValue()",
      "format.dns1123Subdomain().validate('a..b').hasValue()",
      "!format.qualifiedName().validate('example.com/a_b').hasValue()",
      "format.qualifiedName().validate('/a').value() == ['prefix part must be non-empty']",
      "!format.labelValue().validate('').hasValue() && "
      "format.labelValue().validate('-').hasValue()",
      "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
      "format.uuid().validate('123').value() == ['does not match the UUID format']",
      "!format.byte().validate('aGVsbG8=').hasValue() && format.byte().validate('a').hasValue()",
      "!format.date().validate('2026-02-28').hasValue() && format.date().validate('2026-02-30')"
      ".hasValue()",
      "!format.datetime().validate('2026-02-28T00:00:00Z').hasValue()",
      "!format.uri().validate('http://example.com').hasValue()",
      "format.named('uri').value() == format.uri() && !format.named('x').hasValue()",
  });
}

TEST(FunctionLibraries, RegularExpressions) {
  ExpectAll({
      "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('x') == ''",
      "'123 abc 456'.findAll('[0-9]*') == ['123', '', '', '', '', '456']",
      "'aXbX'.findAll('X', 1) == ['X'] && 'a'.findAll('b') == []",
      "'2026'.matches('^(?<year>[0-9]{4})$') && 'a(?<'.matches(r'\\(\\?<')",
  });
  EXPECT_EQ(Outcome("'a'.find('(') == ''"),
            "compile: program instantiation failed: error parsing regexp: missing closing ): `(`");
  EXPECT_EQ(Outcome("'a'.find('(' + 'b') == ''"),
            "runtime: Illegal regex: error parsing regexp: missing closing ): `(b`");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cel
