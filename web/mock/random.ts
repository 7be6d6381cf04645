// Seeded random numbers (mulberry32): the same seed gives the same cluster.
export class Random {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
  /** About normal, between -1 and 1. */
  bell(): number {
    return (this.next() + this.next() + this.next() - 1.5) / 1.5;
  }
  word(length: number): string {
    const letters = "bcdfghjklmnpqrstvwxz2456789";
    return Array.from({ length }, () => letters[this.below(letters.length)]).join("");
  }
}

export function hash(...parts: (string | number)[]): number {
  let value = 2166136261;
  for (const character of parts.join("\0")) value = Math.imul(value ^ character.codePointAt(0)!, 16777619);
  return value >>> 0;
}
