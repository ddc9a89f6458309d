import { createQueueModel } from "#core/queue-model-names.js";
import type { QueueModel, QueuePlace } from "#core/queue-models.js";
import { createMarketView } from "#market/create-market-view.js";
import { MarketState } from "#market/market-state.js";
import { OrderBook } from "#market/order-book.js";
import { readCapture } from "#simulator/capture.js";
import { findCaptureFiles } from "#simulator/capture-files.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { FillIntensityEstimator } from "#strategies/fill-intensity.js";
import { glftTerms } from "#strategies/glft-quotes.js";
import {
  bookAtLocal,
  gridPairs,
  publishedOrder,
  publishedRuns,
} from "../backtest/matching/published-orders.js";
import {
  queueExperiment,
  throughOnlyQueue,
  touchQueue,
} from "../backtest/matching/queue-experiment.js";
import { BTC_GRID, type BtcCapture, captureTape, hasCapture } from "../support/capture-tape.js";
import type { Comparison, PublishedNumbers } from "./published.js";

/** Capture, window, then trades a second, sigma, A, k, half spread and skew. */
const CALIBRATIONS: readonly (readonly [BtcCapture, number, number, readonly string[]])[] = [
  [
    "btcusdt-perp_20230404-05",
    1680652720000,
    1680653210000,
    ["25.2", "9.313", "0.4037", "0.08595", "16.542", "14.744"],
  ],
  [
    "btcusdt-perp_20240718-19",
    1721347030000,
    1721347500000,
    ["22.4", "24.873", "0.4552", "0.03206", "53.999", "70.402"],
  ],
  [
    "btcusdt-perp_20240808",
    1723161260000,
    1723161600000,
    ["62.3", "83.878", "1.2273", "0.02511", "107.921", "172.019"],
  ],
];
const CELL_MS = 100;

/** A and k of the recorded captures, by the estimator that the strategies have. */
export const calibration: PublishedNumbers = {
  title: "A and k of three recorded captures",
  source:
    "Computed independently of this project on the captures of the recorded data, by the calibration of hftbacktest's GLFT example",
  how: "Ours: each capture through `MarketState`, with a view at every 100 ms of exchange time (events of that moment come first), to `FillIntensityEstimator` of `src/strategies/models/fill-intensity.ts`. `intensity` of both strategies uses it. Distances 0.5 to 69.5 ticks. sigma is the deviation of the mid's changes times the root of 10. Half spread and skew are `glftTerms` at gamma 0.05.",
  isAvailable: CALIBRATIONS.every(([tag]) => hasCapture(tag)),
  async compare() {
    const rows: Comparison[] = [];
    for (const [tag, fromMs, toMs, theirs] of CALIBRATIONS) {
      const found = await calibrate(tag, fromMs, toMs);
      const names = [
        "trades a second",
        "sigma, ticks / sqrt(s)",
        "A, 1/s",
        "k, 1/tick",
        "half spread, ticks",
        "skew, ticks an order",
      ];
      rows.push(
        ...names.map((name, at) => ({
          what: `${tag.slice(13)}: ${name}`,
          theirs: theirs[at],
          ours: found[at],
        })),
      );
    }
    return rows;
  },
};

