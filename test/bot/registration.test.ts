import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { readAccountCreation, register } from "#bot/registration.js";
import { FormatError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { RestClient } from "#exchange/rest-client.js";
import { createLog } from "#monitoring/log.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { openConfiguredExchange } from "#simulator/configured-exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { type Embedded, KEYS, startEmbedded } from "../exchange/client/embedded.js";

const CONFIG = loadBotConfig(
  fileURLToPath(new URL("../../config/minimal.yaml", import.meta.url)),
  {},
  { key: "unused" },
);
const runtime = createLiveRuntime();

let embedded: Pick<Embedded, "server" | "close">;
afterEach(() => embedded.close());

/**
 * Registers the account of a key; returns the result, the account's creation time at the exchange,
 * and the log.
 */
async function registering(key: Hex, dryRun = false, timeoutMs = 10_000) {
  const { restUrl, streamUrl } = embedded.server;
  const network = new NetworkTransport({ restUrl, streamUrl, clock: runtime.clock });
  const client = new RestClient({
    transport: network,
    signer: ecdsaScheme.signer(key),
    nowMs: () => runtime.clock.nowMs(),
    timeoutMs,
  });
  const lines: string[] = [];
  const log = createLog(
    { write: (line) => lines.push(line) },
    { level: "info", clock: runtime.clock },
  );
  try {
    const registration = await register(client, { config: CONFIG, log, dryRun });
    const createdAtMs = await readAccountCreation(() => client.accountCreatedAtMs(), log);
    return { ...registration, createdAtMs, said: lines.map((line) => JSON.parse(line).msg) };
  } finally {
    network.close();
  }
}

describe("the registration of a bot's account", () => {
  it("distinguishes a new account from a known one, and returns when the exchange created it", async () => {
    embedded = await startEmbedded();
    const first = await registering(KEYS[0]);
    expect(first).toEqual({
      registered: true,
      isNew: true,
      createdAtMs: expect.any(Number),
      said: ["registered the account"],
    });
    expect(await registering(KEYS[0])).toEqual({
      registered: true,
      isNew: false,
      createdAtMs: first.createdAtMs,
      said: [],
    });
    expect(await registering(KEYS[0], true)).toMatchObject({ registered: true, isNew: false });
  });

  it("ends within the bot's own time limit on a chain with a block per minute", async () => {
    const { requestTimeoutMs } = CONFIG.exchange;
    const chain = { rpc: null, accounts: { count: 0 }, blocks: { intervalMs: 60_000 } };
    const open = await openConfiguredExchange(
      parseExchangeConfig({ port: 0, markets: { btcusdc: {} }, chain }),
      runtime,
    );
    const server = await serveExchange(open.exchange);
    embedded = { server, close: () => server.close().then(() => open.close()) };
    expect(await registering(KEYS[0], false, requestTimeoutMs)).toMatchObject({
      registered: true,
      isNew: true,
    });
    expect(await registering(KEYS[0], false, requestTimeoutMs)).toMatchObject({
      registered: true,
      isNew: false,
    });
  });

  it("does not take a missing creation time for a new account", async () => {
    embedded = await startEmbedded();
    expect(await registering(KEYS[1], true)).toMatchObject({
      registered: false,
      isNew: false,
      createdAtMs: undefined,
      said: [
        expect.any(String),
        expect.stringContaining("does not report when it created the account"),
      ],
    });
    const broken = new FormatError("not a time", {
      field: "account.createdAt",
      value: "soon",
      expected: "milliseconds",
    });
    const log = createLog({ write: () => {} }, { level: "info", clock: runtime.clock });
    expect(await readAccountCreation(() => Promise.reject(broken), log)).toBeUndefined();
  });
});
