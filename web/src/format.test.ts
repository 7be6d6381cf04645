import assert from "node:assert/strict";
import test from "node:test";
import {
  age,
  asSentence,
  formatAmount,
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatShortDuration,
  plural,
} from "./format.ts";

/** Thin spaces as plain ones, so that expectations can be read. */
const plain = (text: string) => text.replaceAll("\u202f", " ");

test("amounts have the unit of their resource", () => {
  const cases: [number, "cores" | "bytes" | "count", string][] = [
    [0, "cores", "0"],
    [250, "cores", "250m"],
    [1000, "cores", "1"],
    [15_950, "cores", "15.9"],
    [1_879_400_000, "cores", "1,879,400"],
    [-500, "cores", "−500m"],
    [0, "bytes", "0 B"],
    [1536, "bytes", "1.5 KiB"],
    [64 * 1024 ** 3, "bytes", "64 GiB"],
    [1024 ** 5 * 9.58, "bytes", "9.58 PiB"],
    [8, "count", "8"],
    [12_345, "count", "12,345"],
    [Number.NaN, "count", "–"],
  ];
  for (const [value, unit, want] of cases)
    assert.equal(plain(formatAmount(value, unit)), want, `${value} ${unit}`);
});

test("bytes change the unit before they show four digits", () => {
  assert.equal(plain(formatBytes(1023 * 1024)), "1023 KiB");
  assert.equal(plain(formatBytes(1023.9 * 1024)), "1 MiB");
});

test("counts are grouped from five digits on", () => {
  assert.equal(formatCount(1000), "1000");
  assert.equal(formatCount(100_000), "100,000");
  assert.equal(formatCount(-12_345), "−12,345");
  assert.equal(plural(1, "node"), "1 node");
  assert.equal(plural(2, "fix", "fixes"), "2 fixes");
});

test("percent never rounds to empty or full", () => {
  assert.equal(formatPercent(0), "0%");
  assert.equal(formatPercent(0.004), "<1%");
  assert.equal(formatPercent(0.996), "99%");
  assert.equal(formatPercent(1), "100%");
  assert.equal(formatPercent(1.2), "120%");
});

test("durations have at most two units", () => {
  const cases: [number, string][] = [
    [0, "0 s"],
    [0.000_05, "50 µs"],
    [0.012, "12 ms"],
    [0.99951, "1 s"],
    [4.24, "4.2 s"],
    [42, "42 s"],
    [200, "3 m 20 s"],
    [3600, "1 h"],
    [18_120, "5 h 2 m"],
    [3599.6, "1 h"],
    [86_399, "1 d"],
    [273_600, "3 d 4 h"],
    [-5, "−5 s"],
  ];
  for (const [seconds, want] of cases) assert.equal(plain(formatDuration(seconds)), want, String(seconds));
  assert.equal(plain(formatShortDuration(200)), "3 m");
});

test("an age is never negative, since clocks differ", () => {
  assert.equal(age("2026-01-01T00:00:00.000000Z", Date.parse("2026-01-01T00:01:30Z")), 90);
  assert.equal(age("2026-01-01T00:00:02Z", Date.parse("2026-01-01T00:00:00Z")), 0);
  assert.ok(Number.isNaN(age("nonsense", 0)));
});

test("rates keep three digits", () => {
  assert.equal(formatRate(0), "0");
  assert.equal(formatRate(0.001), "<0.01");
  assert.equal(formatRate(0.256), "0.26");
  assert.equal(formatRate(123.4), "123");
  assert.equal(formatRate(125_000), "125,000");
});

test("texts of the server become sentences", () => {
  assert.equal(asSentence("it is the only node that fits"), "It is the only node that fits.");
  assert.equal(asSentence("Done."), "Done.");
  assert.equal(asSentence(" "), "");
});
