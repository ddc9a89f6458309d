import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import type { OperatorCommand } from "#bot/control-protocol.js";
import { type ControlServer, startControlServer } from "#bot/control-server.js";
import { addRunningBotEntry } from "#bot/running-bots.js";
import type { CliContext } from "#cli/cli-context.js";
import type { CommandOutcome, ControlAnswer } from "#cli/control-handler.js";
import { waitForBot } from "#cli/wait-for-bot.js";
import { RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { MARKET, Stage } from "../scenarios/stage.js";
import { captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();

describe("the wait for the end of a command, on the embedded exchange", () => {
  it("ends a halt with no order open, and a flatten with a position of zero; the end of the run says so", async () => {
    const { file, env } = exchange.bot({ params: "{ halfSpreadBps: 0.2, sizeBase: 0.05 }" });
    const running = startCli(["run", file, "--no-screen"], env);
    await untilQuoting(file, env);
    const statusOf = async (): Promise<ControlAnswer> =>
      JSON.parse((await captureCli(["status", file, "--json"], env)).out);
    await until(statusOf, ({ openPositions }) => openPositions.length > 0);
    // Without a terminal nothing but the result is printed.
    const halted = await captureCli(["halt", file, "--reason", "news", "--wait"], env);
    expect(halted).toMatchObject({ code: 0, err: "" });
    expect(halted.out).toMatch(/^Quotes are down: .*\n/);
    expect(halted.out).toContain(`marketwright resume ${file}  news`);
    // A filled order is listed until its trade has settled.
    const listed = await captureCli(["call", "openOrders", "--bot", file], env);
    const isOpen = ({ availableAmount }: { availableAmount: string }) => availableAmount !== "0";
    expect(JSON.parse(listed.out).filter(isOpen)).toEqual([]);

    const { openPositions } = await statusOf();
    if (openPositions.length > 0)
      expect(halted.out).toMatch(/position [+-]0\.\d+ BTC stays open\.\n/);

    const flat = await captureCli(
      ["flatten", file, "--wait", "60s", "--max-slippage-bps", "100", "--json"],
      env,
    );
    expect({ code: flat.code, err: flat.err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(flat.out)).toMatchObject({
      phase: "running",
      openPositions: [],
      markets: { btcusdc: { positionBase: "0", openBids: 0, openAsks: 0, isFlattening: false } },
      outcome: { command: "flatten", marketIds: ["btcusdc"] },
    });
    expect(await captureCli(["resume", file], env)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Resumed: manual \(.*\) ended, and the bot may quote\.\n$/),
    });
    await until(statusOf, (status) => status.openPositions.length > 0);
    running.interrupt();
    const { code, out } = await running.done;
    expect(code).toBe(0);
    expect(out).toMatch(/^The bot has stopped \(SIGINT\): no order is open, (no )?position /);
    expect(out).toMatch(/^earned +[+-]?\d+\.\d+ +USDC/m);
    expect(out.trimEnd().split("\n").length).toBeLessThanOrEqual(8);
  });
});

const open: ControlServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A real status, changed to one moment of a halt or a flatten. */
async function moments() {
  const stage = new Stage();
  await stage.botStarts();
  const quoting = buildBotStatus(stage.rig.bot);
  const at = (
    orders: number,
    positionBase = "0",
    changes: Partial<ControlAnswer["markets"][string]> = {},
  ): ControlAnswer => ({
    ...quoting,
    activeHalts: [{ name: "manual", marketId: null, why: "news", endsByItself: false }],
    openPositions:
      positionBase === "0"
        ? []
        : [
            {
              marketId: MARKET,
              positionBase,
              entryPrice: "60000",
              notionalQuote: "7200",
              baseAsset: "BTC",
              quoteAsset: "USDC",
            },
          ],
    markets: {
      [MARKET]: {
        ...(quoting.markets[MARKET] as ControlAnswer["markets"][string]),
        openBids: orders,
        openAsks: 0,
        positionBase,
        ...changes,
      },
    },
  });
  return at;
}

/** A bot that answers a command and then the status in this order, the last one for good. */
async function answering(...answers: readonly (ControlAnswer | Error)[]) {
  const folder = mkdtempSync(join(tmpdir(), "mw-"));
  const env = { XDG_RUNTIME_DIR: folder };
  const left = [...answers];
  const next = ({ command }: OperatorCommand): ControlAnswer => {
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer instanceof Error) throw answer;
    if (answer === undefined) throw new Error("no answer is left");
    if (command === "status") return answer;
    const outcome: CommandOutcome = {
      command,
      marketIds: [MARKET],
      endedHalts: [],
      abandonedFlattening: [],
    };
    return { ...answer, outcome };
  };
  const server = await startControlServer(join(folder, "c.sock"), async (command) =>
    next(command as OperatorCommand),
  );
  open.push(server);
  const entry = {
    pid: process.pid,
    config: "/bots/a.yaml",
    account: "0xa",
    socketPath: server.socketPath,
  };
  addRunningBotEntry(entry, env);
  return { env, server, entry };
}

