import type { BotConfig } from "#bot/config.js";
import { type ExplainOptions, explainBot } from "#bot/explain.js";
import type { Explanation } from "#bot/explanation.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { HttpRequest, Transport } from "#exchange/transport.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { EXCHANGE, PRIVATE_KEY, SILENT, START_MS } from "./recorded-run.js";

export const ACCOUNT = ecdsaScheme.signer(PRIVATE_KEY).address;

interface Explained {
  readonly explanation: Explanation;
  readonly exchange: EmbeddedExchange;
  readonly requests: readonly HttpRequest[];
  readonly sockets: readonly string[];
}

export async function explain(
  config: BotConfig,
  prepare: (exchange: EmbeddedExchange) => void = (exchange) => exchange.register(ACCOUNT),
  options: Partial<ExplainOptions> = {},
  exchangeConfig: Partial<ExchangeConfigInput> = {},
): Promise<Explained> {
  const clock = new VirtualClock(START_MS);
  const exchange = configuredExchange(parseExchangeConfig({ ...EXCHANGE, ...exchangeConfig }), {
    clock,
    random: seededRandom("exchange"),
  });
  exchange.start();
  prepare(exchange);
  await clock.runFor(3_000);
  const network = new FaultyNetwork(
    exchange,
    clock,
    new FaultSource([], seededRandom("faults")),
    "10.0.0.1",
  );
  const requests: HttpRequest[] = [];
  const sockets: string[] = [];
  const transport: Transport = {
    request: (request, done) => {
      requests.push(request);
      network.request(request, done);
    },
    open: (path, handlers) => {
      sockets.push(path);
      return network.open(path, handlers);
    },
    close: () => network.close(),
  };
  let explanation: Explanation | undefined;
  let failed: unknown;
  explainBot({
    config,
    privateKey: PRIVATE_KEY,
    runtime: { clock, random: seededRandom("bot") },
    log: SILENT,
    transport,
    ...options,
  }).then(
    (answer) => {
      explanation = answer;
    },
    (error: unknown) => {
      failed = error;
    },
  );
  while (explanation === undefined && failed === undefined) await clock.runFor(100);
  exchange.stop();
  if (explanation === undefined) throw failed;
  return { explanation, exchange, requests, sockets };
}
