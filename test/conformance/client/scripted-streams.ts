import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { AccountEvent, MarketEvent } from "#exchange/stream-events.js";
import { ExchangeStreams } from "#exchange/streams.js";
import { ScriptedTransport } from "../../exchange/scripted-transport.js";
import { KEYS, START_MS } from "../../simulator/reference-client.js";

/** The client's streams over sockets of which the test is the other end. */
export function overScriptedSockets() {
  const clock = new VirtualClock(START_MS);
  const transport = new ScriptedTransport(clock);
  const signer = ecdsaScheme.signer(KEYS[0]);
  const streams = new ExchangeStreams({
    transport,
    runtime: { clock, random: seededRandom("streams") },
    nowMs: () => clock.nowMs(),
    signer,
  });
  const market: MarketEvent[] = [];
  const account: AccountEvent[] = [];
  return {
    clock,
    transport,
    market,
    account,
    followMarket: (names: readonly string[]) =>
      streams.market$(names).subscribe((event) => market.push(event)),
    followAccount: (options: { marketId?: string } = {}) =>
      streams.account$(options).subscribe((event) => account.push(event)),
    /** The client's messages on the newest socket. */
    said: () => transport.socket.received.map(({ text: one }) => one),
  };
}