describe("a position that is not known, as after a liquidation that is only reported in part", () => {
  const unknown = { positionUnknownSeconds: 4 };

  it("is not called flat: a flatten without a wait fails", async () => {
    const at = await moments();
    const { env } = await answering(at(0, "0", unknown));
    expect(await captureCli(["flatten"], env)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Halted, and not flattened: the position is not known\.\n/),
      err: "marketwright: nothing is flattened: the position is not known; try again once status shows it\n",
    });
  });

  it("keeps a flatten waiting until it is known to be zero", async () => {
    const at = await moments();
    const begun = at(0, "0.12", { ...unknown, isFlattening: true });
    const { env } = await answering(begun, at(0, "0", unknown), at(0));
    expect(await captureCli(["flatten", "--wait", "20s"], env)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Flat: no position is open/),
    });
    const over = await answering(begun, at(0, "0", unknown));
    expect(await captureCli(["flatten", "--wait", "300ms"], over.env)).toMatchObject({
      code: 1,
      err: "marketwright: the wait of 0.3 s is over: the position is not known; the bot goes on\n",
    });
  });

  it("does not keep a halt waiting, whose orders are gone, but is not called closed", async () => {
    const at = await moments();
    const { env } = await answering(at(0, "0", unknown));
    expect(await captureCli(["halt", "--wait", "20s"], env)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^Quotes are down: no order is open, the position is not known\.\n/,
      ),
    });
  });
});

