import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { KEYS, namedSignatures, ReferenceClient, START_MS } from "../reference-client.js";
import { MemoryRecords } from "./memory-records.js";

/** Overrides of the exchange's configuration. */
export type Input = Partial<ExchangeConfigInput>;
/** A market that pays its funding each minute. */
export const MARKETS = {
  btcusdc: { funding: { mode: "fixed", intervalMs: 60_000, rate: "0.0001" } },
} as const;

/** An exchange on records, started, and a trader on it. */
export function started(records: MemoryRecords, clock: VirtualClock, input: Input = {}) {
  const exchange = made(records, clock, input);
  exchange.start();
  return { exchange, ...traders(exchange, clock) };
}

/** The same, not started. */
export function made(
  records: MemoryRecords,
  clock: VirtualClock,
  input: Input = {},
): EmbeddedExchange {
  const config = parseExchangeConfig({ markets: MARKETS, ...input });
  return new EmbeddedExchange(
    config,
    { clock, random: seededRandom("exchange") },
    { scheme: namedSignatures, records },
  );
}

/** Two registered traders of an exchange. */
export function traders(exchange: EmbeddedExchange, clock: VirtualClock) {
  const [alice, bob] = KEYS.map(
    (key, place) =>
      new ReferenceClient(exchange, () => clock.nowMs(), key, `10.0.0.${place}`, true),
  ) as [ReferenceClient, ReferenceClient];
  for (const trader of [alice, bob]) {
    exchange.register(trader.address);
  }
  return { alice, bob };
}

/** A market with two orders that have matched. */
export async function traded(input: Input = {}) {
  const clock = new VirtualClock(START_MS);
  const records = new MemoryRecords();
  const { exchange, alice, bob } = started(records, clock, input);
  alice.place("SELL", "30000", "0.5");
  bob.place("BUY", "30000", "0.2");
  return { clock, records, exchange, alice, bob };
}

/** The clock of a machine whose process was killed: it continues, nothing else does. */
export function laterBy(ms: number): VirtualClock {
  return new VirtualClock(START_MS + ms);
}
