import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createAccountSigner } from "#bot/account-key.js";
import { loadBotConfig } from "#bot/config.js";
import { startBot } from "#bot/run-bot.js";
import type { RunningBot } from "#bot/running-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import { createLog } from "#monitoring/log.js";
import { type Embedded, KEYS, startEmbedded } from "../exchange/client/embedded.js";

const OWNER = ecdsaScheme.signer(KEYS[0]).address;
const OPERATOR = ecdsaScheme.signer(KEYS[1]).address;
const MARKET = "btcusdc";

let embedded: Embedded;
let running: RunningBot | undefined;
afterEach(async () => {
  if (running !== undefined) {
    running.command({ command: "stop", reason: "the test is over" });
    await running.stopped;
    running.close();
    running = undefined;
  }
  await embedded.close();
});

/** A bot that quotes for the owner's account with the operator's key. */
function start(): Promise<RunningBot> {
  const runtime = createLiveRuntime();
  const example = loadBotConfig(
    fileURLToPath(new URL("../../config/minimal.yaml", import.meta.url)),
    {},
    { key: "unused" },
  );
  return startBot({
    config: {
      ...example,
      account: { ...example.account, address: OWNER },
      exchange: {
        ...example.exchange,
        rest: embedded.server.restUrl,
        stream: embedded.server.streamUrl,
        maxGasFeeRate: "0.5",
      },
    },
    privateKey: KEYS[1],
    runtime,
    store: new MemoryStateStore(),
    log: createLog({ write: () => undefined }, { level: "silent", clock: runtime.clock }),
  });
}

describe("a bot that is another account's operator", () => {
  it("quotes for that account, with server-built orders below the waiver", async () => {
    embedded = await startEmbedded({
      accounts: { [OWNER]: { operators: [OPERATOR] } },
      // Far above the size of the bot's orders: without the build's token each of them would be
      // refused.
      choices: { waiveGasFeeMinimumAmount: "100000" },
    });
    const owner = await embedded.trader(KEYS[0]);
    const other = await embedded.trader(KEYS[2], { orders: { maxGasFeeRate: "0.5" } });
    await other.client.place({ marketId: MARKET, side: "BUY", amount: "0.1", price: "29990" });
    await other.client.place({ marketId: MARKET, side: "SELL", amount: "0.1", price: "30010" });
    running = await start();
    let resting: readonly string[] = [];
    for (let turn = 0; turn < 600 && new Set(resting).size < 2; turn += 1) {
      await sleep(50);
      resting = (await owner.client.openOrders({ marketId: MARKET })).map(({ side }) => side);
    }
    expect(new Set(resting)).toEqual(new Set(["BUY", "SELL"]));
    const [order] = await owner.client.openOrders({ marketId: MARKET });
    expect(order?.json.signer).toBe(OWNER.toLowerCase());
    expect(running.account).toBe(OWNER);
  });

  it("cannot register that account, and says who can", async () => {
    embedded = await startEmbedded({ accounts: { [OWNER]: { operators: [OPERATOR] } } });
    await expect(start()).rejects.toThrow(RunError);
    await expect(start()).rejects.toThrow(
      /account\.address.*its own key has registered, and whose operator this key is/,
    );
  });

  it("uses the account's address, whichever key signs", async () => {
    embedded = await startEmbedded();
    expect(createAccountSigner({ address: OWNER.toLowerCase() }, KEYS[1]).address).toBe(OWNER);
    expect(createAccountSigner({}, KEYS[1]).address).toBe(OPERATOR);
  });
});
