import type { BotConfig } from "../../src/bot/config/config.js";
import { type ExplainOptions, explainBot } from "../../src/bot/explain/explain.js";
import type { Explanation } from "../../src/bot/explain/explanation.js";
import { ecdsaScheme } from "../../src/core/crypto/signing.js";
import { seededRandom } from "../../src/core/runtime/seeded-random.js";
import { VirtualClock } from "../../src/core/runtime/virtual-clock.js";
import type { HttpRequest, Transport } from "../../src/exchange/rest/transport.js";
import {
  type ExchangeConfigInput,
  parseExchangeConfig,
} from "../../src/simulator/config/config.js";
import { configuredExchange } from "../../src/simulator/engine/configured-exchange.js";
import type { EmbeddedExchange } from "../../src/simulator/exchange.js";
import { FaultSource } from "../simulation/faults.js";
import { FaultyNetwork } from "../simulation/faulty-network.js";
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
