import { createHash } from "node:crypto";
import { isListening } from "../bot/control/control-server.js";
import { findRunningBots, type RunningBotEntry } from "../bot/state/running-bots.js";
import { describeThrown } from "../core/describe-thrown.js";
import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import { BotFeed } from "./bot-feed.js";

/** Interval at which new and ended bots are looked for. */
const SEARCH_MS: Ms = 1_000;
/** Most bots that are shown. */
const MOST_BOTS = 64;

/** A running bot, as the page lists it. */
export interface ListedBot {
  readonly id: string;
  readonly config: string;
  readonly account: string;
  readonly phase: string;
  readonly control: boolean;
  /** Why there is no newer frame; absent while frames come. */
  readonly trouble?: string;
}

/** Receives what happens to the bots of this user. */
export interface BotDirectoryListener {
  readonly onBots: () => void;
  readonly onFrame: (feed: BotFeed) => void;
  readonly onGone: (id: string) => void;
}

/** Environment, clock and listener of a {@link BotDirectory}. */
interface BotDirectoryOptions {
  /** Names the folder of the running bots' entries. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly listener: BotDirectoryListener;
  /** Called when the bots cannot be looked for, with the reason. */
  readonly onTrouble: (why: string) => void;
}

/**
 * All running bots of this user on this machine. While a page is open it holds one connection to
 * each; otherwise none, so that the bots do no work.
 */
export class BotDirectory {
  readonly #options: BotDirectoryOptions;
  readonly #feeds = new Map<string, BotFeed>();
  #timer: Timer | undefined;
  #isOpen = false;
  #isSearching = false;
  #trouble: string | undefined;

  constructor(options: BotDirectoryOptions) {
    this.#options = options;
  }

  /** The bots that were found last. */
  list(): readonly ListedBot[] {
    return [...this.#feeds.values()].map(({ id, entry, state }) => ({
      id,
      config: entry.config,
      account: entry.account,
      ...state,
    }));
  }

  get feeds(): Iterable<BotFeed> {
    return this.#feeds.values();
  }

  /** The bot with this id; undefined if none runs. A page may ask before any frame has come. */
  async find(
    id: string,
  ): Promise<
    { readonly entry: RunningBotEntry; readonly control: boolean | undefined } | undefined
  > {
    const feed = this.#feeds.get(id);
    if (feed !== undefined)
      return {
        entry: feed.entry,
        control: feed.latest === undefined ? undefined : feed.state.control,
      };
    const entry = (await this.#running()).find((bot) => idOf(bot) === id);
    return entry === undefined ? undefined : { entry, control: undefined };
  }

  /** A page is open: bots are looked for from now on. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    void this.#search();
  }

  /** The last page was closed. */
  close(): void {
    this.#isOpen = false;
    this.#timer?.cancel();
    for (const feed of this.#feeds.values()) feed.stop();
    this.#feeds.clear();
  }

  async #search(): Promise<void> {
    // A search that began before the pages were closed and opened again goes on.
    if (this.#isSearching) return;
    this.#isSearching = true;
    try {
      const bots = await this.#running();
      this.#trouble = undefined;
      if (this.#isOpen) this.#update(bots);
    } catch (error) {
      const why = describeThrown(error);
      if (why !== this.#trouble) this.#options.onTrouble(why);
      this.#trouble = why;
    } finally {
      this.#isSearching = false;
    }
    if (this.#isOpen)
      this.#timer = this.#options.clock.setTimer(SEARCH_MS, () => void this.#search());
  }

  /**
   * A bot that is connected is alive, however busy. It is not asked again: each probe would be a
   * connection that a busy bot does not accept, until its queue is full and it seems dead.
   */
  #running(): Promise<readonly RunningBotEntry[]> {
    return findRunningBots(this.#options.env, async (socketPath) => {
      for (const feed of this.#feeds.values())
        if (feed.entry.socketPath === socketPath && feed.isConnected) return true;
      return isListening(socketPath);
    });
  }

  #update(bots: readonly RunningBotEntry[]): void {
    const { clock, listener } = this.#options;
    const shown = new Map(bots.slice(0, MOST_BOTS).map((bot) => [idOf(bot), bot]));
    let isChanged = false;
    for (const [id, feed] of [...this.#feeds]) {
      if (shown.get(id)?.pid === feed.entry.pid) continue;
      feed.stop();
      this.#feeds.delete(id);
      isChanged = true;
      // A restarted bot has the id of the one before it.
      if (!shown.has(id)) listener.onGone(id);
    }
    for (const [id, bot] of shown) {
      if (this.#feeds.has(id)) continue;
      this.#feeds.set(id, new BotFeed(id, bot, clock, listener.onBots, listener.onFrame));
      isChanged = true;
    }
    if (isChanged) listener.onBots();
  }
}

/** Names a bot by its socket, of which there is one for a state directory. */
function idOf({ socketPath }: RunningBotEntry): string {
  return createHash("sha256").update(socketPath).digest("hex").slice(0, 16);
}
