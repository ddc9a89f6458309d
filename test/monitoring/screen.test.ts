import { EventEmitter } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { renderScreen } from "#monitoring/screen.js";
import { detectScreenSupport, startScreen } from "#monitoring/screen-driver.js";
import type { ScreenMarket, ScreenModel } from "#monitoring/screen-model.js";

const market: ScreenMarket = {
  marketId: "btcusdc",
  strategy: "avellaneda-stoikov",
  state: "quoting",
  stateReasons: [],
  bids: [
    { price: "60009.5", amount: "0.52", own: "0.02" },
    { price: "60009", amount: "1.7", own: undefined },
  ],
  asks: [
    { price: "60010.5", amount: "1.2", own: undefined },
    { price: "60011", amount: "0.02", own: "0.02" },
  ],
  spread: "1.0 (0.2 bps)",
  mark: "60010.1",
  bookAgeMs: 120,
  positionBase: "-0.12",
  pnlQuote: {
    spread: "2.5",
    inventory: "-1.25",
    fees: "0.1",
    funding: "0",
    basis: "0",
    failed: "0",
    liquidation: "0",
    other: "0",
  },
  pnlTotalQuote: "1.35",
  fills: 12,
  fillsPerMinute: 3.14,
  openBids: 1,
  openAsks: 1,
  unknownOrders: 0,
  manualOrders: 0,
  reason: {
    fair: "60010.05",
    reservation: "60010.3",
    halfSpread: "1.2 ticks",
    terms: [["inventory", "0.25"]],
    clamps: ["ask 0: post-only"],
  },
};

const model: ScreenModel = {
  title: "bot.yaml",
  account: "0xabc",
  exchange: "http://127.0.0.1:8620/v1",
  nowMs: 3_725_000,
  startedMs: 0,
  equityQuote: "100001.35",
  earnedQuote: "1.35",
  inTransitQuote: undefined,
  peakEquityQuote: "100002",
  budgets: [{ name: "ORDER", left: 250, limit: 300 }],
  halts: [],
  markets: [market],
  notes: [{ atMs: 45_296_000, level: "warn", text: "stream is back" }],
  footer: "log: bot.log   Ctrl-C cancels and leaves",
};

const lines = (of: ScreenModel, width = 100, height = 30) =>
  renderScreen(of, width, height).split("\n");
const find = (of: ScreenModel, part: string) => lines(of).find((line) => line.includes(part)) ?? "";

