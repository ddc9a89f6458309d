import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { loadBotConfig } from "../../src/bot/config/config.js";
import { PEAK_FILE } from "../../src/bot/equity-watch.js";
import { isRegistered } from "../../src/bot/run/registration.js";
import { MemoryStateStore } from "../../src/bot/state/state-dir.js";
import { liveSeam } from "../../src/core/live-seam.js";
import { ecdsaScheme } from "../../src/core/signing.js";
import type { Hex } from "../../src/core/units.js";
import { NetworkTransport } from "../../src/exchange/network-transport.js";
import { RestClient } from "../../src/exchange/rest-client.js";
import { logTo } from "../../src/monitoring/log.js";
import { type Embedded, KEYS, startEmbedded } from "../exchange/client/embedded.js";

const CONFIG = loadBotConfig(fileURLToPath(new URL("../../config/minimal.yaml", import.meta.url)), {}, { key: "unused" });

let embedded: Embedded;
afterEach(() => embedded.close());

/** Registers the account of a key, and gives what the log says of it. */
async function registering(key: Hex, store: MemoryStateStore): Promise<string[]> {
  const seam = liveSeam();
  const { restUrl, streamUrl } = embedded.server;
  const network = new NetworkTransport({ restUrl, streamUrl, clock: seam.clock });
  const client = new RestClient({
    transport: network,
    signer: ecdsaScheme.signer(key),
    nowMs: () => seam.clock.nowMs(),
    timeoutMs: 10_000,
  });
  const lines: string[] = [];
  const log = logTo({ write: (line) => lines.push(line) }, { level: "info", clock: seam.clock });
  try {
    expect(await isRegistered(client, { config: CONFIG, log, store })).toBe(true);
  } finally {
    network.close();
  }
  return lines.map((line) => JSON.parse(line).msg);
}

describe("the registration of a bot's account", () => {
  it("says of a peak that is remembered where the exchange knows no such account: what it halts for is no loss", async () => {
    embedded = await startEmbedded();
    const remembering = new MemoryStateStore();
    remembering.write(PEAK_FILE, "{}");
    const peak = expect.stringMatching(/did not know this account, whose peak .* `npx marketwright resume` counts from here/);
    expect(await registering(KEYS[0], remembering)).toEqual(["registered the account", peak]);
    expect(await registering(KEYS[0], remembering), "an account that is there has its own peak").toEqual([]);
    expect(await registering(KEYS[1], new MemoryStateStore()), "a first run").toEqual(["registered the account"]);
  });
});
