import { seededRandom } from "#core/seeded-random.js";
import type { SignatureScheme } from "#core/signing.js";
import type { VirtualClock } from "#core/virtual-clock.js";
import { EmbeddedHedgeVenue } from "#hedge/embedded-hedge-venue.js";
import { rulesOf } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import type { CapturedPrice } from "./captured-price.js";
import { CapturedTouchFlow } from "./captured-touch-flow.js";
import { MARKET } from "./value-arms.js";

/** Options of {@link startHedgeExchange}. */
interface HedgeExchangeOptions {
  readonly clock: VirtualClock;
  readonly scheme: SignatureScheme;
  readonly seed: number;
  readonly price: CapturedPrice;
  readonly takerFeeBps: number;
}

/** A second exchange, and the account and the door of a bot there. */
export interface HedgeExchange {
  readonly exchange: EmbeddedExchange;
  readonly address: string;
  readonly venue: EmbeddedHedgeVenue;
}

const PRIVATE_KEY = `0x${"51".repeat(32)}` as const;

/** Starts an exchange whose book is the captured price now. */
export function startHedgeExchange(options: HedgeExchangeOptions): HedgeExchange {
  const { clock, scheme, seed, price, takerFeeBps } = options;
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({
      seed,
      markets: {
        [MARKET]: {
          baseAsset: "BTC",
          tickSize: "0.1",
          stepSize: "0.001",
          takerFeeRate: (takerFeeBps / 10_000).toFixed(6),
        },
      },
    }),
    { clock, random: seededRandom(`hedge exchange ${seed}`) },
    { scheme, createFlow: () => new CapturedTouchFlow(price) },
  );
  exchange.start();
  const signer = scheme.signer(PRIVATE_KEY);
  exchange.register(signer.address);
  const venue = new EmbeddedHedgeVenue({
    transport: new FaultyNetwork(
      exchange,
      clock,
      new FaultSource([], seededRandom(`hedge network ${seed}`)),
      "10.0.0.1",
    ),
    runtime: { clock, random: seededRandom(`hedge venue ${seed}`) },
    signer,
    rules: rulesOf(exchange, [MARKET]),
    symbols: [MARKET],
  });
  return { exchange, address: signer.address, venue };
}
