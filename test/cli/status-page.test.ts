import { describe, expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import type { CommandOutcome, ControlAnswer } from "#cli/control-handler.js";
import { describeCommand, whyNotFlattening } from "#cli/describe-command.js";
import { formatStatus } from "#cli/format-status.js";
import { MARKET, Stage } from "../scenarios/stage.js";

const RESUME = "marketwright resume bot.yaml";

/** The status of a bot that has quoted, with changes of its figures. */
async function quoted(changes: Partial<ControlAnswer> = {}): Promise<ControlAnswer> {
  const stage = new Stage();
  await stage.botStarts();
  return { ...buildBotStatus(stage.rig.bot), ...changes };
}

const position = (marketId: string, positionBase: string, baseAsset: string | null = "BTC") => ({
  marketId,
  positionBase,
  entryPrice: "60000.123456789012",
  notionalQuote: "7200.014",
  baseAsset,
  quoteAsset: "USDC",
});

const halt = (name: string, marketId: string | null, why: string, endsByItself = false) => ({
  name,
  marketId,
  why,
  endsByItself,
});

describe("the page of a bot's status", () => {
  it("has ten lines at most, names its units and aligns amounts at the decimal point", async () => {
    const status = await quoted({
      equityQuote: "101512.345678",
      earnedQuote: "-0.004321",
      transfersQuote: "1500",
      peakEquityQuote: "101600",
      openPositions: [position(MARKET, "0.12")],
    });
    const page = formatStatus(status, RESUME);
    const lines = page.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines[0]).toContain(`running, account ${status.account}`);
    expect(lines.slice(1, 4)).toEqual([
      "equity     101512.35   USDC  peak 101600.00",
      "earned         -0.0043 USDC",
      "transfers   +1500.00   USDC  deposits less withdrawals, not in earned",
    ]);
    expect(page).toMatch(/^btcusdc +quoting +\S+ BTC +60000.1235 +7200.01 USDC .* 1 bid, 1 ask /m);
  });

  it("has a line for a market's reference price, or why it is not good", async () => {
    const status = await quoted();
    const market = status.markets[MARKET];
    if (market === undefined) throw new Error("no market");
    const page = (changes: object) => {
      const reference = {
        state: "good" as const,
        why: undefined,
        price: "59985.00",
        fairPrice: "60000.00",
        ageMs: 250,
        basisBps: undefined,
        basisFrozen: undefined,
        onStale: "halt" as const,
        sources: [
          { name: "a", weight: 1, price: "59985.00", ageMs: 250, counts: true, leftOut: undefined },
        ],
        ...changes,
      };
      return formatStatus({ ...status, markets: { [MARKET]: { ...market, reference } } }, RESUME);
    };
    expect(page({})).toContain(`  ${MARKET}: reference 59985.00, 0.3 s old, a\n`);
    expect(page({ state: "stale", why: "a is down\n(lost)" })).toContain(
      `  ${MARKET}: reference stale: a is down (lost)\n`,
    );
    expect(formatStatus(status, RESUME)).not.toContain("reference");
  });

  it("says what ends a rung of the risk ladder, with the present value, and whose bid it shows", async () => {
    const page = formatStatus(
      await quoted({
        ladder: ["drawdown: only orders that reduce the position rest: 4.5 of 4"],
        ladderRungs: [
          {
            measure: "drawdown",
            threshold: "4",
            unit: "quote",
            action: "reduce",
            measured: "3.9",
            isActive: true,
            why: "a drawdown of 4.5, allowed 4; it ends below 3.2 quote",
          },
        ],
      }),
      RESUME,
    );
    expect(page).toContain("rest: 4.5 of 4\n  drawdown: now 3.9 quote, it ends below 3.2 quote\n");
    expect(page).toMatch(/ orders +market bid +market ask$/m);
  });

  it("says which halts are in force, and what ends each", async () => {
    const page = formatStatus(
      await quoted({
        activeHalts: [
          halt("manual", MARKET, "news\n\x1b[2J at eight"),
          halt("drawdown", null, "net value 90 is 10 quote below its peak 100, allowed 5"),
          halt("stale-account", null, "the account is 91 s old", true),
          halt("daily-loss", null, "lost 301 quote since midnight", true),
        ],
      }),
      RESUME,
    );
    expect(page).toMatch(
      /^manual +btcusdc +marketwright resume bot.yaml --market btcusdc +news \[2J at eight$/m,
    );
    expect(page).toMatch(/^drawdown +account +marketwright resume bot.yaml +net value 90/m);
    expect(page).toMatch(/^stale-account +account +by itself /m);
    expect(page).toMatch(/^daily-loss +account +with the day, or marketwright resume bot.yaml/m);
    expect(page).not.toContain("\x1b");
  });

  it("has a line for the liquidator, with the reason of its pause, and for takeovers being sold", async () => {
    const liquidator = {
      watched: 412,
      inFlight: 1,
      paused: "no RPC can be believed",
    } as NonNullable<ControlAnswer["liquidator"]>;
    const page = formatStatus(await quoted({ liquidator, unwindCounts: { open: 2 } }), RESUME);
    expect(page.trimEnd().split("\n").at(-1)).toBe(
      "liquidator: 412 accounts watched, 1 takeover under way, 2 takeovers being sold, paused: no RPC can be believed",
    );
    expect(formatStatus(await quoted({ unwindCounts: { open: 2 } }), RESUME)).toContain(
      "takeovers: 2 being sold\n",
    );
  });

  it("keeps one line a market where many are traded", async () => {
    const status = await quoted();
    const [market] = Object.values(status.markets);
    if (market === undefined) throw new Error("no market");
    const markets = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`m${at}usdc`, market]),
    );
    const page = formatStatus({ ...status, markets }, RESUME);
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(30 + 5);
  });
});

