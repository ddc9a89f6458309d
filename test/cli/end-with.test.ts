import { describe, expect, it } from "vitest";
import type { RunSummary } from "../../src/bot/run/run-summary.js";
import type { CliContext } from "../../src/cli/cli-context.js";
import { type EndedRun, endWith } from "../../src/cli/end-with.js";
import { NotWell } from "../../src/cli/exit.js";

const LEFT = { marketId: "btcusdc", hash: "0xab", phase: "unknown" };

/** What a run's end says on stderr, and whether its exit code is 0. */
function ended(summary: Pick<RunSummary, "openOrdersLeft" | "ordersLeft">, run: Partial<EndedRun> = {}) {
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
    endWith(context, summary as RunSummary, { file: "bot.yaml", dryRun: false, json: true, ...run });
    return { err, isWell: true };
  } catch (error) {
    expect(error).toBeInstanceOf(NotWell);
    return { err, isWell: false };
  }
}

describe("the exit code of a run", () => {
  it("is 0 when the exchange has said that nothing is open", () => {
    expect(ended({ openOrdersLeft: 0, ordersLeft: [] })).toEqual({ err: "", isWell: true });
  });

  it("is 1 when the exchange has not said it, with the command that makes sure", () => {
    const { err, isWell } = ended({ openOrdersLeft: null, ordersLeft: [] });
    expect(isWell).toBe(false);
    expect(err).toBe(
      "marketwright: the exchange has not said what is open: orders of an earlier run may still fill; npx marketwright cancel-all bot.yaml cancels at the exchange itself\n",
    );
  });

  it("is 0 of a dry run, which asks nobody", () => {
    expect(ended({ openOrdersLeft: null, ordersLeft: [] }, { dryRun: true })).toEqual({ err: "", isWell: true });
  });

  it("is 1 with the name of each order that may still fill, or the number that the exchange told", () => {
    expect(ended({ openOrdersLeft: null, ordersLeft: [LEFT] })).toEqual({
      err: "marketwright: orders that may still fill are left: btcusdc 0xab (unknown)\n",
      isWell: false,
    });
    expect(ended({ openOrdersLeft: 2, ordersLeft: [] })).toEqual({
      err: "marketwright: orders that may still fill are left: 2 open at the exchange\n",
      isWell: false,
    });
  });
});
