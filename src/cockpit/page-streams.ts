import type { ServerResponse } from "node:http";
import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import type { BotDirectory } from "./bot-directory.js";
import type { BotFeed } from "./bot-feed.js";

/** Most open pages. */
export const MOST_PAGES = 32;
/** Interval of the ages of frames that are late. */
const AGE_MS: Ms = 1_000;
/** A frame older than this is late. */
const LATE_MS: Ms = 1_500;
/** Interval of the comments that keep a quiet connection open. */
const ALIVE_EVERY = 10;
/** A page that has read nothing for this long is closed. */
const STALLED_MS: Ms = 30_000;

/** One open page. */
interface OpenPage {
  readonly response: ServerResponse;
  /** Since when it is behind, on the monotonic clock; undefined while it reads along. */
  behindSinceMs: Ms | undefined;
  /** True if an event was not sent meanwhile. */
  hasMissed: boolean;
}

/**
 * The event streams of all open pages. A page that does not read has at most one event in memory;
 * when it reads again it gets the newest state.
 */
export class PageStreams {
  readonly #clock: Clock;
  readonly #directory: () => BotDirectory;
  readonly #pages = new Set<OpenPage>();
  #timer: Timer | undefined;
  #beats = 0;

  constructor(clock: Clock, directory: () => BotDirectory) {
    this.#clock = clock;
    this.#directory = directory;
  }

  get isFull(): boolean {
    return this.#pages.size >= MOST_PAGES;
  }

  /** Sends events to a page from now on, until it closes. */
  add(response: ServerResponse): void {
    const page: OpenPage = { response, behindSinceMs: undefined, hasMissed: false };
    this.#pages.add(page);
    response.on("drain", () => {
      page.behindSinceMs = undefined;
      if (page.hasMissed) this.#sendAll(page);
    });
    response.on("close", () => this.#remove(page));
    this.#directory().open();
    this.#timer ??= this.#clock.setTimer(AGE_MS, () => this.#beat());
    response.flushHeaders();
    this.#sendAll(page);
  }

  sendBots(): void {
    this.#broadcast(this.#botsEvent());
  }

  sendFrame(feed: BotFeed): void {
    const event = this.#frameEvent(feed);
    if (event !== undefined) this.#broadcast(event);
  }

  sendGone(id: string): void {
    this.#broadcast(eventText("gone", JSON.stringify({ id })));
  }

  close(): void {
    for (const { response } of this.#pages) response.destroy();
  }

  #remove(page: OpenPage): void {
    this.#pages.delete(page);
    if (this.#pages.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#directory().close();
  }

  #broadcast(text: string): void {
    for (const page of this.#pages) this.#send(page, text);
  }

  #send(page: OpenPage, text: string): void {
    if (page.behindSinceMs !== undefined) {
      page.hasMissed = true;
      return;
    }
    if (!page.response.write(text)) page.behindSinceMs = this.#clock.monotonicMs();
  }

  /** The whole present state: for a new page, and for one that has missed events. */
  #sendAll(page: OpenPage): void {
    page.hasMissed = false;
    const frames = [...this.#directory().feeds].map((feed) => this.#frameEvent(feed) ?? "");
    this.#send(page, [this.#botsEvent(), ...frames].join(""));
  }

  #beat(): void {
    this.#timer = this.#clock.setTimer(AGE_MS, () => this.#beat());
    this.#beats++;
    const nowMs = this.#clock.monotonicMs();
    for (const { id, latest } of this.#directory().feeds) {
      const ageMs = latest === undefined ? undefined : Math.round(nowMs - latest.atMs);
      if (ageMs !== undefined && ageMs > LATE_MS)
        this.#broadcast(eventText("age", JSON.stringify({ id, ageMs })));
    }
    if (this.#beats % ALIVE_EVERY === 0) this.#broadcast(": alive\n\n");
    for (const { response, behindSinceMs } of this.#pages)
      if (behindSinceMs !== undefined && nowMs - behindSinceMs > STALLED_MS) response.destroy();
  }

  #botsEvent(): string {
    return eventText("bots", JSON.stringify(this.#directory().list()));
  }

  #frameEvent({ id, latest }: BotFeed): string | undefined {
    if (latest === undefined) return undefined;
    const ageMs = Math.round(this.#clock.monotonicMs() - latest.atMs);
    return eventText("frame", `{"id":"${id}","ageMs":${ageMs},"frame":${latest.text}}`);
  }
}

/** One server-sent event. JSON has no line feed, which would end the data. */
function eventText(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}
