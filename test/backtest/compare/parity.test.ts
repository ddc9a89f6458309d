import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FillExplainer } from "#backtest/fill-explainer.js";
import { backtestModel, evaluateModel, fitModel, initialModel } from "#backtest/fit-model.js";
import { readSession, SESSION_FILES } from "#backtest/session-file.js";
import { scratchFolder } from "../../history/scratch.js";
import {
  jitterySession,
  makerSession,
  parityInputs,
  recordSession,
  withTakingQuotes,
} from "../../support/recorded-session.js";

const PAPER = {
  queue: "risk-averse",
  orderLatencyMs: 20,
  responseLatencyMs: 20,
  creditQuote: "100000",
};
const folder = (): string => join(scratchFolder(), "session");

it("fills the orders of a paper session alike in the backtest, and says why each that differs does", async () => {
  const recorded = await recordSession({ ...makerSession(folder(), 12_000), paper: PAPER });
  const inputs = await parityInputs(recorded);
  expect(recorded.session).toMatchObject({
    mode: "paper",
    start: { equityQuote: "100000" },
    paper: PAPER,
  });
  expect(inputs.account.fills.length).toBeGreaterThan(30);
  const { best } = fitModel(inputs);
  // The same rules on the same records: 1 was measured.
  expect(best.secondHalf.share).toBeGreaterThanOrEqual(0.95);
  const explainer = new FillExplainer(inputs.instrument, inputs.account, best.replay, false);
  for (const unmatched of best.whole.match.liveOnly)
    expect(explainer.explainLive(unmatched).why).not.toBe("");
  for (const unmatched of best.whole.match.replayedOnly)
    expect(explainer.explainReplayed(unmatched).why).not.toBe("");
});

it("fills the orders of a live session alike, though its book is late and has our orders in it", async () => {
  const inputs = await parityInputs(await recordSession(makerSession(folder(), 10_000)));
  expect(inputs.account.fills.length).toBeGreaterThan(30);
  // The exchange batches book changes for 25 ms, and the connection adds 1 to 3.
  expect(inputs.bookLagMs).toBeGreaterThanOrEqual(25);
  expect(inputs.bookLagMs).toBeLessThanOrEqual(28);
  const { best } = fitModel(inputs);
  expect(best.secondHalf.share).toBeGreaterThanOrEqual(0.95);
});

it("fills them alike where the time of book changes is unknown, which one delay for all messages cannot", async () => {
  const inputs = await parityInputs(await recordSession(jitterySession(folder(), 20_000)));
  expect(inputs.account.fills.length).toBeGreaterThan(30);
  // As if the market had been without us: its book reaches our prices when our orders were not
  // there.
  const asHistory = fitModel(inputs, backtestModel(inputs)).best;
  expect(asHistory.whole.share).toBeLessThan(0.9);
  const { plain, best } = fitModel(inputs);
  for (const { firstHalf, secondHalf } of [plain, best]) {
    expect(firstHalf.share).toBeGreaterThanOrEqual(0.95);
    expect(secondHalf.share).toBeGreaterThanOrEqual(0.95);
  }
  const explainer = new FillExplainer(inputs.instrument, inputs.account, asHistory.replay, false);
  const { liveOnly, replayedOnly } = asHistory.whole.match;
  const kinds = [
    ...liveOnly.map((each) => explainer.explainLive(each)),
    ...replayedOnly.map((each) => explainer.explainReplayed(each)),
  ].map(({ kind }) => kind);
  expect(kinds.length).toBeGreaterThan(0);
  expect(kinds).not.toContain("unknown-order");
  // The share falls the further their arrival is from the exchange's stamp: agreement is not
  // automatic.
  const shares = [0, 5, 100].map(
    (lateMs) => evaluateModel(inputs, { ...plain.model, shiftMs: lateMs }).whole.share,
  );
  expect(shares).toEqual([...shares].sort((one, other) => other - one));
  expect(shares[2]).toBeLessThan(0.8);
});

it("fills them alike where most of them take on arrival, which no book shows", async () => {
  const inputs = await parityInputs(
    await recordSession(withTakingQuotes(makerSession(folder(), 12_000, "fitted"))),
  );
  const { account } = inputs;
  const sizeOf = (fills: readonly { readonly lots: number }[]): number =>
    fills.reduce((sum, { lots }) => sum + lots, 0);
  expect(sizeOf(account.fills.filter(({ isMaker }) => !isMaker))).toBeGreaterThan(
    sizeOf(account.fills) / 2,
  );
  // Some of them found less than their size, and rested behind others.
  expect(
    account.orders.some(({ acceptedUs, steps, lots }) =>
      steps.some((step) => step.atUs === acceptedUs && step.openLots > 0 && step.openLots < lots),
    ),
  ).toBe(true);
  const plain = initialModel(inputs);
  const { firstHalf, secondHalf, replay } = evaluateModel(inputs, plain);
  for (const { share } of [firstHalf, secondHalf]) expect(share).toBeGreaterThanOrEqual(0.95);
  expect(sizeOf(replay.fills.filter(({ cause }) => cause === "taker"))).toBeGreaterThan(
    sizeOf(replay.fills) / 2,
  );
  // By the displayed book it is half of that. If the orders arrive 5 ms after the exchange's stamp,
  // the liquidity that they took is gone.
  expect(evaluateModel(inputs, backtestModel(inputs)).whole.share).toBeLessThan(0.7);
  expect(evaluateModel(inputs, { ...plain, shiftMs: plain.shiftMs + 5 }).whole.share).toBeLessThan(
    0.8,
  );
});

it("never takes a killed session for a complete one", async () => {
  const { folder: killed } = await recordSession({ ...makerSession(folder(), 2_000), kill: true });
  expect(existsSync(join(killed, SESSION_FILES.session))).toBe(false);
  expect(() => readSession(killed)).toThrow("was not ended");
});