async function calibrate(
  tag: BtcCapture,
  fromMs: number,
  toMs: number,
): Promise<readonly number[]> {
  const estimator = new FillIntensityEstimator({
    estimator: "rolling",
    windowMs: 3_600_000,
    cellMs: CELL_MS,
    depthTicks: 70,
    refitMs: 0,
    minCells: 100,
  });
  const state = new MarketState(BTC_GRID);
  const book = new OrderBook();
  const mids: number[] = [];
  let nextMs = fromMs;
  let trades = 0;
  for await (const batch of readCapture(findCaptureFiles(recordedDataFolder(), tag), BTC_GRID)) {
    for (const event of batch) {
      for (; event.timeMs > nextMs && nextMs <= toMs; nextMs += CELL_MS) {
        const view = createMarketView({
          instrument: BTC_GRID,
          book,
          ownOrders: [],
          state,
          sequence: mids.length + 1,
          timeMs: nextMs,
          cause: mids.length === 0 ? "start" : "timer",
          depthLevels: 1,
          positionLots: 0,
          equity: 0n,
          maxPositionLots: 1,
        });
        if (view === null) throw new Error(`${tag} has no two sides at ${nextMs}`);
        state.startView();
        estimator.observe(view);
        mids.push(view.midTicks);
      }
      if (event.kind === "mark") continue;
      if (event.kind === "trade") {
        if (event.timeMs > fromMs && event.timeMs <= toMs) trades++;
        const { id, ticks, lots, timeMs, aggressor } = event;
        const isBuyerMaker = aggressor === "SELL";
        state.apply({
          type: "public-trade",
          marketId: BTC_GRID.marketId,
          id,
          ticks,
          lots,
          timeMs,
          isBuyerMaker,
        });
        continue;
      }
      // The windows begin long after the snapshot: its missing levels have been sent again by
      // then.
      if (event.kind === "snapshot") book.clear();
      for (let at = 0; at < event.bids.length; at += 2)
        book.set("BUY", event.bids[at], event.bids[at + 1]);
      for (let at = 0; at < event.asks.length; at += 2)
        book.set("SELL", event.asks[at], event.asks[at + 1]);
    }
  }
  const { estimate } = estimator;
  if (estimate === undefined) throw new Error(`${tag} gave no estimate`);
  const sigma = deviationOfChanges(mids) * Math.sqrt(1000 / CELL_MS);
  const { halfSpread, skew } = glftTerms({
    sigma,
    drift: 0,
    fillsPerSecond: estimate.fillsPerSecond,
    fillDecay: estimate.fillDecayPerTick,
    riskAversion: 0.05,
    fillRiskAversion: 0.05,
    orderSize: 1,
  });
  return [
    trades / ((toMs - fromMs) / 1000),
    sigma,
    estimate.fillsPerSecond,
    estimate.fillDecayPerTick,
    halfSpread,
    skew,
  ];
}

function deviationOfChanges(values: readonly number[]): number {
  const changes = values.slice(1).map((value, at) => value - values[at]);
  const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length;
  return Math.sqrt(changes.reduce((sum, change) => sum + (change - mean) ** 2, 0) / changes.length);
}

const LOT_BASE = 0.001;

/** Rule, share filled, fills by queue, through and cross, mean time to the fill. */
const QUEUE_RULES: readonly (readonly [
  QueueModel<QueuePlace>,
  string,
  string,
  string,
  string,
  string,
])[] = [
  [touchQueue, "95.5", "612", "10", "10", "381"],
  [createQueueModel("log", LOT_BASE), "80.1", "420", "85", "25", "2107"],
  [createQueueModel("power-1", LOT_BASE), "79.8", "440", "66", "22", "2141"],
  [createQueueModel("power-2", LOT_BASE), "79.2", "431", "69", "24", "2207"],
  [createQueueModel("power-3", LOT_BASE), "79.2", "426", "73", "25", "2215"],
  [createQueueModel("power3-3", LOT_BASE), "78.1", "373", "117", "27", "2268"],
  [createQueueModel("risk-averse", LOT_BASE), "78.1", "345", "140", "32", "2303"],
  [throughOnlyQueue, "72.8", "0", "421", "61", "2428"],
];

/** The queue experiment on the capture of 2024-08-08. */
export const queueRules: PublishedNumbers = {
  title: "How much the fill rule matters: 662 orders on the capture of 2024-08-08",
  source: "Computed independently of this project, with the queue models of hftbacktest",
  how: "Ours: `BookMatcher` of `src/backtest/matching` without partial fills. `test/backtest/matching/captures.test.ts` holds it with partial fills too. Each second a post-only buy of 0.001 BTC at the best bid and a sell at the best ask, no latency, cancelled after 10 s. Amounts in base units in the log model, both ends of the window inclusive, market data before orders on ties.",
  isAvailable: hasCapture("btcusdt-perp_20240808"),
  isLong: true,
  compare() {
    const tape = captureTape("btcusdt-perp_20240808");
    return QUEUE_RULES.flatMap(
      ([queue, percent, byQueue, through, cross, meanMs]): Comparison[] => {
        const { orders, fills, filledShare, meanFillMs } = queueExperiment(tape, queue, false);
        const named = (what: string) => `${queue.name}: ${what}`;
        return [
          { what: named("orders"), theirs: "662", ours: orders },
          { what: named("filled, %"), theirs: percent, ours: 100 * filledShare },
          { what: named("by queue"), theirs: byQueue, ours: fills.queue },
          { what: named("through"), theirs: through, ours: fills.through },
          { what: named("cross"), theirs: cross, ours: fills.cross },
          { what: named("mean ms to the fill"), theirs: meanMs, ours: meanFillMs },
        ];
      },
    );
  },
};

