import { map } from "rxjs";
import { expect, it } from "vitest";
import { z } from "zod";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { BotRig } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { quoteAround } from "#strategies/quote-around.js";
import { defineStrategy } from "#strategies/strategy.js";
import { botConfig } from "../simulation/bot-config.js";

const START_MS = 1_760_000_000_000;
const PRIVATE_KEY = `0x${"29".repeat(32)}`;

it("an intent that is refused takes the quotes of the one before it down: a dead decision is not filled again and again", async () => {
  const clock = new VirtualClock(START_MS);
  const scheme = keyedScheme();
  const { address } = scheme.signer(PRIVATE_KEY);
  const config = parseExchangeConfig({
    seed: 5,
    markets: {
      btcusdc: { flow: { kind: "synthetic", preset: "lively", startPriceQuote: 60_000 } },
    },
  });
  const exchange = configuredExchange(
    config,
    { clock, random: seededRandom("exchange") },
    { scheme },
  );
  exchange.start();
  exchange.register(address);
  await clock.runFor(2_000);
  const soundUntilMs = clock.nowMs() + 8_000;
  const turning = defineStrategy({
    params: z.object({}),
    create: () => (view$) =>
      view$.pipe(
        map((view) => {
          const good = quoteAround(view, view.microPrice, { halfSpreadBps: 30, sizeBase: 0.02 });
          return view.timeMs < soundUntilMs
            ? good
            : { ...good, quotes: good.quotes.map((quote) => ({ ...quote, lots: -1 })) };
        }),
      ),
  });
  const places: number[] = [];
  const refusals = new Set<string>();
  const rig = new BotRig({
    door: exchange,
    transport: new FaultyNetwork(
      exchange,
      clock,
      new FaultSource([], seededRandom("none")),
      "10.0.0.1",
    ),
    clock,
    random: seededRandom("bot"),
    scheme,
    privateKey: PRIVATE_KEY,
    config: botConfig({
      markets: { btcusdc: { strategy: "ladder", params: {}, limits: { maxPositionBase: "0.5" } } },
    }),
    strategies: new Map([["btcusdc", turning]]),
    observe: (notice) => {
      if (notice.kind === "dispatched" && notice.action.kind === "place")
        places.push(clock.nowMs());
      if (notice.kind === "intent-refused") refusals.add(notice.refusal);
    },
  });
  rig.start();
  await clock.runFor(7_000);
  const open = () => exchange.openOrders(address).filter(({ openLots }) => openLots > 0);
  expect(open()).toHaveLength(2);
  await clock.runFor(3_000);
  expect(refusals).toEqual(new Set(["bad-size"]));
  expect(open()).toEqual([]);
  await clock.runFor(20_000);
  expect(places.filter((atMs) => atMs > soundUntilMs + 1_000)).toEqual([]);
  expect(rig.bot.context.traders.get("btcusdc")?.refusal).toContain("bad-size");
});
