// Colour scales for use (0 to 1). Lightness rises or falls steadily, so the scales can be read without seeing hue; their
// ends are blue and yellow, which people with any common colour vision deficiency tell apart.

export type Theme = "light" | "dark";

type Rgb = readonly [number, number, number];

function parseHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

const toLinear = (channel: number) => {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};
const fromLinear = (linear: number) => {
  const c = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(1, Math.max(0, c)));
};

function toOklab([r, g, b]: Rgb): Rgb {
  const [lr, lg, lb] = [toLinear(r), toLinear(g), toLinear(b)];
  const l = Math.cbrt(0.4122214708 * lr + 0.5363325363 * lg + 0.0514459929 * lb);
  const m = Math.cbrt(0.2119034982 * lr + 0.6806995451 * lg + 0.1073969566 * lb);
  const s = Math.cbrt(0.0883024619 * lr + 0.2817188376 * lg + 0.6299787005 * lb);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: Rgb): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

const stops: Record<Theme, string[]> = {
  light: ["#e6ebf0", "#bcd6e0", "#7fb3c8", "#43859f", "#275a7d", "#16305a"],
  dark: ["#232c3b", "#28486b", "#2f6d8c", "#549a94", "#a5c07c", "#f5dc78"],
};

function interpolate(theme: Theme, at: number): Rgb {
  const list = stops[theme];
  const position = Math.min(1, Math.max(0, at)) * (list.length - 1);
  const index = Math.min(list.length - 2, Math.floor(position));
  const rest = position - index;
  const a = toOklab(parseHex(list[index]!));
  const b = toOklab(parseHex(list[index + 1]!));
  return fromOklab([a[0] + (b[0] - a[0]) * rest, a[1] + (b[1] - a[1]) * rest, a[2] + (b[2] - a[2]) * rest]);
}

export const levels = 256;

/** The scale as `levels` colours. */
function build(theme: Theme): Rgb[] {
  return Array.from({ length: levels }, (_, i) => interpolate(theme, i / (levels - 1)));
}

const tables: Partial<Record<Theme, Rgb[]>> = {};

export function scaleColours(theme: Theme): readonly Rgb[] {
  tables[theme] ??= build(theme);
  return tables[theme];
}

export function levelOf(use: number): number {
  if (!(use > 0)) return 0;
  return Math.min(levels - 1, Math.round(use * (levels - 1)));
}

export function colourOf(use: number, theme: Theme): string {
  const [r, g, b] = scaleColours(theme)[levelOf(use)]!;
  return `rgb(${r}, ${g}, ${b})`;
}

/** WCAG relative luminance and contrast. */
export function luminance([r, g, b]: Rgb): number {
  return 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b);
}

export function contrast(a: Rgb, b: Rgb): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

const black: Rgb = [0, 0, 0];
const white: Rgb = [255, 255, 255];

/** Black or white, whichever is easier to read on the colour of `use`. */
export function textOn(use: number, theme: Theme): string {
  const colour = scaleColours(theme)[levelOf(use)]!;
  return contrast(colour, white) >= contrast(colour, black) ? "#ffffff" : "#000000";
}

/** Colours of states and marks, distinct from every colour of the scale. */
export const markColours: Record<
  Theme,
  { assumed: string; nominated: string; notReady: string; cordoned: string; tainted: string; none: string }
> = {
  light: {
    assumed: "#d9730d",
    nominated: "#a03a86",
    notReady: "#c33a2f",
    cordoned: "#a3a8b0",
    tainted: "#6b4fb3",
    none: "#f1f3f5",
  },
  dark: {
    assumed: "#ff9d42",
    nominated: "#e58fd0",
    notReady: "#ff7b6b",
    cordoned: "#565e6b",
    tainted: "#b9a3f5",
    none: "#1b212b",
  },
};

/** A colour as a little-endian RGBA pixel of ImageData. */
export function pixel([r, g, b]: Rgb, alpha = 255): number {
  return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export function hexPixel(hex: string, alpha = 255): number {
  return pixel(parseHex(hex), alpha);
}

export { parseHex };
