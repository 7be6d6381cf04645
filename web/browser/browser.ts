// A headless Chromium, and pages in it that note what goes wrong while a test looks at them.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

export type Theme = "light" | "dark";
export const themes: Theme[] = ["light", "dark"];
export const wide = { width: 1440, height: 900 };
export const narrow = { width: 390, height: 844 };
export const folder = path.resolve("build/screenshots");

export function start(): Promise<Browser> {
  const candidates = [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  const executablePath = candidates.find((file) => file && existsSync(file));
  if (!executablePath)
    throw new Error("Chromium is not installed: apt-get install chromium, or set CHROMIUM to its path.");
  return chromium.launch({
    executablePath,
    // Root cannot use Chromium's sandbox; the only pages are the dashboard's own.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--force-color-profile=srgb"],
  });
}

/** A tab without animations, and what happened in it. */
export class Visit {
  /** Errors and warnings of the console, among them violations of the content security policy; exceptions. */
  readonly problems: string[] = [];
  readonly requests: string[] = [];

  private constructor(readonly page: Page) {
    page.setDefaultTimeout(30_000);
    page.on("console", (message) => {
      if (["error", "warning", "assert"].includes(message.type()))
        this.problems.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => this.problems.push(`exception: ${error.stack ?? error.message}`));
    page.on("request", (request) => this.requests.push(request.url()));
  }

  static async open(context: BrowserContext, size = wide): Promise<Visit> {
    const page = await context.newPage();
    const visit = new Visit(page);
    await page.setViewportSize(size);
    await visit.theme("light");
    return visit;
  }

  theme(colorScheme: Theme): Promise<void> {
    return this.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  }

  async go(url: string): Promise<void> {
    // Another fragment alone does not load a page.
    await this.page.goto("about:blank");
    await this.page.goto(url);
  }

  /** Waits until the page shows the text, which may be spread over elements. */
  async sees(text: string): Promise<void> {
    await this.until((wanted) => document.body.innerText.includes(wanted), text, `text "${text}"`);
  }

  /** Waits until a function holds in the page. */
  async until<Value>(test: (value: Value) => unknown, value: Value, what: string): Promise<void> {
    try {
      // biome-ignore lint/suspicious/noExplicitAny: Playwright's type of arguments knows only what it can unwrap
      await this.page.waitForFunction(test as any, value, { polling: 50 });
    } catch (error) {
      const seen = await this.page.evaluate(() => document.body.innerText.slice(0, 600)).catch(() => "");
      throw new Error(
        `There is still no ${what}. The page shows:\n${seen}\n${this.problems.join("\n")}\n${error}`,
      );
    }
  }

  /** Waits until nothing is loading and the last frame is drawn. */
  async settled(): Promise<void> {
    const loaded = () => document.querySelector("main") && !document.querySelector(".loading");
    await this.until(loaded, undefined, "page that has loaded");
    await this.page.evaluate(
      () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 250))),
        ),
    );
  }

  async shot(name: string): Promise<void> {
    await this.settled();
    await this.page.screenshot({ path: path.join(folder, `${name}.png`) });
  }

  /** Presses the first element of the selector that has the text, or a label with it. */
  async press(selector: string, text = ""): Promise<void> {
    const elements = this.page.locator(selector);
    const labelled = this.page.locator(`${selector}[aria-label*=${JSON.stringify(text)}]`);
    await (text === "" ? elements : elements.filter({ hasText: text }).or(labelled)).first().click();
  }

  /** A document of the API, as the page gets it. */
  get<Document>(route: string): Promise<Document> {
    return this.page.evaluate(
      async (url) => (await (await fetch(url)).json()) as Document,
      `berth/v1/${route}`,
    ) as Promise<Document>;
  }

  /** What violates WCAG 2.2 AA or good practice on the page, by axe. */
  async accessibility(): Promise<string[]> {
    await this.page.evaluate(axe.source);
    const { violations } = await this.page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        resultTypes: ["violations"],
      }),
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`),
    );
  }

  /** Elements that reach beyond the window, or scroll sideways. */
  sideways(): Promise<string[]> {
    return this.page.evaluate(() => {
      const found: string[] = [];
      for (const element of [document.documentElement, ...document.querySelectorAll("main, main *")]) {
        const { overflowX } = getComputedStyle(element);
        const scrolls =
          element === document.documentElement || overflowX === "auto" || overflowX === "scroll";
        if (scrolls && element.scrollWidth > element.clientWidth + 1)
          found.push(
            `${element.tagName}.${element.className} ${element.getAttribute("aria-label") ?? ""}: ` +
              `${element.scrollWidth} px in ${element.clientWidth}`,
          );
      }
      return found;
    });
  }

  /** Fails if the console had a problem or another host was asked. */
  clean(base: string): void {
    assert.deepEqual(this.problems, [], "the console has problems");
    const { origin } = new URL(base);
    const own = [`${origin}/`, "about:", "data:"];
    const foreign = this.requests.filter((url) => !own.some((start) => url.startsWith(start)));
    assert.deepEqual(foreign, [], "requests to other hosts");
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

/** Opens the link that Berth prints: for its token, the browser gets a cookie. Returns the address without it. */
export async function signIn(context: BrowserContext, link: string): Promise<string> {
  if (!new URL(link).searchParams.has("token")) return link;
  const visit = await Visit.open(context);
  await visit.go(link);
  await visit.page.locator("main").waitFor();
  await visit.close();
  return new URL("/", link).href;
}
