import { readdirSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "#core/seeded-random.js";
import { HistoryStore } from "#history/history-store.js";
import type { OpenTapesOptions } from "#history/open-tapes.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

export const MARKET = "btcusdt";
export const STEPS = { tickSize: "0.1", stepSize: "0.001" };
/** 2024-08-08T23:59:59Z: the capture begins here and ends on the next day. */
export const START_MS = 1_723_161_599_000;
export const ALL: OpenTapesOptions = { ...STEPS, fromUs: 0, toUs: 2e15 };

type Level = readonly [ticks: number, lots: number];

/** Messages of one capture, as files and as calls of a builder. */
export class Capture {
  readonly builder = new TapeBuilder({ marketId: MARKET, ...STEPS });
  #line = 0;
  #updates = 0;
  #book = "";
  #trades = "";

  book(
    type: "snapshot" | "update",
    atMs: number,
    bids: readonly Level[],
    asks: readonly Level[],
    latencyUs = 500,
  ): this {
    const line = this.#next();
    const text = (levels: readonly Level[]): string[][] =>
      levels.map(([ticks, lots]) => [(ticks / 10).toFixed(1), (lots / 1000).toFixed(3)]);
    const recvTimeNs = `${atMs * 1000 + latencyUs}000`;
    if (type === "update") this.#updates += 1;
    const sequence = this.#updates;
    const message = {
      type,
      line,
      sequence,
      beginSequence: sequence,
      endSequence: sequence,
      timestamp: atMs,
      recvTimeNs,
    };
    this.#book += `${JSON.stringify({ ...message, bids: text(bids), asks: text(asks) })}\n`;
    this.builder[type](atMs * 1000, atMs * 1000 + latencyUs, line);
    for (const level of bids) this.builder.level("BUY", ...level);
    for (const level of asks) this.builder.level("SELL", ...level);
    return this;
  }

  trade(atMs: number, taker: "BUY" | "SELL", [ticks, lots]: Level, latencyUs = 500): this {
    const line = this.#next();
    const record = {
      id: line,
      price: (ticks / 10).toFixed(1),
      amount: (lots / 1000).toFixed(3),
      time: atMs,
      isBuyerMaker: taker === "SELL",
    };
    this.#trades += `${JSON.stringify({ ...record, status: "SETTLED", line, recvTimeNs: `${atMs * 1000 + latencyUs}000` })}\n`;
    this.builder.trade(atMs * 1000, atMs * 1000 + latencyUs, taker, ticks, lots, line);
    return this;
  }

  /** Imports the capture's files into a store. */
  async stored(): Promise<HistoryStore> {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const files = [
      ...(this.#book === "" ? [] : [fileOf(folder, "book.ndjson", this.#book)]),
      ...(this.#trades === "" ? [] : [fileOf(folder, "trades.ndjson", this.#trades)]),
    ];
    await take(store, files);
    return store;
  }

  #next(): number {
    this.#line += 1;
    return this.#line;
  }
}

/**
 * A capture of some hundred seeded messages over two days, some received in another order than they
 * were sent.
 */
export function seededCapture(): Capture {
  const random = seededRandom("open-tape");
  const whole = (below: number): number => Math.floor(random.uniform() * below);
  const capture = new Capture();
  const levels = (from: number): Level[] =>
    Array.from({ length: whole(4) }, () => [from + whole(20), whole(3)]);
  capture.book("snapshot", START_MS, [[1000, 5]], [[1030, 5]]);
  for (let at = 0; at < 300; at++) {
    const atMs = START_MS + Math.floor(at / 3) * 20;
    const latencyUs = 100 + whole(60_000);
    if (at % 4 === 0)
      capture.trade(
        atMs,
        whole(2) === 0 ? "BUY" : "SELL",
        [1000 + whole(40), 1 + whole(9)],
        latencyUs,
      );
    else
      capture.book(
        at % 50 === 1 ? "snapshot" : "update",
        atMs,
        levels(990),
        levels(1020),
        latencyUs,
      );
  }
  return capture;
}

/** The contents of a tape, comparable whatever memory holds it. */
export function contents({ byLocal, ...tape }: Tape): object {
  const columns = Object.entries(tape).map(([name, value]) => [
    name,
    ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value,
  ]);
  return {
    ...Object.fromEntries(columns),
    byLocal: byLocal === undefined ? undefined : [...byLocal],
  };
}

export function tapeFiles(store: HistoryStore): string[] {
  const folder = join(store.root, MARKET, ".columns");
  return readdirSync(folder).map((name) => join(folder, name));
}
