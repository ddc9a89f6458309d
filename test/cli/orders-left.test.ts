import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "#cli/program.js";
import { ordersLeftText } from "#cli/report-run-end.js";
import { createLiveRuntime } from "#core/live-runtime.js";

const CANCEL = "marketwright cancel-all bot.yaml";
const order = (n: number) => ({ marketId: "btcusdc", hash: `0x${n}`, phase: "open" }) as const;

describe("what a second Ctrl-C leaves at the exchange", () => {
  it("is named, order by order, with the command that cancels it", () => {
    expect(ordersLeftText([order(1), order(2)], CANCEL)).toBe(
      `orders that may still fill are left: btcusdc 0x1 (open), btcusdc 0x2 (open); ${CANCEL} cancels them`,
    );
  });

  it("is counted where it is more than a line holds", () => {
    const text = ordersLeftText(
      Array.from({ length: 23 }, (_, n) => order(n)),
      CANCEL,
    );
    expect(text).toContain("btcusdc 0x19 (open) and 3 more;");
    expect(text).not.toContain("0x20");
  });

  // The orders of the run before may still be there, and a bot that liquidates quotes while its
  // start asks the chain.
  it("is named from before the bot's start on, and no more once the command has given everything back", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "mw-")), "bot.yaml");
    writeFileSync(
      file,
      `exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1", connectWithinMs: 0 }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
`,
    );
    const left: (string | undefined)[] = [];
    const stream = { write: () => true, on: () => undefined, off: () => undefined };
    const code = await runCli(["run", file], {
      env: { BOT_KEY: `0x${"5d".repeat(32)}`, XDG_RUNTIME_DIR: dirname(file) },
      stdout: stream,
      stderr: stream,
      runtime: createLiveRuntime(),
      interrupted: () => new Promise(() => {}),
      setExitNote: (text) => left.push(text?.()),
      script: "",
    });
    expect(code).toBe(1);
    const cancel = `marketwright cancel-all ${file}`;
    expect(left).toEqual([
      `the bot knows of no order that may still fill, but has not made sure: ${cancel} does`,
      undefined,
    ]);
  });

  it("is not said to be nothing where the bot knows of none: the exchange has not been asked", () => {
    for (const orders of [undefined, []])
      expect(ordersLeftText(orders, CANCEL)).toBe(
        `the bot knows of no order that may still fill, but has not made sure: ${CANCEL} does`,
      );
  });

  it("is named with the hedges that an immediate exit leaves: each is an open position", () => {
    const text = ordersLeftText([], CANCEL, {
      hedgesLeft: [{ marketId: "btcusdc", venue: "deep", neededBase: "-0.01", ordersLeft: [] }],
      unsettledHedges: [{ marketId: "ethusdc", venue: "deep", buyBase: "0.3", sellBase: "0" }],
    });
    expect(text.split("\nmarketwright: ").slice(1)).toEqual([
      "the hedge of btcusdc at deep is not done: 0.01 base are still to be sold",
      "0.3 base bought in ethusdc are not settled yet: if the settlement fails, the hedge at deep stays open until the bot runs again",
    ]);
  });
});
