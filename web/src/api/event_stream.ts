// A parser of text/event-stream (https://html.spec.whatwg.org/multipage/server-sent-events.html) for chunks of text
// that may end anywhere.

export interface ServerEvent {
  event: string;
  data: string;
  id: string;
}

export class EventStreamParser {
  private buffer = "";
  private event = "";
  private data: string[] = [];
  private lastId = "";
  /** The delay that the server asks for before a reconnect, in milliseconds. */
  retry: number | undefined;

  constructor(private readonly emit: (event: ServerEvent) => void) {}

  push(chunk: string): void {
    this.buffer += chunk;
    let start = 0;
    for (;;) {
      const match = /\r\n|\n|\r/g;
      match.lastIndex = start;
      const found = match.exec(this.buffer);
      if (!found) break;
      // A carriage return at the end of a chunk may be half of a line end.
      if (found[0] === "\r" && found.index + 1 === this.buffer.length) break;
      this.line(this.buffer.slice(start, found.index));
      start = found.index + found[0].length;
    }
    this.buffer = this.buffer.slice(start);
  }

  private line(line: string): void {
    if (line === "") {
      this.dispatch();
      return;
    }
    if (line.startsWith(":")) return;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.lastId = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }

  private dispatch(): void {
    if (this.data.length > 0) {
      this.emit({ event: this.event || "message", data: this.data.join("\n"), id: this.lastId });
    }
    this.event = "";
    this.data = [];
  }
}
