// Requests to /berth/v1. Every failure becomes an ApiError that says what went wrong and what to do about it.
import type { Status } from "./types.ts";

export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}

/**
 * The address of the API, relative to the page: the scheduler serves the page at berth/dashboard/, others at the root,
 * and a proxy may put a prefix before both.
 */
export function apiBase(page: string): string {
  const url = new URL(page);
  const path = url.pathname.replace(/[^/]*$/, "");
  const prefix = path.endsWith("/berth/dashboard/") ? path.slice(0, -"berth/dashboard/".length) : path;
  return `${url.origin}${prefix}berth/v1`;
}

const advice: Record<number, string> = {
  400: "Change the filter or the address; the server does not understand this one.",
  401: "Your session has ended. Open the address that Berth printed when it started, or log in again.",
  403: "Ask for permission to read /berth/v1, or use a kubeconfig that has it.",
  404: "It may have been deleted. Search for it by name, or go back to the list.",
  409: "The cluster has changed since. Reload to see the current state.",
  429: "The server is busy. Wait a few seconds and try again.",
  500: "This is a bug of the server. Its log has the details.",
  501: "This server does not keep this data. Start it with the ledger enabled.",
  503: "The server is starting or shutting down. Try again in a few seconds.",
};

export function errorOf(code: number, body: unknown): ApiError {
  const status = (typeof body === "object" && body !== null ? body : {}) as Partial<Status>;
  const message =
    typeof status.message === "string" && status.message ? status.message : `HTTP status ${code}`;
  const reason = typeof status.reason === "string" ? status.reason : "";
  return new ApiError(code, reason, message, advice[code] ?? (code >= 500 ? advice[500]! : ""));
}

export function networkError(cause: unknown): ApiError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new ApiError(
    0,
    "Unreachable",
    `No response from the server: ${detail}`,
    "Check that Berth is running and that this page was opened from it.",
  );
}

export type Query = Record<string, string | number | undefined>;

export function address(base: string, segments: readonly string[], query: Query = {}): string {
  const path = segments.map(encodeURIComponent).join("/");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return `${base}/${path}${text ? `?${text}` : ""}`;
}

export interface Client {
  readonly base: string;
  get<T>(segments: readonly string[], query?: Query, signal?: AbortSignal): Promise<T>;
}

export function createClient(base: string, request: typeof fetch = fetch.bind(globalThis)): Client {
  return {
    base,
    async get<T>(segments: readonly string[], query?: Query, signal?: AbortSignal): Promise<T> {
      let response: Response;
      try {
        response = await request(address(base, segments, query), {
          headers: { Accept: "application/json" },
          credentials: "same-origin",
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") throw error;
        throw networkError(error);
      }
      let body: unknown;
      try {
        body = await response.json();
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") throw error;
        if (response.ok) {
          const message = "The response is not JSON.";
          throw new ApiError(
            response.status,
            "BadResponse",
            message,
            "Check that the address is that of Berth.",
          );
        }
      }
      if (!response.ok) throw errorOf(response.status, body);
      return body as T;
    },
  };
}
