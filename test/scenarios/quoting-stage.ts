import { expect } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

/** The stage's own quotes, both resting. */
export const BOTH = [`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`];

/** A bot that quotes, has traded, paid funding and repriced: it has seen every kind of frame. */
export async function quotingStage(): Promise<Stage> {
  const stage = new Stage({ market: { funding: { mode: "fixed", intervalMs: 10_000 } } });
  await stage.botStarts();
  stage.counterparty.sells(2, BID);
  await stage.passes(13_000);
  stage.wants({ bid: BID - 10 });
  await stage.passes(1_000);
  stage.wants();
  await stage.passes(4_000);
  expect(stage.quotes()).toEqual(BOTH);
  return stage;
}
