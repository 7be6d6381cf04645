// Amounts, durations and times as people read them. Numbers keep three significant digits at most, so that columns of
// tabular figures stay narrow.
import type { Unit } from "./api/types.ts";

const thin = "\u202f";

export function formatCount(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const text = String(Math.round(Math.abs(value)));
  const grouped = text.length > 4 ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
  return value < 0 ? `−${grouped}` : grouped;
}

function significant(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

export function formatBytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let amount = Math.abs(value);
  let unit = 0;
  while (amount >= 1023.5 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  const text = unit === 0 ? String(Math.round(amount)) : significant(amount);
  return `${value < 0 ? "−" : ""}${text}${thin}${units[unit]}`;
}

/** `value` is in base units: millicores, bytes or a count. */
export function formatAmount(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return "–";
  if (unit === "bytes") return formatBytes(value);
  if (unit === "count") return formatCount(value);
  const sign = value < 0 ? "−" : "";
  const milli = Math.abs(value);
  if (milli < 1000) return `${sign}${Math.round(milli)}${milli === 0 ? "" : "m"}`;
  const cores = milli / 1000;
  return `${sign}${cores >= 1000 ? formatCount(cores) : significant(cores)}`;
}

export function formatPercent(ratio: number): string {
  if (!Number.isFinite(ratio)) return "–";
  const percent = ratio * 100;
  if (percent > 0 && percent < 1) return "<1%";
  // 99.6 % is not full.
  if (percent > 99 && percent < 100) return "99%";
  return `${Math.round(percent)}%`;
}

/** `seconds` as at most two units: 340 µs, 12 ms, 4.2 s, 3 m 20 s, 5 h 2 m, 3 d 4 h. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 0) return `−${formatDuration(-seconds)}`;
  if (seconds === 0) return `0${thin}s`;
  if (seconds < 0.9995e-3) return `${significant(seconds * 1e6)}${thin}µs`;
  if (seconds < 0.9995) return `${significant(seconds * 1e3)}${thin}ms`;
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))}${thin}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${thin}s`;
  const units: [number, string][] = [
    [86400, "d"],
    [3600, "h"],
    [60, "m"],
    [1, "s"],
  ];
  const first = units.findIndex(([size]) => whole >= size);
  const [size, name] = units[first]!;
  const [nextSize, nextName] = units[first + 1]!;
  // Rounding may reach the next larger unit.
  const rounded = Math.round(whole / nextSize) * nextSize;
  if (rounded !== whole) return formatDuration(rounded);
  const large = Math.floor(whole / size);
  const small = (whole % size) / nextSize;
  return small === 0 ? `${large}${thin}${name}` : `${large}${thin}${name} ${small}${thin}${nextName}`;
}

/** Like formatDuration, for axes and dense columns: one unit. */
export function formatShortDuration(seconds: number): string {
  return formatDuration(seconds).split(" ")[0]!;
}

/** Seconds from `time` (RFC 3339) to `now` (milliseconds); never negative, since clocks differ a little. */
export function age(time: string, now: number): number {
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? Number.NaN : Math.max(0, (now - parsed) / 1000);
}

export function formatClock(time: string | number, withMilliseconds = false): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "–";
  const two = (value: number) => String(value).padStart(2, "0");
  const text = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return withMilliseconds ? `${text}.${String(date.getMilliseconds()).padStart(3, "0")}` : text;
}

export function formatRate(perSecond: number): string {
  if (!Number.isFinite(perSecond)) return "–";
  if (perSecond === 0) return "0";
  if (perSecond < 0.01) return "<0.01";
  return perSecond >= 1000 ? formatCount(perSecond) : significant(perSecond);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A text of the server as a sentence: it begins with a capital and ends with a full stop. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const full = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(full) ? full : `${full}.`;
}
