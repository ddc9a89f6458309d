import { Instrument } from "#core/instrument.js";
import type { Ms, Side } from "#core/units.js";
import { readCapture } from "#simulator/capture.js";
import type { CaptureFiles } from "#simulator/capture-files.js";
import { CapturedDepth } from "#simulator/captured-depth.js";
import { DEPTH, type DepthSide, type FlowFigures, FlowMeasure } from "./flow-measure.js";

/** The grid of the recorded BTC perpetuals. */
const CAPTURE_GRID = new Instrument({
  marketId: "btcusdt",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

/**
 * The recorded BTC perpetuals with the measured span: from the first whole book, in exchange time.
 */
export const BTC_CAPTURES: readonly {
  readonly tag: string;
  readonly fromMs: Ms;
  readonly toMs: Ms;
}[] = [
  { tag: "btcusdt-perp_20230404-05", fromMs: 1680652720000, toMs: 1680653210000 },
  { tag: "btcusdt-perp_20240718-19", fromMs: 1721347030000, toMs: 1721347500000 },
  { tag: "btcusdt-perp_20240808", fromMs: 1723161260000, toMs: 1723161600000 },
];

/**
 * Measures a span of a recorded market by the recorded exchange's clock.
 * @throws FormatError for a broken file.
 */
export async function captureFigures(
  files: CaptureFiles,
  { fromMs, toMs }: { readonly fromMs: Ms; readonly toMs: Ms },
): Promise<FlowFigures> {
  const measure = new FlowMeasure(CAPTURE_GRID.lotBase);
  const depth = new CapturedDepth();
  let nextMs = fromMs;
  for await (const batch of readCapture(files, CAPTURE_GRID)) {
    for (const event of batch) {
      for (; event.timeMs > nextMs && nextMs <= toMs; nextMs += 1000)
        measure.second(sideOf(depth, "BUY"), sideOf(depth, "SELL"));
      const isMeasured = event.timeMs > fromMs && event.timeMs <= toMs;
      if (event.kind === "trade") {
        if (isMeasured) measure.traded(event.lots);
      } else if (event.kind !== "mark") {
        if (isMeasured && event.kind === "update")
          measure.changed((event.bids.length + event.asks.length) / 2);
        depth.apply(event);
      }
    }
  }
  return measure.figures();
}

function sideOf(depth: CapturedDepth, side: Side): DepthSide {
  const lots: number[] = [];
  depth.forEachLevel(side, (_ticks, held) => lots.push(held) < DEPTH);
  return { bestTicks: depth.best(side) ?? Number.NaN, lots };
}
