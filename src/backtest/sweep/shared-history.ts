import type { MarketId } from "../../core/units.js";
import { joined } from "../../history/columns/open-tape.js";
import type { FundingTape, KlineTape, MarkTape, Tape } from "../../history/columns/tape.js";
import type { Span } from "../../history/spans.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import { openHistory, type PlayedHistory, type PlayedMarket } from "../run/open-history.js";
import type { SweepWindow } from "./windows.js";

interface SharedMarket {
  readonly marketId: MarketId;
  readonly marks: MarkTape | undefined;
  readonly tellsFunding: boolean;
  readonly funding: FundingTape | undefined;
  readonly klines: KlineTape | undefined;
  readonly tape: Tape | undefined;
  readonly lacking: readonly Span[];
}

/** A history whose columns lie in shared memory: plain data, which a worker gets without a copy of them. */
export interface SharedHistory extends Omit<PlayedHistory, "markets"> {
  readonly markets: readonly SharedMarket[];
}

/** A backtest on a part of its history. */
export function configOfWindow(config: BacktestConfig, { fromUs, toUs }: SweepWindow): BacktestConfig {
  return { ...config, history: { ...config.history, fromUs, toUs } };
}

/**
 * Opens a window's history, once for all workers.
 * @throws ConfigError where the store lacks it; HistoryError naming a file that is broken
 */
export async function openShared(config: BacktestConfig, window: SweepWindow): Promise<SharedHistory> {
  const opened = await openHistory(configOfWindow(config, window));
  const markets: SharedMarket[] = [];
  for (const { marketId, marks, tellsFunding, funding, klines, tapes, lacking } of opened.markets) {
    const tape = tapes === undefined ? undefined : await joined(tapes);
    markets.push({
      marketId,
      marks: shared(await marks?.whole()),
      tellsFunding,
      funding: shared(funding),
      klines: shared(klines),
      tape: shared(tape),
      lacking,
    });
  }
  return { ...opened, markets };
}

/** The same as a run plays it. */
export function playedHistory(history: SharedHistory): PlayedHistory {
  const markets = history.markets.map(({ tape, marks, ...market }): PlayedMarket => {
    return { ...market, tapes: tape && once(tape), marks: marks && once(marks) };
  });
  return { ...history, markets };
}

function once<Block>(block: Block): AsyncIterable<Block> {
  return {
    async *[Symbol.asyncIterator]() {
      yield block;
    },
  };
}

/** The bytes of all columns. */
export function bytesOf(history: SharedHistory): number {
  let bytes = 0;
  for (const { marks, funding, klines, tape } of history.markets) {
    for (const columns of [marks, funding, klines, tape]) {
      for (const column of Object.values(columns ?? {}) as unknown[]) if (ArrayBuffer.isView(column)) bytes += column.byteLength;
    }
  }
  return bytes;
}

/** The same columns, those that are not shared yet in shared memory. */
function shared<Columns extends object>(columns: Columns | undefined): Columns | undefined {
  if (columns === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, ArrayBuffer.isView(column) ? inShared(column) : column]),
  ) as Columns;
}

function inShared(column: ArrayBufferView): ArrayBufferView {
  if (column.buffer instanceof SharedArrayBuffer) return column;
  const bytes = new Uint8Array(new SharedArrayBuffer(column.byteLength));
  bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  const Column = column.constructor as new (buffer: SharedArrayBuffer) => ArrayBufferView;
  return new Column(bytes.buffer);
}