describe("the live screen", () => {
  it("shows our orders in their place in the book, the best in the middle", () => {
    const shown = lines(model);
    const at = (part: string) => shown.findIndex((line) => line.includes(part));
    expect(at("60011 ")).toBeLessThan(at("60010.5"));
    expect(at("60010.5")).toBeLessThan(at("── spread 1.0 (0.2 bps)"));
    expect(at("── spread")).toBeLessThan(at("60009.5"));
    expect(at("60009.5")).toBeLessThan(at("60009 "));
    expect(shown[at("60009.5")]).toMatch(/▸ 60009\.5\s+0\.52\s+ours 0\.02/);
    expect(shown[at("60010.5")]).not.toContain("ours");
  });

  it("shows where the profit comes from, with signs", () => {
    expect(find(model, "profit")).toMatch(
      /profit \+1\.35 = {2}spread \+2\.5 {2}inventory -1\.25 {2}fees \+0\.1 {2}funding 0 {2}basis 0/,
    );
  });

  it("shows equity, budgets, uptime, fill rate and the last reason", () => {
    expect(find(model, "equity")).toMatch(
      /equity 100001\.35 {2}\+1\.35 {3}peak 100002 {3}ORDER 250\/300/,
    );
    expect(find(model, "up ")).toContain("1:02:05");
    expect(find(model, "fills")).toMatch(/position -0\.12 {3}fills 12 \(3\.1\/min\)/);
    expect(find(model, "fair")).toMatch(
      /fair 60010\.05 {2}reservation 60010\.3 {2}half spread 1\.2 ticks {2}inventory 0\.25/,
    );
    expect(find(model, "held back")).toContain("ask 0: post-only");
    expect(find(model, "stream is back")).toContain("12:34:56");
  });

  it("says why it does not quote", () => {
    const halted: ScreenModel = {
      ...model,
      halts: ["drawdown 510 of 500"],
      markets: [
        {
          ...market,
          state: "halted",
          stateReasons: ["drawdown"],
          unknownOrders: 2,
          manualOrders: 1,
        },
      ],
    };
    expect(find(halted, "HALTED")).toContain("drawdown 510 of 500");
    expect(find(halted, "btcusdc")).toContain("halted: drawdown");
    expect(find(halted, "orders")).toMatch(/2 unknown {3}1 manual/);
  });

  it("says which limit of losses acts, in a line of its own", () => {
    const reduced: ScreenModel = {
      ...model,
      ladder: ["drawdown: only orders that reduce the position rest: 410 of 500"],
    };
    expect(find(reduced, " RISK ")).toContain(
      "drawdown: only orders that reduce the position rest: 410 of 500",
    );
    expect(find(model, " RISK ")).toBe("");
  });

  it("shows earnings that are not attributed to a part of the profit yet", () => {
    expect(find(model, "equity")).not.toContain("under way");
    expect(find({ ...model, inTransitQuote: "-0.20" }, "equity")).toMatch(
      /\+1\.35 {3}under way -0\.20/,
    );
  });

  it("says what is not known yet, before the first book and account", () => {
    const young: ScreenModel = {
      ...model,
      equityQuote: undefined,
      earnedQuote: undefined,
      markets: [
        {
          ...market,
          state: "waiting",
          stateReasons: ["book not in sync"],
          bids: [],
          asks: [],
          spread: undefined,
          mark: undefined,
          bookAgeMs: undefined,
          reason: undefined,
        },
      ],
    };
    expect(find(young, "equity")).toContain("not known yet");
    expect(find(young, "spread")).toMatch(/spread unknown {2}mark unknown {2}book not in sync/);
    expect(find(young, "no intent yet")).not.toBe("");
  });

  it("puts markets beside each other on a wide terminal, and says how many a small one leaves out", () => {
    const two: ScreenModel = { ...model, markets: [market, { ...market, marketId: "ethusdc" }] };
    expect(
      lines(two, 140).some((line) => line.includes("btcusdc") && line.includes("ethusdc")),
    ).toBe(true);
    expect(
      lines(two, 80, 60).some((line) => line.includes("btcusdc") && line.includes("ethusdc")),
    ).toBe(false);
    expect(lines(two, 80, 18).some((line) => line.includes("1 markets more"))).toBe(true);
  });

  it("never leaves its terminal: every line is exactly as wide, and not one more than it has rows", () => {
    const level = fc.record({
      price: fc.string(),
      amount: fc.string(),
      own: fc.option(fc.string(), { nil: undefined }),
    });
    const anyMarket = fc.record({
      bids: fc.array(level, { maxLength: 15 }),
      asks: fc.array(level, { maxLength: 15 }),
      strategy: fc.string(),
    });
    const markets = fc.array(
      anyMarket.map((part): ScreenMarket => ({ ...market, ...part })),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(
        markets,
        fc.integer({ min: 1, max: 220 }),
        fc.integer({ min: 1, max: 70 }),
        (held, width, height) => {
          const shown = lines({ ...model, markets: held }, width, height);
          expect(shown.length).toBeLessThanOrEqual(height);
          for (const line of shown) expect([...line]).toHaveLength(width);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("lets no text from outside move the cursor", () => {
    const hostile: ScreenModel = {
      ...model,
      notes: [{ atMs: 0, level: "error", text: "\x1b[2J\x07\rrejected" }],
    };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about them
    expect(renderScreen(hostile, 100, 30)).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  it("has colours only where they are wanted", () => {
    expect(renderScreen(model, 100, 30, { color: false })).not.toContain("\x1b[");
    expect(renderScreen(model, 100, 30, { color: true })).toContain("\x1b[32m");
  });
});

class FakeTerminal extends EventEmitter {
  columns = 90;
  rows = 25;
  text = "";
  write(text: string): void {
    this.text += text;
  }
}

describe("the terminal", () => {
  it("is drawn at its interval and on resize, and given back as it was", async () => {
    const terminal = new FakeTerminal();
    const clock = new VirtualClock(0);
    let drawn = 0;
    const screen = startScreen({
      terminal,
      clock,
      color: false,
      model: () => ({ ...model, title: `draw ${++drawn}` }),
    });
    expect(terminal.text.startsWith("\x1b[?1049h\x1b[?25l")).toBe(true);
    await clock.runFor(1000);
    expect(drawn).toBe(5);
    terminal.columns = 60;
    terminal.emit("resize");
    expect(drawn).toBe(6);
    screen.stop();
    screen.stop();
    expect(terminal.text.endsWith("\x1b[?25h\x1b[?1049l")).toBe(true);
    expect(terminal.text.split("\x1b[?1049l")).toHaveLength(2);
    expect(terminal.listenerCount("resize")).toBe(0);
    await clock.runFor(1000);
    expect(drawn).toBe(6);
  });

  it("gets a screen only where one suits, and colours only without NO_COLOR", () => {
    expect(detectScreenSupport({ isTTY: true }, { TERM: "xterm" })).toEqual({
      screen: true,
      color: true,
    });
    expect(detectScreenSupport({ isTTY: true }, { NO_COLOR: "1" })).toEqual({
      screen: true,
      color: false,
    });
    expect(detectScreenSupport({ isTTY: true }, { NO_COLOR: "" })).toEqual({
      screen: true,
      color: true,
    });
    expect(detectScreenSupport({ isTTY: true }, { TERM: "dumb" })).toEqual({
      screen: false,
      color: false,
    });
    expect(detectScreenSupport({}, {})).toEqual({ screen: false, color: false });
  });
});
