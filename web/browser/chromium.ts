// Drives a headless Chromium over the DevTools protocol on two pipes: no WebSocket, no port, no package.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

type Json = Record<string, unknown>;

interface Message {
  id?: number;
  method?: string;
  params?: Json;
  result?: Json;
  error?: { message: string };
  sessionId?: string;
}

function findChromium(): string {
  const candidates = [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  const found = candidates.find((file) => file && existsSync(file));
  if (!found)
    throw new Error("Chromium is not installed: apt-get install chromium, or set CHROMIUM to its path.");
  return found;
}

export class Chromium {
  private nextId = 1;
  private readonly waiting = new Map<number, { resolve(value: Json): void; reject(error: Error): void }>();
  private readonly listeners = new Map<string, (method: string, params: Json) => void>();
  private buffer = "";

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
  ) {
    const output = child.stdio[4] as Readable;
    output.setEncoding("utf8");
    output.on("data", (chunk: string) => this.receive(chunk));
    child.on("exit", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("Chromium has exited."));
      this.waiting.clear();
    });
  }

  static async start(extra: string[] = []): Promise<Chromium> {
    const profile = await mkdtemp(path.join(tmpdir(), "berth-chromium-"));
    const flags = [
      "--headless=new",
      "--remote-debugging-pipe",
      `--user-data-dir=${profile}`,
      "--no-first-run",
      "--no-default-browser-check",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-extensions",
      "--disable-sync",
      "--disable-dev-shm-usage",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
      // Root cannot use Chromium's sandbox; the only pages are the dashboard's own.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ...extra,
    ];
    const child = spawn(findChromium(), [...flags, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    return new Chromium(child, profile);
  }

  private receive(chunk: string): void {
    this.buffer += chunk;
    for (;;) {
      const end = this.buffer.indexOf("\0");
      if (end < 0) return;
      const message = JSON.parse(this.buffer.slice(0, end)) as Message;
      this.buffer = this.buffer.slice(end + 1);
      if (message.id !== undefined) {
        const waiter = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        if (message.error) waiter?.reject(new Error(message.error.message));
        else waiter?.resolve(message.result ?? {});
      } else if (message.method && message.sessionId) {
        this.listeners.get(message.sessionId)?.(message.method, message.params ?? {});
      }
    }
  }

  send(method: string, params: Json = {}, sessionId?: string): Promise<Json> {
    const id = this.nextId++;
    const text = `${JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) })}\0`;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      (this.child.stdio[3] as Writable).write(text);
    });
  }

  async open(size: { width: number; height: number }): Promise<Page> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, String(sessionId));
    this.listeners.set(String(sessionId), (method, params) => page.event(method, params));
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await page.send(`${domain}.enable`);
    await page.resize(size);
    return page;
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.child.once("exit", resolve));
    this.send("Browser.close").catch(() => undefined);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
    await exited;
    clearTimeout(timer);
    await rm(this.profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

export class Page {
  /** Errors and warnings of the console, exceptions, and violations of the content security policy. */
  readonly problems: string[] = [];
  readonly requests: string[] = [];

  constructor(
    private readonly browser: Chromium,
    private readonly session: string,
  ) {}

  send(method: string, params: Json = {}): Promise<Json> {
    return this.browser.send(method, params, this.session);
  }

  event(method: string, params: Json): void {
    if (method === "Runtime.exceptionThrown") {
      const details = params.exceptionDetails as { text: string; exception?: { description?: string } };
      this.problems.push(`exception: ${details.exception?.description ?? details.text}`);
    } else if (
      method === "Runtime.consoleAPICalled" &&
      ["error", "warning", "assert"].includes(String(params.type))
    ) {
      const values = (params.args as { value?: unknown; description?: string }[]).map(
        (arg) => arg.value ?? arg.description,
      );
      this.problems.push(`console: ${values.join(" ")}`);
    } else if (method === "Log.entryAdded") {
      const entry = params.entry as { level: string; text: string; url?: string };
      if (entry.level === "error" || entry.level === "warning")
        this.problems.push(`log: ${entry.text} ${entry.url ?? ""}`);
    } else if (method === "Network.requestWillBeSent") {
      this.requests.push((params.request as { url: string }).url);
    }
  }

  async resize({ width, height }: { width: number; height: number }): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
  }

  async prefer(features: Record<string, string>): Promise<void> {
    const list = Object.entries(features).map(([name, value]) => ({ name, value }));
    await this.send("Emulation.setEmulatedMedia", { features: list });
  }

  async go(url: string): Promise<void> {
    // Another fragment alone does not load a page.
    await this.send("Page.navigate", { url: "about:blank" });
    await this.send("Page.navigate", { url });
  }

  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    const details = answer.exceptionDetails as
      | { exception?: { description?: string }; text: string }
      | undefined;
    if (details) throw new Error(`${expression}: ${details.exception?.description ?? details.text}`);
    return (answer.result as { value: T }).value;
  }

  /** Polls until the expression is true. */
  async until(expression: string, what = expression, milliseconds = 30_000): Promise<void> {
    const end = Date.now() + milliseconds;
    for (;;) {
      if (await this.evaluate<boolean>(`Boolean(${expression})`).catch(() => false)) return;
      if (Date.now() > end) {
        const seen = await this.evaluate<string>("document.body.innerText.slice(0, 600)").catch(() => "");
        throw new Error(
          `After ${milliseconds / 1000} s there is still no: ${what}. The page shows:\n${seen}\n${this.problems.join("\n")}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async sees(text: string): Promise<void> {
    await this.until(`document.body.innerText.includes(${JSON.stringify(text)})`, `text "${text}"`);
  }

  /** Presses the first element of the selector whose text or label has `text`. */
  async press(selector: string, text = ""): Promise<void> {
    const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((e) => (e.innerText + " " + (e.getAttribute("aria-label") ?? "")).includes(${JSON.stringify(text)}))`;
    await this.until(found, `${selector} with "${text}"`);
    const at = await this.evaluate<{ x: number; y: number }>(
      `(() => { const e = ${found}; e.scrollIntoView({ block: "center" }); const b = e.getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()`,
    );
    await this.click(at.x, at.y);
  }

  async click(x: number, y: number): Promise<void> {
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
      await this.send("Input.dispatchMouseEvent", {
        type,
        x,
        y,
        button: type === "mouseMoved" ? "none" : "left",
        clickCount: 1,
      });
    }
  }

  async hover(x: number, y: number): Promise<void> {
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  }

  async wheel(x: number, y: number, deltaY: number): Promise<void> {
    await this.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY });
  }

  async key(key: string, text?: string): Promise<void> {
    const codes: Record<string, number> = {
      Enter: 13,
      Tab: 9,
      Escape: 27,
      ArrowLeft: 37,
      ArrowUp: 38,
      ArrowRight: 39,
      ArrowDown: 40,
    };
    const windowsVirtualKeyCode = codes[key] ?? key.toUpperCase().charCodeAt(0);
    const typed = text ?? (key === "Enter" ? "\r" : key.length === 1 ? key : undefined);
    await this.send("Input.dispatchKeyEvent", {
      type: typed ? "keyDown" : "rawKeyDown",
      key,
      code: key,
      windowsVirtualKeyCode,
      ...(typed ? { text: typed } : {}),
    });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode });
  }

  async type(text: string): Promise<void> {
    await this.send("Input.insertText", { text });
  }

  async screenshot(file: string, whole = false): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true });
    const { data } = await this.send("Page.captureScreenshot", {
      format: "png",
      captureBeyondViewport: whole,
    });
    await writeFile(file, Buffer.from(String(data), "base64"));
  }
}
