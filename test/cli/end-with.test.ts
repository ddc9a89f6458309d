import { describe, expect, it } from "vitest";
import type { RunSummary } from "#bot/run-summary.js";
import type { CliContext } from "#cli/cli-context.js";
import { ReportedFailure } from "#cli/exit.js";
import { formatRunEnd } from "#cli/format-run-end.js";
import { type RunEndOptions, reportRunEnd } from "#cli/report-run-end.js";

const LEFT = {
  marketId: "btcusdc",
  hash: "0xab",
  phase: "cancelling",
  orderId: "17",
  side: "BUY",
  price: "59999.0",
  sizeBase: "0.01",
} as const;

/** Returns the stderr text at a run's end, and true for exit code 0. */
function ended(
  summary: Pick<
    RunSummary,
    | "openOrdersLeft"
    | "ordersLeft"
    | "positionsApart"
    | "takeoversUnderWay"
    | "unsettledHedges"
    | "takeoversInSale"
  >,
  run: Partial<RunEndOptions> = {},
) {
  let err = "";
  const silent = { write: () => true };
  const told = {
    write: (text: string) => {
      err += text;
      return true;
    },
  };
  const context = { stdout: silent, stderr: told } as unknown as CliContext;
  try {
    reportRunEnd(context, summary as RunSummary, {
      file: "bot.yaml",
      dryRun: false,
      json: true,
      ...run,
    });
    return { err, isWell: true };
  } catch (error) {
    expect(error).toBeInstanceOf(ReportedFailure);
    return { err, isWell: false };
  }
}

describe("the exit code of a run", () => {
  it("is 0 when the exchange has confirmed that nothing is open", () => {
    expect(ended({ openOrdersLeft: 0, ordersLeft: [] })).toEqual({ err: "", isWell: true });
  });

  it("names takeovers that are still to be sold: nobody sells or hedges them meanwhile", () => {
    const takeoversInSale = [
      { marketId: "btcusdc", remainingBase: "0.2" },
      { marketId: "ethusdc", remainingBase: "-3" },
    ];
    const { err, isWell } = ended({ openOrdersLeft: 0, ordersLeft: [], takeoversInSale });
    expect(isWell).toBe(true);
    expect(err.trim().split("\n")).toEqual([
      "marketwright: 0.2 base of takeovers in btcusdc are still to be sold: the bot trades or hedges nothing of it until it runs again",
      "marketwright: 3 base of takeovers in ethusdc are still to be bought back: the bot trades or hedges nothing of it until it runs again",
    ]);
  });

  it("is 0 with hedged fills that are not settled yet, and names them: a failure would leave their hedge open", () => {
    const unsettled = { marketId: "btcusdc", venue: "deep", buyBase: "0.004", sellBase: "0" };
    expect(ended({ openOrdersLeft: 0, ordersLeft: [], unsettledHedges: [unsettled] })).toEqual({
      err: "marketwright: 0.004 base bought in btcusdc are not settled yet: if the settlement fails, the hedge at deep stays open until the bot runs again\n",
      isWell: true,
    });
  });

  it("is 1 without that confirmation, with the command that cancels what is left", () => {
    const { err, isWell } = ended({ openOrdersLeft: null, ordersLeft: [] });
    expect(isWell).toBe(false);
    expect(err).toBe(
      "marketwright: the exchange has not reported its open orders, so orders of an earlier run may still fill: marketwright cancel-all bot.yaml cancels them at the exchange\n",
    );
  });

  it("is 0 for a dry run, which sends no request", () => {
    expect(ended({ openOrdersLeft: null, ordersLeft: [] }, { dryRun: true })).toEqual({
      err: "",
      isWell: true,
    });
  });

  it("is 1 when the exchange contradicts a position, or has not reported it, with both", () => {
    const positionsApart = [
      { marketId: "btcusdc", positionBase: "0.172", exchangeBase: "-0.394" },
      { marketId: "ethusdc", positionBase: "-1.85", exchangeBase: null },
    ];
    expect(ended({ openOrdersLeft: 0, ordersLeft: [], positionsApart })).toEqual({
      err:
        "marketwright: the position of btcusdc is 0.172 base by the bot's own records, and the exchange holds -0.394: check before you trade on it\n" +
        "marketwright: the position of ethusdc is -1.85 base by the bot's own records, and the exchange has not reported its position: check before you trade on it\n",
      isWell: false,
    });
  });

  it("is 0 with a takeover under way, which is named: its position may still come, or is there without its receipt", () => {
    const takeoversUnderWay = [
      { marketId: "btcusdc", jobId: "a1", amountBase: "-0.42", isHeld: false },
      { marketId: "ethusdc", jobId: "b2", amountBase: "3", isHeld: true },
    ];
    expect(ended({ openOrdersLeft: 0, ordersLeft: [], takeoversUnderWay })).toEqual({
      err:
        "marketwright: a takeover of -0.42 base in btcusdc is still in flight: it may still change the position (job a1)\n" +
        "marketwright: a takeover of 3 base in ethusdc is still in flight: it is in the position, but its receipt is missing (job b2)\n",
      isWell: true,
    });
  });

  it("is 1 with the name of each order that may still fill, or the number that the exchange told", () => {
    expect(
      ended({
        openOrdersLeft: null,
        ordersLeft: [LEFT, { ...LEFT, orderId: undefined, phase: "unknown" }],
      }),
    ).toEqual({
      err:
        "marketwright: orders that may still fill are left: btcusdc BUY 0.01 at 59999.0, order 17 (cancelling), " +
        "btcusdc BUY 0.01 at 59999.0, order 0xab (unknown)\n",
      isWell: false,
    });
    expect(ended({ openOrdersLeft: 2, ordersLeft: [] })).toEqual({
      err: "marketwright: orders that may still fill are left: 2 open at the exchange\n",
      isWell: false,
    });
  });
});

describe("the sentence at the end of a run", () => {
  const sentence = (summary: Partial<RunSummary>): string | undefined => {
    const run: Partial<RunSummary> = {
      ...{ stopReason: "SIGINT", ordersLeft: [], openOrdersLeft: 0, quoteAsset: "USDC" },
      ...{ positionBase: { btcusdc: "0" }, openPositions: [], secondsToFirstQuote: null },
      ...{ equityQuote: "0", equityChangeQuote: "0", underWayQuote: "0", transfersQuote: "0" },
      pnlQuote: { spread: "0", total: "0" } as RunSummary["pnlQuote"],
      ...summary,
    };
    return formatRunEnd(run as RunSummary).split("\n")[0];
  };
  const takeover = { marketId: "btcusdc", jobId: "a1", amountBase: "-0.42", isHeld: false };

  it("says that no position is open only where nothing contradicts it", () => {
    expect(sentence({})).toMatch(/no order is open, no position is open\.$/);
    expect(sentence({ takeoversUnderWay: [{ ...takeover, isHeld: true }] })).toMatch(
      /no position is open\.$/,
    );
    const uncertain = /no order is open, the position is not known for certain\.$/;
    const apart = { marketId: "btcusdc", positionBase: "0", exchangeBase: "-0.394" };
    expect(sentence({ positionsApart: [apart] })).toMatch(uncertain);
    expect(sentence({ takeoversUnderWay: [takeover] })).toMatch(uncertain);
  });
});
