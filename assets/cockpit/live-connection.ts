import { EventReader, type ServerEvent } from "./event-reader.js";
import { NEW_LINK, sentenceIn } from "./session.js";

/** How the page is connected, in words where it is not. */
export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "broken"; readonly why: string; readonly retryAtMs: number }
  /** It is not tried again: a person has to act. */
  | { readonly kind: "over"; readonly why: string };

/** Receives what comes over a connection. */
export interface ConnectionListener {
  readonly onState: (state: ConnectionState) => void;
  readonly onEvent: (event: ServerEvent) => void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10_000;
/** Silence after which the connection counts as dead: a sleeping laptop's may never close. */
const SILENT_MS = 45_000;

/** The stream of events from the cockpit's server; connects again until the session is over. */
export class LiveConnection {
  readonly #listener: ConnectionListener;
  #retryMs = FIRST_RETRY_MS;
  #heardAtMs = 0;

  constructor(listener: ConnectionListener) {
    this.#listener = listener;
  }

  /** Never returns while the session lasts. */
  async run(): Promise<void> {
    for (;;) {
      this.#listener.onState({ kind: "connecting" });
      const why = await this.#connect();
      if (why === undefined) return;
      this.#listener.onState({
        kind: "broken",
        why,
        retryAtMs: performance.now() + this.#retryMs,
      });
      await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
      this.#retryMs = Math.min(LONGEST_RETRY_MS, 2 * this.#retryMs);
    }
  }

  /** @returns why the stream ended; undefined when it must not be opened again. */
  async #connect(): Promise<string | undefined> {
    const stop = new AbortController();
    const timer = setInterval(() => {
      if (performance.now() - this.#heardAtMs > SILENT_MS) stop.abort();
    }, 5_000);
    this.#heardAtMs = performance.now();
    try {
      const response = await fetch("/events", {
        headers: { accept: "text/event-stream" },
        cache: "no-store",
        signal: stop.signal,
      });
      if (response.status === 401 || response.status === 403) {
        const why = sentenceIn(
          await response.text(),
          `This page has no session. Get a fresh link with: ${NEW_LINK}`,
        );
        this.#listener.onState({ kind: "over", why });
        return undefined;
      }
      if (!response.ok || response.body === null)
        return sentenceIn(
          await response.text(),
          `The cockpit refused the page (HTTP ${response.status}).`,
        );
      await this.#read(response.body);
      return "The cockpit closed the connection.";
    } catch {
      return "The cockpit does not answer. Is its bot running, and a tunnel open?";
    } finally {
      clearInterval(timer);
      stop.abort();
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const events = new EventReader();
    this.#listener.onState({ kind: "live" });
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#heardAtMs = performance.now();
      this.#retryMs = FIRST_RETRY_MS;
      for (const event of events.push(decoder.decode(value, { stream: true })))
        this.#listener.onEvent(event);
    }
  }
}
