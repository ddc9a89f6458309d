import { describe, expect, it } from "vitest";
import type { BotEvent } from "#bot/bot-event.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import { buildHashedOrder, infoExpirationSeconds } from "#exchange/order-building.js";
import { OrderHasher } from "#exchange/order-signing.js";
import { signParams } from "#exchange/request-signing.js";
import { BotRig } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { botConfig } from "../simulation/bot-config.js";

const START_MS = 1_760_000_000_000;
const PRIVATE_KEY = `0x${"17".repeat(32)}`;

/**
 * Half a minute of a bot on btcusdc, limited to half its money in leverage, whose owner holds
 * `ethLots` of another market.
 */
async function run(ethLots: number): Promise<{ heldBack: Set<string>; placed: number }> {
  const clock = new VirtualClock(START_MS);
  const scheme = keyedScheme();
  const signer = scheme.signer(PRIVATE_KEY);
  const market = (startPriceQuote: number) => ({
    flow: { kind: "synthetic", preset: "quiet", startPriceQuote },
  });
  const config = parseExchangeConfig({
    seed: 3,
    markets: { btcusdc: market(60_000), ethusdc: { ...market(3_000), tickSize: "0.01" } },
  });
  const exchange = configuredExchange(
    config,
    { clock, random: seededRandom("exchange") },
    { scheme },
  );
  exchange.start();
  exchange.register(signer.address);
  await clock.runFor(3_000);
  if (ethLots > 0) {
    const rules = decodeRules(
      JSON.parse(
        exchange.handle({ method: "GET", path: "/v1/exchangeInfo", query: "", body: "", ip: "x" })
          .body,
      ),
      [],
    );
    const eth = rules.markets.ethusdc;
    const instrument = createInstruments(rules).get("ethusdc");
    if (eth === undefined || instrument === undefined)
      throw new Error("the exchange has no ethusdc");
    const ticks = (exchange.book("ethusdc").asks[0]?.[0] ?? 0) + 20_000;
    const { order, digest } = buildHashedOrder(new OrderHasher(rules.eip712.domainSeparator), {
      rules: eth,
      instrument,
      side: "BUY",
      ticks,
      lots: ethLots,
      signer: signer.address,
      expirationSeconds: infoExpirationSeconds("GTC", clock.nowMs(), 0),
      nonce: 7n,
    });
    const params = {
      marketId: "ethusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: instrument.formatAmount(ethLots),
      price: instrument.formatPrice(ticks),
      timeInForce: "IOC",
      orderSignature: signer.sign(digest),
      info: order.info,
    };
    const body = signParams(params, signer.address, clock.nowMs(), signer);
    exchange.handle({
      method: "POST",
      path: "/v1/order",
      query: "",
      body,
      contentType: "application/x-www-form-urlencoded",
      ip: "x",
    });
    expect(exchange.positionLots(signer.address, "ethusdc")).toBeGreaterThan(0);
  }
  const heldBack = new Set<string>();
  let placed = 0;
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
      markets: {
        btcusdc: {
          strategy: "ladder",
          params: { halfSpreadBps: 2, sizeBase: 0.02 },
          limits: { maxPositionBase: "0.5" },
        },
      },
      risk: { maxDrawdownQuote: "1000000", maxLeverage: 0.2 },
    }),
    observe: (notice: BotEvent) => {
      if (notice.kind === "held-back") heldBack.add(notice.limit);
      if (notice.kind === "dispatched" && notice.action.kind === "place") placed++;
    },
  });
  rig.start();
  await clock.runFor(30_000);
  return { heldBack, placed };
}

describe("a position that the owner holds in a market that is not the bot's", () => {
  it("counts against the account's leverage: the margin is one, and so is the liquidation", async () => {
    const { heldBack, placed } = await run(15_000);
    expect(heldBack).toContain("leverage");
    expect(placed).toBe(0);
  });

  it("and without it the same bot quotes", async () => {
    expect((await run(0)).placed).toBeGreaterThan(0);
  });
});
