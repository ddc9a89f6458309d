import { distinctName } from "./bot-names.js";
import { BotRecord } from "./bot-record.js";
import type { BotEntry, Frame } from "./frame.js";

/** Bots that vanished and are still shown. */
const MOST_GONE = 12;

/** All bots of this user, as the server names them. */
export class BotRecords {
  readonly #bots = new Map<string, BotRecord>();

  /** In a lasting order: by name, then by account. */
  get all(): readonly BotRecord[] {
    return [...this.#bots.values()].sort((a, b) => {
      const [left, right] = [keyOf(a), keyOf(b)];
      return left < right ? -1 : left > right ? 1 : 0;
    });
  }

  get(id: string | undefined): BotRecord | undefined {
    return id === undefined ? undefined : this.#bots.get(id);
  }

  /** Takes the list of running bots. @returns those that have vanished. */
  list(entries: readonly BotEntry[], nowMs: number): readonly BotRecord[] {
    const running = new Set(entries.map(({ id }) => id));
    for (const entry of entries) {
      const known = this.#bots.get(entry.id);
      if (known === undefined) this.#bots.set(entry.id, new BotRecord(entry));
      else {
        known.entry = entry;
        known.goneAtMs = undefined;
      }
    }
    this.#nameAll();
    return this.all
      .filter(({ entry }) => !running.has(entry.id))
      .flatMap(({ entry }) => this.lose(entry.id, nowMs) ?? []);
  }

  /** Takes a frame; one of a bot that the list did not name yet adds it. */
  receive(id: string, frame: Frame, nowMs: number): BotRecord {
    let record = this.#bots.get(id);
    const isNew = record === undefined;
    if (record === undefined) {
      const { config, account, phase } = frame.status;
      record = new BotRecord({ id, config, account, phase, control: frame.control });
      this.#bots.set(id, record);
    }
    const { config } = record.entry;
    record.receive(frame, nowMs);
    if (isNew || config !== record.entry.config) this.#nameAll();
    return record;
  }

  /** Notes why a bot's frames cannot be shown. */
  refuse(id: string, trouble: string): void {
    const record = this.#bots.get(id);
    if (record !== undefined) record.entry = { ...record.entry, trouble };
  }

  /** Marks a bot as vanished. @returns it, or undefined if that was known. */
  lose(id: string, nowMs: number): BotRecord | undefined {
    const record = this.#bots.get(id);
    if (record === undefined || record.goneAtMs !== undefined) return undefined;
    record.goneAtMs = nowMs;
    const gone = [...this.#bots.values()]
      .filter(({ goneAtMs }) => goneAtMs !== undefined)
      .sort((a, b) => (a.goneAtMs ?? 0) - (b.goneAtMs ?? 0));
    for (const { entry } of gone.slice(0, -MOST_GONE)) this.forget(entry.id);
    return record;
  }

  /** Takes a vanished bot off the page. */
  forget(id: string): void {
    this.#bots.delete(id);
    this.#nameAll();
  }

  #nameAll(): void {
    const configs = [...this.#bots.values()].map(({ entry }) => entry.config);
    for (const record of this.#bots.values())
      record.name = distinctName(record.entry.config, configs);
  }
}

function keyOf({ entry }: BotRecord): string {
  return `${entry.config} ${entry.account}`;
}
