import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";
import { captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

type Bot = ReturnType<typeof exchange.bot>;

const work = ({ file, env }: Bot, ...args: readonly string[]) =>
  captureCli(["work", file, ...args, "--json"], env);

async function call<T>({ file, env }: Bot, operation: string): Promise<readonly T[]> {
  const { out } = await captureCli(["call", operation, "marketId=btcusdc", "--bot", file], env);
  // Before its first order the exchange does not know the account.
  return out === "" ? [] : JSON.parse(out);
}

/** Until an order of the bot rests. */
async function untilOffered(bot: Bot): Promise<void> {
  await until(
    () => call<{ readonly availableAmount: string }>(bot, "openOrders"),
    (orders) => orders.some(({ availableAmount }) => Number(availableAmount) > 0),
  );
}

interface UserTrade {
  readonly isBuyer: boolean;
  readonly amount: string;
  readonly price: string;
}

/** The account's position by its trades at the exchange, in base. */
async function tradedBase(bot: Bot): Promise<number> {
  const trades = await call<UserTrade>(bot, "userTrades");
  const sum = trades.reduce(
    (base, { isBuyer, amount }) => base + (isBuyer ? 1 : -1) * Number(amount),
    0,
  );
  // Minus zero is zero.
  return Number(sum.toFixed(9)) + 0;
}

describe("work, on the embedded exchange", () => {
  it("buys, sells through zero and flattens by all three styles, at the cost that the exchange's trades show", async () => {
    const bot = exchange.bot();
    let held = 0;
    for (const [target, style, ...more] of [
      ["0.1", "twap"],
      ["-0.1", "pov", "--participation", "0.5"],
      ["0.05", "almgren-chriss"],
      ["0", "twap", "--taker", "never"],
    ] as const) {
      const before = (await call<UserTrade>(bot, "userTrades")).length;
      const args = ["--target", target, "--by", "25s", "--style", style, ...more];
      const { code, out } = await work(bot, ...args);
      expect({ target, code }).toEqual({ target, code: 0 });
      const { work: summary, openOrdersLeft, positionBase } = JSON.parse(out);
      const side = Number(target) > held ? "BUY" : "SELL";
      expect(summary).toMatchObject({
        isReached: true,
        reason: "the target is reached",
        side,
        startBase: String(held),
        endBase: target,
        leftBase: "0",
        goOn: null,
      });
      expect({ openOrdersLeft, positionBase }).toEqual({
        openOrdersLeft: 0,
        positionBase: { btcusdc: target },
      });
      held = Number(target);
      expect(await tradedBase(bot)).toBe(held);

      const trades = await call<UserTrade>(bot, "userTrades");
      expect(trades.length - before).toBe(summary.fills);
      const own = trades
        .filter((trade) => trade.isBuyer === (side === "BUY"))
        .map(({ amount, price }) => [Number(amount), Number(price)] as const);
      const sign = side === "BUY" ? 1 : -1;
      for (const [, price] of own.slice(-summary.fills))
        expect(sign * (Number(summary.worstPriceQuote) - price)).toBeGreaterThanOrEqual(0);
      const { averagePriceQuote, arrival, filledBase } = summary;
      const cost =
        sign * (Number(averagePriceQuote) - Number(arrival.priceQuote)) * Number(filledBase);
      expect(Number(arrival.costQuote)).toBeCloseTo(cost, 2);
    }
    expect(await openOrders(bot.file, bot.env)).toEqual([]);
  });

  it.each(["0", "-0"])(
    "trades nothing and succeeds if the target %s is held already",
    async (target) => {
      const { code, out } = await work(exchange.bot(), "--target", target, "--by", "20s");
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        fills: 0,
        work: { isReached: true, side: null, targetBase: "0", filledBase: "0", arrival: null },
      });
    },
  );

  it("takes what is due within the time when the exchange builds its orders, and its journal replays", async () => {
    const bot = exchange.bot();
    const journal = join(bot.file, "../work.journal");
    // Slices of some milliseconds: all is due nearly at once.
    const args = ["--target", "0.05", "--by", "10s", "--slices", "1000", "--journal", journal];
    const { code, out } = await work(bot, ...args);
    expect(code).toBe(0);
    expect(JSON.parse(out).work.isReached).toBe(true);
    const replayed = await captureCli(["replay", journal, "--quiet"], bot.env);
    expect(replayed).toMatchObject({ code: 0 });
  });

  it("cancels its orders at Ctrl-C, says what is left, and names the command that goes on", async () => {
    const bot = exchange.bot();
    // Far below the market: nothing fills.
    const args = ["work", bot.file, "--target", "0.2", "--by", "10m", "--limit-price", "55000"];
    const running = startCli([...args, "--no-screen"], bot.env);
    await untilOffered(bot);
    running.interrupt();
    const { code, out, err } = await running.done;
    expect(code).toBe(130);
    expect(await openOrders(bot.file, bot.env)).toEqual([]);
    expect(out).toContain("bought 0 BTC");
    expect(out).toMatch(
      /^go on {5}npx marketwright work \S+ --market btcusdc --target 0\.2 --by 20\S+Z --limit-price 55000$/m,
    );
    expect(err).toContain("interrupted (SIGINT): 0 of btcusdc is filled, +0.2 BTC is left");
  });

  it("ends with 1 when its time is over before the target is reached", async () => {
    const bot = exchange.bot();
    const { code, out, err } = await work(
      bot,
      ...["--target", "-0.2", "--by", "3s", "--limit-price", "65000"],
    );
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      openOrdersLeft: 0,
      work: { isReached: false, reason: "the time is over", leftBase: "-0.2", fills: 0 },
    });
    expect(err).toContain("the time is over: 0 of btcusdc is filled, -0.2 BTC is left");
    expect(await openOrders(bot.file, bot.env)).toEqual([]);
  });

  it("ends when somebody halts the bot, and is not the second process of an account", async () => {
    const bot = exchange.bot();
    const args = ["--target", "0.2", "--by", "10m", "--limit-price", "55000"];
    const running = startCli(["work", bot.file, ...args, "--json"], bot.env);
    await untilOffered(bot);
    expect(await work(bot, "--target", "0.1", "--by", "10s")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("one process at a time trades an account"),
    });
    await captureCli(["halt", bot.file, "--reason", "news"], bot.env);
    const { code, out, err } = await running.done;
    expect(code).toBe(1);
    // Without it, the command that goes on would wait in vain.
    const resume = `npx marketwright resume ${bot.file}`;
    expect(JSON.parse(out).work).toMatchObject({
      isReached: false,
      reason: expect.stringMatching(/^halted by manual: news/),
      resume,
    });
    expect(err).toContain(`the halt lasts until ${resume}; then go on with npx marketwright work`);
    expect(await openOrders(bot.file, bot.env)).toEqual([]);
  });

  it("works from the position that the account has after a kill, and fills nothing twice", async () => {
    const bot = exchange.bot();
    const args = ["work", bot.file, "--target", "0.3", "--json", "--by"];
    const child = spawn(process.execPath, [builtCommand(), ...args, "60s"], {
      env: { ...process.env, ...bot.env },
      stdio: "ignore",
    });
    children.push(child);
    const ended = once(child, "exit");
    await until(
      () => tradedBase(bot),
      (base) => base > 0,
    );
    child.kill("SIGKILL");
    await ended;
    const { code, out } = await captureCli([...args, "15s"], bot.env);
    expect(code).toBe(0);
    const { work: summary } = JSON.parse(out);
    expect(summary).toMatchObject({ isReached: true, endBase: "0.3" });
    expect(Number(summary.startBase)).toBeGreaterThan(0);
    expect(await tradedBase(bot)).toBe(0.3);
    expect(await openOrders(bot.file, bot.env)).toEqual([]);
  });

  it.each([
    [["--target", "abc", "--by", "10s"], "--target"],
    [["--target", "0.6", "--by", "10s"], "--target"],
    [["--target", "0.1", "--by", "2020-01-01"], "--by"],
    [["--target", "0.1", "--by", "10s", "--market", "ethusdc"], "--market"],
    [["--target", "0.1", "--by", "10s", "--taker", "always"], "--taker"],
    [["--target", "0.1", "--by", "10s", "--participation", "2"], "--participation"],
    [["--target", "0.1", "--by", "10s", "--out", "report"], "--out"],
    [["--target", "0.0001", "--by", "10s"], "targetBase"],
  ])("refuses %j before it trades", async (args, field) => {
    expect(await work(exchange.bot(), ...args)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining(field),
    });
  });
});
