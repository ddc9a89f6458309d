import type uPlot from "uplot";
import type { Ink } from "./chart-look.js";

/** A fill on a chart of prices. */
export interface FillMark {
  readonly timeMs: number;
  /** `BUY` or `SELL`. */
  readonly side: string;
  readonly price: number;
}

/** Half the width and the height of a fill's mark, in pixels; smaller where there are many. */
const MARK = [4, 7] as const;
const DENSE_MARK = [2, 3.5] as const;

/** A triangle for each fill, its tip at the price: upwards for what was bought. */
export function drawFills(
  { ctx, bbox, valToPos }: uPlot,
  fills: readonly FillMark[],
  ink: Ink,
): void {
  const isDense = fills.length > bbox.width / devicePixelRatio;
  const [half, high] = (isDense ? DENSE_MARK : MARK).map((pixels) => pixels * devicePixelRatio) as [
    number,
    number,
  ];
  ctx.globalAlpha = isDense ? 0.6 : 1;
  ctx.lineWidth = 0.6 * devicePixelRatio;
  ctx.strokeStyle = ink("c-card");
  for (const [side, colour, down] of [
    ["BUY", "c-buy", 1],
    ["SELL", "c-sell", -1],
  ] as const) {
    const path = new Path2D();
    for (const { timeMs, price } of fills.filter((fill) => fill.side === side)) {
      const [x, y] = [valToPos(timeMs, "x", true), valToPos(price, "y", true) - down];
      path.moveTo(x, y);
      path.lineTo(x + half, y + down * high);
      path.lineTo(x - half, y + down * high);
      path.closePath();
    }
    ctx.fillStyle = ink(colour);
    ctx.fill(path);
    if (!isDense) ctx.stroke(path);
  }
}
