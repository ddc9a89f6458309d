import { EventEmitter } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { renderScreen } from "#monitoring/screen.js";
import { detectScreenSupport, type KeyInput, startScreen } from "#monitoring/screen-driver.js";
import { panelWidth } from "#monitoring/screen-market.js";
import type {
  OwnState,
  ScreenLevel,
  ScreenMarket,
  ScreenModel,
  ScreenView,
} from "#monitoring/screen-model.js";

/** A level of the book, with an own order at a distance if one is given. */
function level(
  price: string,
  amount: string,
  own?: { amount: string; bps: string; state?: OwnState; isBeyond?: boolean },
): ScreenLevel {
  if (own === undefined) return { price, amount, own: undefined, isBeyond: false };
  const { bps, state = "open", isBeyond = false } = own;
  return { price, amount, own: { amount: own.amount, distanceBps: bps, state }, isBeyond };
}

const market: ScreenMarket = {
  marketId: "btcusdc",
  strategy: "avellaneda-stoikov",
  state: "quoting",
  stateReasons: [],
  baseAsset: "BTC",
  quoteAsset: "USDC",
  priceDecimals: 1,
  amountDecimals: 3,
  bids: [
    level("60009.5", "0.520", { amount: "0.020", bps: "0.00" }),
    level("60009.0", "11.700"),
    level("59949.0", "0.300", { amount: "0.300", bps: "10.08", isBeyond: true }),
  ],
  asks: [level("60010.5", "1.200"), level("60011.0", "0.020", { amount: "0.020", bps: "0.08" })],
  spread: "1.0 (0.17 bps)",
  mark: "60010.10",
  bookAgeMs: 120,
  positionBase: "-0.12",
  entryPrice: "60020.33",
  notionalQuote: "7201.21",
  unrealisedQuote: "1.23",
  realisedQuote: "0.12",
  pnlQuote: {
    spread: "2.50",
    inventory: "-1.25",
    fees: "0.10",
    funding: "0.00",
    basis: "-0.0043",
    failed: "0.00",
    liquidation: "0.00",
    other: "0.00",
  },
  pnlTotalQuote: "1.35",
  fills: 12,
  fillsPerMinute: 3.14,
  openBids: 2,
  openAsks: 1,
  unknownOrders: 0,
  manualOrders: 0,
  reason: {
    fair: "60010.05",
    reservation: "60010.30",
    halfSpread: "1.2 ticks",
    terms: [["inventory", "0.25"]],
    clamps: ["ask 0: post-only"],
  },
  reference: undefined,
};

const model: ScreenModel = {
  title: "/home/trader/bot.yaml",
  account: "0x6932F027294a6d73aee94f151BA70e2C179BE063",
  exchange: "http://127.0.0.1:8620/v1",
  nowMs: 3_725_000,
  startedMs: 0,
  equityQuote: "100001.35",
  earnedQuote: "1.35",
  inTransitQuote: undefined,
  peakEquityQuote: "100002.00",
  drawdownQuote: "0.65",
  unrealisedQuote: "1.23",
  realisedQuote: "0.12",
  quoteAsset: "USDC",
  budgets: [{ name: "ORDER", left: 250, limit: 300 }],
  halts: [],
  markets: [market],
  notes: [{ atMs: 45_296_000, level: "warn", text: "stream is back" }],
  logFile: "bot.log",
  stopLimitMs: 30_000,
  cockpitCommand: "marketwright cockpit",
};

const KEYS: ScreenView = {
  hasKeys: true,
  isHelp: false,
  helpPage: 0,
  isInterrupted: false,
  focus: 0,
  prompt: undefined,
};
/** The sizes at which every figure of one market has to be visible. */
const SIZES = [
  [80, 24],
  [120, 40],
  [200, 50],
] as const;

const lines = (of: ScreenModel, width = 100, height = 30, view?: ScreenView) =>
  renderScreen(of, width, height, { color: false, ...(view === undefined ? {} : { view }) }).split(
    "\n",
  );
