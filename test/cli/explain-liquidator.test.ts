import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { captureCli } from "./captured-cli.js";
import { LiquidationExchange, WATCH } from "./liquidation-exchange.js";

let world: LiquidationExchange;
beforeAll(async () => {
  world = await LiquidationExchange.start();
});
afterAll(() => world.close());

describe("marketwright explain of a bot that liquidates", () => {
  const explained = async ({
    file,
    env,
  }: {
    readonly file: string;
    readonly env: Record<string, string>;
  }) => {
    const { out } = await captureCli(["explain", file, "--json"], env);
    return JSON.parse(out).liquidator;
  };

  it("shows the accounts that it would take over with the profit, its free room, and sends nothing", async () => {
    const bot = world.bot({
      liquidator:
        "{ minProfitQuote: 1, watchFromBlock: 0, maxGasQuote: 5, marginBufferFraction: 1 }",
    });
    await world.registers(bot.key);
    const calm = await explained(bot);
    expect(calm).toMatchObject({
      state: "watching",
      reasons: [],
      troubles: [],
      candidates: [],
      mayAct: true,
      sender: bot.address,
    });
    expect(calm.nearest[0]).toMatchObject({ account: world.victims[1]?.address.toLowerCase() });
    expect(calm.nearest[0].distanceBps).toBeGreaterThan(100);
    expect(calm.margin).toEqual({
      netValueQuote: "100000",
      maintenanceQuote: "0",
      freeQuote: "100000",
    });
    // 100,000 dollars carry twice the maintenance margin of 3 % of 1,666,666 dollars.
    expect(calm.capacity).toEqual([
      {
        marketId: "btcusdc",
        longBase: "27.777",
        shortBase: "27.777",
        boundBy: ["margin"],
        hasBook: true,
      },
    ]);

    await world.mark(58_000);
    const danger = await explained(bot);
    expect(danger).toMatchObject({
      state: "would take over",
      reasons: [],
      rules: { minProfitQuote: "1", maxGasQuote: "5" },
    });
    expect(danger.candidates).toMatchObject([
      { victim: world.victims[1]?.address.toLowerCase(), fate: "would be taken over" },
    ]);
    const [{ amountBase, expectedProfitQuote, worstProfitQuote }] = danger.candidates;
    expect(Number(amountBase)).toBeGreaterThan(1);
    expect(Number(expectedProfitQuote)).toBeGreaterThan(Number(worstProfitQuote));
    expect(Number(worstProfitQuote)).toBeGreaterThanOrEqual(1);
    const text = (await captureCli(["explain", bot.file], bot.env)).out;
    expect(text).toContain("liquidator: would take over\n  watches   ");
    expect(text).toContain(
      "  rules     least profit 1, up to the whole position, 4 at a time\n  gas       ",
    );
    expect(text).toContain(
      `${world.victims[1]?.address.toLowerCase()} would be taken over, ${amountBase} at an expected profit of`,
    );
    expect(await world.nonce(bot.address)).toBe(0);
    expect(await world.paper(bot.address)).toBe(0n);

    const greedy = await explained(
      world.bot({
        key: bot.key,
        liquidator: "{ minProfitQuote: 10000000, watchFromBlock: 0, dryRun: true }",
      }),
    );
    expect(greedy).toMatchObject({
      state: "nothing can be taken over",
      reasons: [expect.stringContaining("dryRun is true")],
    });
    expect(greedy.candidates).toMatchObject([
      { fate: "earns too little", shortOfQuote: expect.stringMatching(/^99/) },
    ]);
    await world.mark(60_000);
  });

  it("says why nothing can be taken now: no margin, no gas, no chain", async () => {
    const owner = world.bot();
    await world.registers(owner.key);
    const poor = await explained(world.bot({ liquidator: WATCH }));
    expect(poor).toMatchObject({
      state: "nothing can be taken over",
      margin: { netValueQuote: "0" },
    });
    expect(poor.reasons).toEqual([
      expect.stringMatching(/^the bot's own account has no capacity for a lot \(margin\)$/),
      expect.stringMatching(/ has 0 ETH, less than one takeover's gas$/),
    ]);
    const away = world.bot({ key: owner.key, chain: '{ rpc: ["http://127.0.0.1:1"] }' });
    const blind = await explained(away);
    expect(blind).toMatchObject({
      state: "nothing can be taken over",
      reasons: [expect.stringContaining("127.0.0.1:1")],
    });
    expect(blind.margin).toBeUndefined();
    const { code, out } = await captureCli(["explain", away.file], away.env);
    expect(code, "what it would quote is an answer all the same").toBe(0);
    expect(out).toContain("liquidator: nothing can be taken over\n  but       ");
  });
});