describe("the sentence of a command", () => {
  const outcome = (command: CommandOutcome["command"]): CommandOutcome => ({
    command,
    marketIds: [MARKET],
    endedHalts: [],
    abandonedFlattening: [],
  });
  const described = (
    answer: ControlAnswer,
    command: CommandOutcome["command"],
    more: Partial<Parameters<typeof describeCommand>[0]> = {},
  ) =>
    describeCommand({
      answer,
      outcome: outcome(command),
      resume: RESUME,
      maxSlippageBps: 50,
      ...more,
    });
  const firstLine = (text: string) => text.split("\n")[0];
  /** The status of a bot whose orders are gone, with these positions. */
  const down = async (positions: readonly ReturnType<typeof position>[] = []) => {
    const status = await quoted({ openPositions: positions });
    const market = { ...(status.markets[MARKET] as ControlAnswer["markets"][string]) };
    return {
      ...status,
      markets: { [MARKET]: { ...market, openBids: 0, openAsks: 0 } },
    } satisfies ControlAnswer;
  };

  it("of a halt counts the orders that are being cancelled, and names the position", async () => {
    const answer = await quoted({ openPositions: [position(MARKET, "-0.12")] });
    expect(firstLine(described(answer, "halt"))).toBe(
      "Halted: 2 orders are being cancelled, position -0.12 BTC stays open.",
    );
    expect(firstLine(described(await down(), "halt"))).toBe(
      "Quotes are down: no order is open, no position is open.",
    );
    const unnamed = await down([position(MARKET, "0.12", null)]);
    expect(firstLine(described(unnamed, "halt", { waited: { openOrders: 4, cancelled: 4 } }))).toBe(
      "Quotes are down: 4 orders cancelled, position +0.12 base of btcusdc stays open.",
    );
    expect(
      firstLine(described(unnamed, "halt", { waited: { openOrders: 2, cancelled: 1 } })),
    ).toContain("1 order cancelled, 1 ended otherwise (filled or expired)");
  });

  it("does not call a position zero that is not known", async () => {
    const answer = await down();
    const market = answer.markets[MARKET];
    const unknown = {
      ...answer,
      markets: { [MARKET]: { ...market, positionBase: null } },
    } as ControlAnswer;
    expect(firstLine(described(unknown, "halt"))).toContain(
      "the exchange has not reported the position yet",
    );
    expect(whyNotFlattening(unknown, [MARKET])).toContain("has not reported the position");
  });

  it("of a flatten that trades nothing says why", async () => {
    const stuck = await down([position(MARKET, "0.12")]);
    expect(firstLine(described(stuck, "flatten"))).toBe(
      "Halted, and not flattening: position +0.12 BTC stays open, no order is open.",
    );
    expect(whyNotFlattening(stuck, [MARKET])).toContain("no price to bound an order by");
    const dust = await down([position(MARKET, "0.0004")]);
    expect(whyNotFlattening(dust, [MARKET])).toBe(
      "btcusdc keeps +0.0004 BTC: the market takes no order below 0.001",
    );
    expect(whyNotFlattening(await down(), [MARKET])).toBeUndefined();
  });

  it("of a resume names what ended and what remains", async () => {
    const remaining = halt("stale-book", MARKET, "nothing has confirmed it for 3 s", true);
    const answer = await quoted({ activeHalts: [remaining] });
    const text = described(answer, "resume", {
      outcome: { ...outcome("resume"), endedHalts: [halt("manual", null, "news")] },
    });
    expect(text).toMatch(
      /^Resumed: manual \(news\) ended, and 1 halt remains: stale-book of btcusdc\.\nhalt .*\nstale-book +btcusdc +by itself +nothing has confirmed/,
    );
    expect(firstLine(described(await quoted(), "resume"))).toBe(
      "Nothing was resumed: no halt is in force.",
    );
  });

  it("has at most ten lines below it, however many positions and halts there are", async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `m${at}usdc`);
    const status = await down();
    const market = status.markets[MARKET] as ControlAnswer["markets"][string];
    const answer = {
      ...status,
      markets: Object.fromEntries(ids.map((id) => [id, market])),
      openPositions: ids.map((id) => position(id, "0.12")),
      activeHalts: ids.map((id) => halt("manual", id, "news")),
    };
    for (const command of ["halt", "resume", "flatten"] as const) {
      const text = described(answer, command, {
        outcome: { ...outcome(command), marketIds: ids },
      });
      expect(text.trimEnd().split("\n").length, text).toBeLessThanOrEqual(11);
    }
  });
});