const find = (of: ScreenModel, part: string) => lines(of).find((line) => line.includes(part)) ?? "";
const withMarket = (changes: Partial<ScreenMarket>): ScreenModel => ({
  ...model,
  markets: [{ ...market, ...changes }],
});

describe("the live screen", () => {
  it("shows our orders in their place in the book with their distance, the best in the middle", () => {
    const shown = lines(model);
    const at = (part: string) => shown.findIndex((line) => line.includes(part));
    expect(at("60011.0")).toBeLessThan(at("60010.5"));
    expect(at("60010.5")).toBeLessThan(at("spread 1.0 (0.17 bps)"));
    expect(at("spread 1.0")).toBeLessThan(at("60009.5"));
    expect(at("60009.5")).toBeLessThan(at("60009.0"));
    expect(shown[at("60009.5")]).toMatch(/^ ▸ 60009\.5 {2}0\.520 0\.020 {2}0\.00 /);
    expect(shown[at("60010.5")]).toMatch(/^ {3}60010\.5 {2}1\.200 {12}/);
    // Far behind the shown levels, at their edge.
    expect(shown[at("59949.0")]).toMatch(/^⋮▸ 59949\.0 {2}0\.300 0\.300 10\.08 /);
    expect(shown.find((line) => line.includes("ours"))).toMatch(/^ +USDC +BTC +ours +bps /);
  });

  it("marks our orders that are sent, being cancelled or in doubt", () => {
    const own = (state: OwnState) => level("60000.0", "0.100", { amount: "0.1", bps: "1", state });
    for (const [state, mark] of [
      ["sent", "▹"],
      ["cancelling", "×"],
      ["unknown", "?"],
    ] as const)
      expect(find(withMarket({ bids: [own(state)] }), "60000.0")).toMatch(
        new RegExp(`^ [${mark}] 60000.0`),
      );
  });

  it("keeps every own order in a small terminal: others give way, and a row counts those that find no place", () => {
    const others = Array.from({ length: 10 }, (_, at) => level(`${60_008 - at}.0`, "9.000"));
    const bids = [...others, level("59000.0", "0.1", { amount: "0.1", bps: "150.00" })];
    for (const height of [15, 18, 24]) {
      const shown = lines(withMarket({ bids }), 80, height);
      expect(shown.filter((line) => line.includes("59000.0"))).toHaveLength(1);
    }
    const many = Array.from({ length: 15 }, (_, at) =>
      level(`${60_009 - at}.0`, "0.5", { amount: "0.1", bps: `${at}.00` }),
    );
    const shown = lines(withMarket({ bids: many }), 80, 18);
    const last = shown.find((line) => line.includes("59995.0")) ?? "";
    expect(last).toMatch(/^⋮▸ 59995\.0 +\d+ ours .* 14\.00 /);
    const counted = Number(/(\d+) ours/.exec(last)?.[1]);
    expect(shown.filter((line) => line.startsWith(" ▸ 6000")).length + counted).toBe(15);
  });

  it("shows position, entry, value and the whole profit split, aligned at the point, with units", () => {
    for (const [width, height] of SIZES) {
      const all = lines(model, width, height);
      const shown = all.slice(all.findIndex((line) => line.startsWith("btcusdc")));
      for (const row of [
        /position BTC +-0\.12 /,
        /entry +60020\.33 /,
        /mark +60010\.10 /,
        /notional +7201\.21 /,
        /unrealised +\+1\.23 /,
        /realised +\+0\.12 /,
        /profit +\+1\.35 /,
        /spread +\+2\.50 /,
        /inventory +-1\.25 /,
        /fees +\+0\.10 /,
        /funding +0\.00 /,
        /basis +-0\.0043 /,
        /failed +0\.00 /,
        /liquidation +0\.00 /,
        /other +0\.00 /,
      ])
        expect(shown.filter((line) => row.test(line)).length, `${row} at ${width}`).toBe(1);
      const points = ["entry ", "mark ", "notional ", "unrealised ", "profit "].map((label) => {
        const line = shown.find((text) => text.includes(`${label} `)) ?? "";
        return line.indexOf(".", line.indexOf(label));
      });
      expect(new Set(points).size, `points at ${width}x${height}`).toBe(1);
    }
  });

  it("has a line for the reference price at each size, beside every figure of the position", () => {
    const good = "59985.00, fair 60000.00 (basis +2.50 bps), 0.3 s old, 2 of 3: binance, coinbase";
    const bad =
      "stale: 1 of its sources count, 2 needed: binance is down (the connection was lost)";
    for (const [width, height] of SIZES)
      for (const [text, isGood] of [
        [good, true],
        [bad, false],
      ] as const) {
        const shown = lines(withMarket({ reference: { text, isGood } }), width, height);
        const own = shown.filter((line) => line.startsWith("reference "));
        expect(own, `at ${width}x${height}`).toHaveLength(1);
        expect(own[0]).toContain(text.slice(0, 69));
        for (const label of [
          /position BTC +-0\.12 /,
          /profit +\+1\.35 /,
          /other +0\.00 /,
          /^orders 2 bid/,
        ])
          expect(shown.filter((line) => label.test(line)).length, `${label} at ${width}`).toBe(1);
      }
    expect(lines(model).filter((line) => line.startsWith("reference "))).toEqual([]);
  });

  it("shows equity, its parts, budgets, uptime, fill rate and the last reason", () => {
    expect(find(model, "equity")).toMatch(
      /equity 100001\.35 USDC {3}earned \+1\.35 {3}unrealised \+1\.23 {3}realised \+0\.12/,
    );
    expect(find(model, "drawdown")).toContain("drawdown 0.65");
    expect(find(model, "peak")).toMatch(/peak 100002\.00 {3}ORDER 250\/300/);
    expect(find(model, "up ")).toContain("1:02:05");
    expect(find(model, "fills")).toMatch(
      /orders 2 bid 1 ask {2}fills 12 \(3\.1\/min\) {2}book 0\.1 s/,
    );
    expect(find(model, "fair")).toMatch(
      /fair 60010\.05 {2}reservation 60010\.30 {2}half spread 1\.2 ticks {2}inventory 0\.25/,
    );
    expect(find(model, "held back")).toContain("ask 0: post-only");
    expect(find(model, "stream is back")).toContain("12:34:56");
  });

  it("names the file and the account in short where they do not fit whole", () => {
    expect(lines(model, 160)[0]).toContain("/home/trader/bot.yaml");
    expect(lines(model, 160)[0]).toContain(model.account);
    expect(lines(model, 80)[0]).toContain(
      "Marketwright bot.yaml   up 1:02:05   account 0x6932…E063",
    );
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
    expect(find(halted, "orders")).toMatch(/2 unknown {2}1 manual/);
    const why = "the exchange's position differs from the bot's, and nothing explains it";
    const long = lines(withMarket({ state: "halted", stateReasons: [why] }), 80);
    const title = long.findIndex((line) => line.startsWith("btcusdc  halted  avellaneda"));
    expect(long[title + 1]).toContain(why.slice(0, 70));
  });

  it("keeps its layout while the figures change: it depends on the terminal and the markets", () => {
    const levels = (amount: string, bps: string) => [
      level("60009.5", amount, { amount: "0.020", bps }),
      level("60009.0", amount),
    ];
    const pnl = (quote: string) => ({ ...market.pnlQuote, inventory: quote, basis: quote });
    const figures: Partial<ScreenMarket>[] = [
      {},
      { unrealisedQuote: "-0.0098", realisedQuote: "0.0033", pnlQuote: pnl("-0.0033") },
      { notionalQuote: "249918.33", unrealisedQuote: "-1234.50", pnlQuote: pnl("-1234.50") },
      { notionalQuote: "0.00", positionBase: "0", entryPrice: undefined, pnlTotalQuote: "0.00" },
      { bids: levels("1234.567", "150.00"), asks: levels("0.001", "0.01") },
      { reason: undefined },
    ];
    const layout = (change: Partial<ScreenMarket>, width: number, height: number) => {
      const money = { inTransitQuote: change.unrealisedQuote ?? "0.00", earnedQuote: "12.00" };
      const held = { ...market, ...change };
      const markets = [held, { ...held, marketId: "ethusdc" }];
      const shown = lines({ ...model, ...money, markets }, width, height);
      return ["btcusdc", "ethusdc", "position BTC", "spread 1.0", "notional", "basis", "ours"].map(
        (label) => [
          label,
          ...shown.flatMap((line, row) =>
            [...line.matchAll(new RegExp(label, "g"))].map(({ index }) => `${row}:${index}`),
          ),
        ],
      );
    };
    for (const [width, height] of [...SIZES, [60, 40], [104, 34], [110, 34], [112, 34]] as const) {
      const [first, ...others] = figures.map((change) => layout(change, width, height));
      for (const other of others) expect(other, `${width}x${height}`).toEqual(first);
    }
  });

  it("cuts no figure of a position, however little room a book with long numbers leaves", () => {
    const long = withMarket({
      bids: [level("100009.5", "1234.567", { amount: "123.456", bps: "150.00" })],
      notionalQuote: "-1249918.33",
      unrealisedQuote: "-0.0098",
    });
    for (let width = panelWidth(market); width < 130; width++) {
      const text = lines(long, width, 40).join("\n");
      for (const figure of ["60020.33", "-1249918.33", "+0.12", "100009.5", "123.456"])
        expect(text, `at ${width}`).toContain(figure);
    }
  });

  it("says how many orders are still being cancelled while the bot stops", () => {
    const stopping = (stoppingOrders: number) => find({ ...model, stoppingOrders }, "stopping: ");
    expect(stopping(3)).toContain("stopping: 3 orders being cancelled");
    expect(stopping(1)).toContain("stopping: 1 order being cancelled");
    expect(stopping(0)).toContain("stopping: no order is open");
    expect(find(model, "stopping")).toBe("");
  });

  it("shows the guard if its state is known, and warns if none watches", () => {
    const guarded = (guard: ScreenModel["guard"]) => ({ ...model, guard });
    expect(find(guarded({ state: "alive", ageMs: 420, text: "" }), "guard ")).toContain(
      "guard alive 0.4 s",
    );
    const missing = guarded({ state: "missing", text: "no guard runs: start one" });
    expect(find(missing, " GUARD ")).toContain("no guard runs: start one");
    expect(find(guarded({ state: "not-needed", text: "IOC" }), " GUARD ")).toBe("");
    expect(find(model, "guard")).toBe("");
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
    expect(find({ ...model, inTransitQuote: "0.00" }, "equity")).toContain("under way 0.00");
    expect(find({ ...model, inTransitQuote: "-0.20" }, "equity")).toMatch(
      /\+1\.35 {3}under way -0\.20/,
    );
  });

  it("says what is not known yet, before the first book and account", () => {
    const young: ScreenModel = {
      ...withMarket({
        state: "waiting",
        stateReasons: ["book not in sync"],
        bids: [],
        asks: [],
        spread: undefined,
        mark: undefined,
        bookAgeMs: undefined,
        positionBase: undefined,
        entryPrice: undefined,
        notionalQuote: undefined,
        unrealisedQuote: undefined,
        realisedQuote: undefined,
        reason: undefined,
      }),
      equityQuote: undefined,
      earnedQuote: undefined,
    };
    expect(find(young, "equity")).toContain("not known yet");
    expect(find(young, "spread unknown")).not.toBe("");
    expect(find(young, "book not in sync")).not.toBe("");
    for (const row of ["position BTC", "entry", "mark", "notional", "unrealised", "realised"])
      expect(
        lines(young).some((line) => new RegExp(`${row} +unknown`).test(line)),
        row,
      ).toBe(true);
    expect(find(young, "no intent yet")).not.toBe("");
  });

  it("tells a flat position from one that is not known", () => {
    const flat = withMarket({ positionBase: "0", entryPrice: undefined, notionalQuote: "0.00" });
    expect(find(flat, "entry")).toMatch(/entry +none/);
    expect(find(flat, "position")).toMatch(/position BTC +0 /);
  });

  it("puts markets beside each other on a wide terminal, and says how many a small one leaves out", () => {
    const two: ScreenModel = { ...model, markets: [market, { ...market, marketId: "ethusdc" }] };
    const isBeside = (width: number) =>
      lines(two, width, 40).some((line) => line.includes("btcusdc") && line.includes("ethusdc"));
    expect(isBeside(120)).toBe(true);
    expect(isBeside(2 * panelWidth(market) + 2)).toBe(false);
    expect(lines(two, 80, 24).some((line) => line.includes("... 1 market more"))).toBe(true);
    expect(lines(two, 120, 40).some((line) => line.includes(" more"))).toBe(false);
    const second = lines(two, 80, 24, { ...KEYS, focus: 1 });
    expect(second.some((line) => line.startsWith("ethusdc"))).toBe(true);
    expect(second.some((line) => line.startsWith("btcusdc"))).toBe(false);
  });

  it("shows the keys, a question or the help where keys are read, and Ctrl-C where none are", () => {
    expect(lines(model).at(-1)).toMatch(
      /^Ctrl-C cancels the bot's orders and exits {3}log: bot.log/,
    );
    expect(lines(model, 100, 30, KEYS).at(-1)).toMatch(
      /^q stop {2}h halt {2}r resume {2}m next market {2}\? help {3}log: bot.log/,
    );
    for (const height of [1, 2, 24])
      expect(lines(model, 80, height, { ...KEYS, prompt: "y yes, n no: halt?" }).at(-1)).toContain(
        "y yes, n no: halt?",
      );
    const help = lines(model, 80, 40, { ...KEYS, isHelp: true });
    for (const key of ["q", "h", "r", "m", "?", "Ctrl-C"])
      expect(
        help.some((line) => line.startsWith(`  ${key} `)),
        key,
      ).toBe(true);
    expect(help.filter((line) => line.includes("…") && !line.includes("Marketwright"))).toEqual([]);
  });

  it("says while it stops what it waits for, how long at most, and what Ctrl-C does", () => {
    const stopping = { ...model, stoppingOrders: 3 };
    const footer = (width: number, isInterrupted: boolean) =>
      lines(stopping, width, 30, { ...KEYS, isInterrupted }).at(-1) ?? "";
    expect(footer(120, true)).toMatch(
      /^Ctrl-C: exit now, orders stay open {3}it waits at most 30 s for the exchange to confirm that none is {3}log/,
    );
    // A bot that stops for another reason takes the first Ctrl-C as the wish to stop.
    expect(footer(120, false)).toMatch(/^Ctrl-C twice: exit now, orders stay open/);
    expect(footer(40, false)).toMatch(/^Ctrl-C twice: exit now, orders stay ope/);
    expect(footer(120, true)).not.toContain("q stop");
    expect(lines(stopping, 120).at(-1)).toContain("at most 30 s");
  });

  it("shows the whole help on pages where it does not fit, with every word at 40 columns", () => {
    const page = (helpPage: number, width = 40, height = 14) =>
      lines(model, width, height, { ...KEYS, isHelp: true, helpPage });
    expect(page(0).at(-1)).toMatch(/^space: next page \(1\/\d+\) {3}any key: back/);
    const pages = Number(/1\/(\d+)\)/.exec(page(0).at(-1) ?? "")?.[1]);
    const all = Array.from({ length: pages }, (_, at) => page(at).slice(0, -1).join("\n"));
    const text = all.join("\n").replaceAll(/\s+/g, " ");
    for (const part of [
      "halts: cancels all quotes until you resume; positions stay open",
      "marketwright cockpit, in another terminal, prints its link",
      "how far our order is behind the best price of its side",
      "waiting the market has no quotes yet",
      "under way earned, but not counted",
      "ORDER and the like: requests left, and the exchange's limit",
    ])
      expect(text).toContain(part);
    expect(page(pages)).toEqual(page(0));
    expect(page(0, 80, 40).at(-1)).toMatch(/^any key: back/);
  });

  it("shows the whole link to the cockpit: on lines of its own where it is too long for one", () => {
    const cockpitLink = `http://127.0.0.1:8630/#token=${"a1".repeat(22)}`;
    const linked = { ...model, cockpitLink };
    expect(lines(linked, 100).join("\n")).toContain(`cockpit: ${cockpitLink} `);
    expect(lines(linked, 80)).toContain(cockpitLink.padEnd(80));
    expect(lines(linked, 40).join("").replaceAll(" ", "")).toContain(
      cockpitLink.replace("http://", ""),
    );
  });

  it("never leaves its terminal: every line is exactly as wide, and not one more than it has rows", () => {
    const own = fc.option(
      fc.record({
        amount: fc.string(),
        distanceBps: fc.option(fc.string(), { nil: undefined }),
        state: fc.constantFrom<OwnState>("open", "sent", "cancelling", "unknown"),
      }),
      { nil: undefined },
    );
    const anyLevel = fc.record({
      price: fc.string(),
      amount: fc.option(fc.string(), { nil: undefined }),
      own,
      isBeyond: fc.boolean(),
    });
    const anyMarket = fc.record({
      bids: fc.array(anyLevel, { maxLength: 15 }),
      asks: fc.array(anyLevel, { maxLength: 15 }),
      strategy: fc.string(),
      marketId: fc.string({ maxLength: 60 }),
      baseAsset: fc.option(fc.string(), { nil: undefined }),
      entryPrice: fc.option(fc.string(), { nil: undefined }),
      reference: fc.option(fc.record({ text: fc.string(), isGood: fc.boolean() }), {
        nil: undefined,
      }),
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
        fc.boolean(),
        (held, width, height, isHelp) => {
          const view = { ...KEYS, isHelp, focus: 3 };
          const shown = lines({ ...model, markets: held, stoppingOrders: 2 }, width, height, view);
          expect(shown.length).toBe(height);
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

class FakeKeyboard extends EventEmitter {
  readonly modes: boolean[] = [];
  setRawMode(on: boolean): void {
    this.modes.push(on);
  }
  setEncoding(): void {}
  resume(): void {}
  pause(): void {}
}

function withKeys(isForeground = () => true) {
  const terminal = new FakeTerminal();
  const input = new FakeKeyboard();
  const pressed: string[] = [];
  const act = (what: string) => (): Promise<string> => {
    pressed.push(what);
    return Promise.resolve(`${what} is done`);
  };
  const screen = startScreen({
    terminal,
    clock: new VirtualClock(0),
    color: false,
    model: () => model,
    keys: {
      input: input satisfies KeyInput,
      isForeground,
      isStopping: () => false,
      isInterrupted: () => false,
      markets: ["btcusdc"],
      actions: {
        stop: () => void act("stop")(),
        interrupt: () => void act("interrupt")(),
        halt: act("halt"),
        resume: act("resume"),
      },
    },
  });
  return { terminal, input, screen, pressed };
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

  it("reads keys in raw mode, and gives the keyboard back with the screen", async () => {
    const { terminal, input, screen, pressed } = withKeys();
    expect(input.modes).toEqual([true]);
    expect(terminal.text).toContain("q stop");
    input.emit("data", "m");
    input.emit("data", "q");
    expect(terminal.text).toContain("stop the bot?");
    input.emit("data", "y");
    expect(pressed).toEqual(["stop"]);
    screen.suspend();
    expect(input.modes).toEqual([true, false]);
    expect(terminal.text.endsWith("\x1b[?25h\x1b[?1049l")).toBe(true);
    input.emit("data", "q");
    screen.resume();
    expect(input.modes).toEqual([true, false, true]);
    screen.stop();
    expect(input.modes).toEqual([true, false, true, false]);
    expect(input.listenerCount("data")).toBe(0);
    screen.resume();
    expect(input.modes).toHaveLength(4);
  });

  it("leaves the keyboard of a background process alone: the system would stop the process", () => {
    const { terminal, input, screen } = withKeys(() => false);
    expect(input.modes).toEqual([]);
    expect(input.listenerCount("data")).toBe(0);
    expect(terminal.text).toContain("Ctrl-C cancels");
    screen.stop();
    expect(input.modes).toEqual([]);
  });

  it("outlives a keyboard that is gone", () => {
    const { input, screen } = withKeys();
    expect(() => input.emit("error", new Error("EIO"))).not.toThrow();
    screen.stop();
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