describe("the wait for the end of a halt", () => {
  it("counts what was cancelled, and what ended otherwise", async () => {
    const at = await moments();
    const before = at(3, "0.12", { ordersCancelled: 10 });
    const { env } = await answering(
      before,
      at(1, "0.12", { ordersCancelled: 12 }),
      at(0, "0.14", { ordersCancelled: 12 }),
    );
    const { code, out, err } = await captureCli(["halt", "--wait"], env);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n")[0]).toBe(
      "Quotes are down: 2 orders cancelled, 1 ended otherwise (filled or expired), position +0.14 BTC stays open.",
    );
  });

  it("does not take orders for gone while the account is not known", async () => {
    const at = await moments();
    const { env } = await answering({
      ...at(0),
      markets: {
        [MARKET]: {
          ...(at(0).markets[MARKET] as ControlAnswer["markets"][string]),
          positionBase: null,
        },
      },
    });
    expect(await captureCli(["halt", "--wait", "300ms"], env)).toMatchObject({
      code: 1,
      err: "marketwright: the wait of 0.3 s is over: the exchange has not reported the account to the bot yet; the bot goes on\n",
    });
  });

  it("fails when the time is over, when somebody resumes, and when the bot is gone", async () => {
    const at = await moments();
    expect(
      await captureCli(["halt", "--wait", "300ms"], (await answering(at(2))).env),
    ).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Halted: 2 orders are being cancelled, no position is open\.\n/),
      err: "marketwright: the wait of 0.3 s is over: 2 orders are still open; the bot goes on\n",
    });
    const resumed = await answering(at(2), { ...at(2), activeHalts: [] });
    expect(await captureCli(["halt", "--wait"], resumed.env)).toMatchObject({
      code: 1,
      err: "marketwright: stopped waiting: btcusdc was resumed meanwhile\n",
    });
    const gone = await answering(at(2), new RunError("the bot is ending"));
    const waiting = captureCli(["halt", "--wait", "--json"], gone.env);
    setTimeout(() => void gone.server.close(), 700);
    const { code, out, err } = await waiting;
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/the bot ended, or answers no more, before the end of its orders/),
    });
    expect(JSON.parse(out).markets[MARKET].openBids, "the last that was known").toBe(2);
  });

  it("ends with 130 on Ctrl-C, and says that the halt is in force", async () => {
    const at = await moments();
    const { env } = await answering(at(2));
    const waiting = startCli(["halt", "--wait"], env);
    setTimeout(() => waiting.interrupt(), 500);
    expect(await waiting.done).toMatchObject({
      code: 130,
      err: expect.stringContaining("the halt may be in force, and the bot continues"),
    });
  });

  it("shows its progress in one line of a terminal, and takes it away at the end", async () => {
    const at = await moments();
    const { entry } = await answering(at(2), at(1), at(0));
    let err = "";
    const context = {
      runtime: createLiveRuntime(),
      stderr: { isTTY: true, columns: 40, write: (text: string) => (err += text) },
    } as unknown as CliContext;
    const result = await waitForBot(context, {
      bot: entry,
      goal: "no-orders",
      marketIds: [MARKET],
      forMs: 20_000,
      first: at(2),
      signal: new AbortController().signal,
    });
    expect(result.problem).toBeUndefined();
    expect(err).toContain("\r\x1b[K2 orders open, no position is open, 0 s");
    expect(err).not.toContain("\n");
    expect(err.endsWith("\r\x1b[K")).toBe(true);
  });
});

describe("the wait for the end of a flatten", () => {
  const flattening = { isFlattening: true };

  it("goes on until the position is zero and no order is open", async () => {
    const at = await moments();
    const { env } = await answering(
      at(2, "0.12", flattening),
      at(0, "0.05", flattening),
      at(1, "0", flattening),
      at(0, "0"),
    );
    expect(await captureCli(["flatten", "--wait"], env)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Flat: no position is open, and no order is open\.\n/),
      err: "",
    });
  });

  it("fails at once when the bot has given up with a rest, or the rest is below every order", async () => {
    const at = await moments();
    const gaveUp = await answering(at(2, "0.12", flattening), at(0, "0.05"));
    expect(await captureCli(["flatten", "--wait"], gaveUp.env)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Halted, and not flattening: position \+0\.05 BTC stays open/),
      err: "marketwright: flattening has ended with position +0.05 BTC open: nobody traded the rest within the bound\n",
    });
    const dust = await answering(at(2, "-0.12", flattening), at(0, "-0.0004"));
    expect(await captureCli(["flatten", "--wait"], dust.env)).toMatchObject({
      code: 1,
      err: "marketwright: position -0.0004 BTC stays open: the market takes no order below 0.001 BTC\n",
    });
    const stuck = await answering(at(0, "0.12"));
    expect(await captureCli(["flatten", "--wait"], stuck.env)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no price to bound an order by"),
    });
  });

  it("fails when the bot stops meanwhile, with the position that is left", async () => {
    const at = await moments();
    const { env } = await answering(at(0, "0.12", flattening), {
      ...at(0, "0.12"),
      phase: "stopping",
    });
    expect(await captureCli(["flatten", "--wait"], env)).toMatchObject({
      code: 1,
      err: "marketwright: stopped waiting: the bot is stopping, and position +0.12 BTC stays open\n",
    });
  });
});