/** Books and orders that hftbacktest publishes of captures that we hold. */
export const goldenRuns: PublishedNumbers = {
  title: "hftbacktest: books and orders of its notebooks",
  source:
    "nkaz001/hftbacktest, `Getting Started.ipynb` and `Data Preparation.ipynb`, as published outputs; what was derived from them is marked",
  how: "Ours: `ReplayBook` and `BookMatcher` of `src/backtest`, by `test/backtest/matching/captures.test.ts`: 100 ms to the exchange and 100 ms back, risk-averse queue, no partial fills. Prices in quote, times as milliseconds since 1970. The figure of a book is how many of its published prices and amounts ours has too.",
  isAvailable: hasCapture("btcusdt-perp_20240808") && hasCapture("btcusdt-perp_20240718-19"),
  isLong: true,
  compare() {
    const { bookCheckpointsLocalTime, eod20240808 } = publishedRuns();
    const rows: Comparison[] = [];
    const met = (ours: readonly number[], theirs: readonly number[]) =>
      theirs.filter((value, at) => ours[at] === value).length;
    const count = (what: string, ours: readonly number[], theirs: readonly number[]) =>
      rows.push({ what, theirs: String(theirs.length), ours: met(ours, theirs) });
    const lastDay = captureTape("btcusdt-perp_20240808");
    const book = bookAtLocal(lastDay, Number.POSITIVE_INFINITY);
    rows.push({
      what: "2024-08-08, last book: levels",
      theirs: String(eod20240808.levels),
      ours: book.bids.levels + book.asks.levels,
    });
    count("its five best bids", book.bids.entries(), gridPairs(eod20240808.bestBids));
    count("its five worst asks", book.asks.entries().slice(-10), gridPairs(eod20240808.worstAsks));

    const tape = captureTape("btcusdt-perp_20240718-19");
    for (const { localTimeNs, bids, asks } of bookCheckpointsLocalTime) {
      const then = bookAtLocal(tape, Number(BigInt(localTimeNs) / 1000n));
      const ours = [...then.bids.entries().slice(0, 6), ...then.asks.entries().slice(0, 6)];
      count(`2024-07-19, three levels a side at ${BigInt(localTimeNs) / 1_000_000n}`, ours, [
        ...gridPairs(bids),
        ...gridPairs(asks),
      ]);
    }
    const ticks = (price: string) => BTC_GRID.parsePrice(price);
    const price = (at: number | undefined) => (at ?? Number.NaN) * BTC_GRID.tickQuote;
    const first = publishedOrder(tape, 1_721_347_231_533, {
      side: "BUY",
      ticks: ticks("63885.7"),
    }).fill;
    rows.push({
      what: "buy at 63885.7: filled at the exchange (derived)",
      theirs: "1721347356052",
      ours: first?.exchangeMs ?? Number.NaN,
    });
    rows.push({ what: "buy at 63885.7: price", theirs: "63885.7", ours: price(first?.ticks) });
    const second = publishedOrder(tape, 1_721_347_261_533, {
      side: "BUY",
      ticks: ticks("63979.9"),
    }).fill;
    rows.push({
      what: "buy at 63979.9: filled at the exchange (derived)",
      theirs: "1721347286948",
      ours: second?.exchangeMs ?? Number.NaN,
    });
    rows.push({
      what: "buy at 63979.9: maker fee at 0.02 %",
      theirs: "12.79598",
      ours: price(second?.ticks) * 0.0002,
    });
    const market = { side: "SELL", ticks: Number.NaN, type: "MARKET", timeInForce: "IOC" } as const;
    const third = publishedOrder(tape, 1_721_347_261_533, market).fill;
    rows.push({
      what: "market sell: price, where the best bid seen was 63979.9",
      theirs: "63981.9",
      ours: price(third?.ticks),
    });
    rows.push({
      what: "market sell: taker fee at 0.07 %",
      theirs: "44.78733",
      ours: price(third?.ticks) * 0.0007,
    });
    const crossing = publishedOrder(tape, 1_721_347_261_533, {
      side: "SELL",
      ticks: ticks("63969.9"),
      timeInForce: "POST_ONLY",
    });
    rows.push({
      what: "post-only sell at 63969.9: fills, it expires",
      theirs: "0",
      ours: crossing.fill === undefined && crossing.end !== undefined ? 0 : 1,
    });
    const cancelled = publishedOrder(
      tape,
      1_721_347_201_633,
      { side: "BUY", ticks: ticks("63949.9") },
      1_721_347_201_933,
    );
    rows.push({
      what: "an order and its answer, ms",
      theirs: "200",
      ours: (cancelled.newMs ?? Number.NaN) - 1_721_347_201_633,
    });
    rows.push({
      what: "its cancel and the answer, ms",
      theirs: "200",
      ours: (cancelled.end?.seenMs ?? Number.NaN) - 1_721_347_201_933,
    });
    return rows;
  },
};
