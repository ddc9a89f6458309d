import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { FaultInjector } from "#simulator/fault-injector.js";
import { type Fault, faultShape } from "#simulator/fault-shape.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { HttpClient } from "../http-venue.js";
import { KEYS, ReferenceClient, START_MS } from "../reference-client.js";

/** Reads a fault as the YAML and the admin endpoint do. */
export function readFault(fault: Readonly<Record<string, unknown>>): Fault {
  return faultShape.parse(fault);
}

/** Exchanges on ports with faults, whose clocks advance only when a test says so. */
export class FaultyVenues {
  readonly #servers: ExchangeServer[] = [];

  async open({ seed = 1, faults = true }: { seed?: number; faults?: boolean } = {}) {
    const clock = new VirtualClock(START_MS);
    const exchange = new EmbeddedExchange(
      parseExchangeConfig({ port: 0, markets: { btcusdc: {} }, streams: { bookIntervalMs: 0 } }),
      { clock, random: seededRandom("exchange") },
    );
    const injector = new FaultInjector(clock, { seed });
    const server = await serveExchange(exchange, faults ? { faults: injector } : {});
    this.#servers.push(server);
    const clientFor = (key: (typeof KEYS)[number]) =>
      new HttpClient(server, new ReferenceClient(exchange, () => clock.nowMs(), key));
    const [alice, bob] = [clientFor(KEYS[0] as never), clientFor(KEYS[1] as never)];
    await alice.signed("POST", "/account");
    await bob.signed("POST", "/account");
    const add = (fault: Readonly<Record<string, unknown>>) =>
      injector.schedule.add(readFault(fault));
    return { clock, exchange, injector, server, alice, bob, add };
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.close()));
  }
}
