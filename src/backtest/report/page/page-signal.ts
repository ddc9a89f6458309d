import { LEAST_INDEPENDENT_MOVES } from "../../record/signal/signal-horizon.js";
import type { SignalReport } from "../signal-schema.js";
import { tableHtml } from "./html-table.js";
import { countText, figure, percent } from "./html-text.js";

const HEADS = [
  "horizon",
  "predictions",
  "independent moves",
  "slope",
  "correlation",
  "right direction",
  "predicted, bps",
  "realised, bps",
];

const NOTE = `Moves of the mid after each prediction against the predicted ones. The slope is that of the realised on the predicted move: 1 for a calibrated signal, 0 for a worthless one. The last column is the mean move in the predicted direction. Predictions are made before the moves that they are compared with. Brackets hold 95 % confidence intervals over blocks of four horizons. With fewer than ${LEAST_INDEPENDENT_MOVES} moves in windows that do not overlap, the run is too short to tell.`;

/** The section of a market's signal; empty if its strategy predicted nothing. */
export function signalHtml({ signal }: { readonly signal?: SignalReport | undefined }): string {
  if (signal === undefined) return "";
  const rows = signal.map(({ seconds, predictions, independentMoves, figures }) => {
    const head = [`${seconds} s`, countText(predictions), countText(independentMoves)];
    if (figures === null) return [...head, "too short to tell", "", "", "", ""];
    const { slope, correlation, hitRate, predictedBps, realisedBps } = figures;
    return [
      ...head,
      intervalHtml(slope, figure),
      figure(correlation),
      intervalHtml(hitRate, percent),
      figure(predictedBps),
      intervalHtml(realisedBps, figure),
    ];
  });
  return `<section><h2>What the signal was worth</h2>${tableHtml("Predicted and realised moves of the mid", HEADS, rows)}<p class="gloss">${NOTE}</p></section>`;
}

type Figures = NonNullable<SignalReport[number]["figures"]>;

function intervalHtml(
  { value, low, high }: Figures["slope"],
  text: (value: number) => string,
): string {
  return `${text(value)} <small>[${text(low)}, ${text(high)}]</small>`;
}
