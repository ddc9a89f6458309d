import type { MarketId } from "../../core/units.js";
import { joined } from "../../history/columns/open-tape.js";
import { inSharedMemory } from "../../history/columns/shared-columns.js";
import type { FundingTape, KlineTape, MarkTape, Tape } from "../../history/columns/tape.js";
import type { Span } from "../../history/spans.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import { openHistory } from "../run/open-history.js";
import type { PlayedHistory, PlayedMarket } from "../run/played-history.js";
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
    const whole = await marks?.whole();
    markets.push({
      marketId,
      marks: whole && inSharedMemory(whole),
      tellsFunding,
      funding: funding && inSharedMemory(funding),
      klines: klines && inSharedMemory(klines),
      tape: tape && inSharedMemory(tape),
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
