import { expect, it } from "vitest";
import { BotLiquidatorVenue } from "#bot/liquidator-venue.js";
import { replayLines } from "#bot/replay-journal.js";
import { TooManyRequests } from "#liquidator/poll-pace.js";
import {
  asFile,
  botConfigOf,
  EXCHANGE,
  MemoryJournal,
  startVirtualRun,
  type VirtualRun,
} from "../recorded-run.js";

/** A quiet bot: one market, a quote per side, and hardly a token spent by itself. */
const config = botConfigOf({
  markets: {
    btcusdc: {
      strategy: "ladder",
      params: { levels: 1, halfSpreadBps: 20, levelSpacingBps: 1, sizeBase: 0.01 },
      limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
    },
  },
});

function exchangeWith(common: number) {
  return {
    ...EXCHANGE,
    markets: { btcusdc: EXCHANGE.markets.btcusdc },
    rateLimits: { order: 1_200, common },
  };
}

function venueOf({ running, clock }: VirtualRun): BotLiquidatorVenue {
  return new BotLiquidatorVenue(
    running.bot,
    running.client,
    clock,
    () => running.command({ command: "asked" }),
    () => undefined,
  );
}

/** Result of a query while time passes. */
async function answerOf<T>({ clock }: VirtualRun, question: Promise<T>): Promise<T | Error> {
  let answer: T | Error | undefined;
  question.then(
    (told) => {
      answer = told;
    },
    (error: Error) => {
      answer = error;
    },
  );
  while (answer === undefined) await clock.runFor(10);
  return answer;
}

it("each read of the risky accounts costs a COMMON token, also in the journal, but none that the bot may need itself", async () => {
  const journal = new MemoryJournal();
  const run = await startVirtualRun({ config, exchangeConfig: exchangeWith(400), journal });
  await run.clock.runFor(1_000);
  const { budget } = run.running.bot.context;
  const venue = venueOf(run);
  const before = budget.available("COMMON");
  for (let i = 0; i < 20; i += 1) expect(await answerOf(run, venue.riskyAccounts())).toEqual([]);
  const spent = before - budget.available("COMMON");
  expect(spent, "and a few of the bot's own meanwhile").toBeGreaterThanOrEqual(20);
  expect(spent).toBeLessThan(40);

  let refused: unknown = [];
  for (let i = 0; i < 400 && !(refused instanceof Error); i += 1)
    refused = await answerOf(run, venue.riskyAccounts());
  expect(refused).toBeInstanceOf(TooManyRequests);
  expect(refused).toMatchObject({
    message: expect.stringMatching(
      /^\d+ COMMON tokens are left, which the bot itself may need: again in \d+ ms$/,
    ),
  });
  const left = budget.available("COMMON");
  expect(left, "what cancels and the guard need is there").toBeGreaterThan(
    budget.guardReserve.COMMON,
  );
  for (let i = 0; i < 5; i += 1)
    expect(await answerOf(run, venue.riskyAccounts())).toBeInstanceOf(TooManyRequests);
  expect(
    budget.available("COMMON"),
    "a question that did not leave costs nothing",
  ).toBeGreaterThanOrEqual(left - 5);

  await run.stop();
  const result = await replayLines(asFile(journal.lines));
  expect(result.divergence).toBeUndefined();
  expect(journal.lines.filter((line) => line.includes('"command":"asked"')).length).toBeGreaterThan(
    20,
  );
});

it("a remainder is valued at the worse of the stream's mark and the chain's, and names that mark", async () => {
  const run = await startVirtualRun({ config, exchangeConfig: exchangeWith(400) });
  await run.clock.runFor(2_000);
  const { bot, client } = run.running;
  const trader = bot.context.traders.get("btcusdc");
  const mark = trader?.state.mark ?? 0n;
  expect(mark).toBeGreaterThan(0n);
  const perLot = (price: bigint) => price / 1_000n;
  const venueAt = (chainMark: bigint | undefined) =>
    new BotLiquidatorVenue(
      bot,
      client,
      run.clock,
      () => {},
      (perp) => (perp === trader?.rules.perp.toLowerCase() ? chainMark : undefined),
    );
  expect(venueAt(mark / 2n).unsoldValue("btcusdc", 1_000)).toEqual({
    credit: mark / 2n,
    by: "chain",
  });
  expect(venueAt(mark * 2n).unsoldValue("btcusdc", 1_000)).toEqual({
    credit: mark,
    by: "exchange",
  });
  expect(venueAt(mark * 2n).unsoldValue("btcusdc", -1_000)).toEqual({
    credit: -2n * mark,
    by: "chain",
  });
  expect(venueAt(undefined).unsoldValue("btcusdc", 1)).toEqual({
    credit: perLot(mark),
    by: "exchange",
  });
  expect(venueAt(mark / 2n).markValue(trader?.rules.perp.toLowerCase() ?? "", 10n ** 18n)).toBe(
    mark / 2n,
  );
  expect(venueAt(undefined).unsoldValue("ethusdc", 1)).toBeUndefined();
  await run.stop();
});
