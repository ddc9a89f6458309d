import { describe, expect, it } from "vitest";
import { cancelEverything } from "../../src/bot/run/cancel-everything.js";
import { ecdsaScheme } from "../../src/core/signing.js";
import { RestClient } from "../../src/exchange/rest-client.js";
import { ScriptedNetwork } from "./scripted-network.js";
import { BID, BOT_KEY, MARKET, Stage } from "./stage.js";

/** Cancels everything of a stage's account, as the command does beside the bot or after it. */
async function everythingIsCancelled(stage: Stage, markets: readonly string[] = [MARKET]) {
  const { clock, exchange, address, config } = stage;
  const network = new ScriptedNetwork(exchange, clock, "10.0.0.3");
  const client = new RestClient({ transport: network, nowMs: () => clock.nowMs(), signer: ecdsaScheme.signer(BOT_KEY), timeoutMs: 5_000 });
  const untilMs = config.exchange.signatureWindowMs;
  const report = cancelEverything({ client, clock, account: address, markets, notedHashes: new Set(), untilMs });
  await stage.passes(10_000);
  return report;
}

describe("cancel-all", () => {
  it("cancels in the market behind one that the exchange lists no more, and names that one", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.botIsKilled();

    const { found, left, failed } = await everythingIsCancelled(stage, ["goneusdc", MARKET]);

    expect(stage.quotes()).toEqual([]);
    expect(found.map(({ side }) => side).sort()).toEqual(["BUY", "SELL"]);
    expect(left).toEqual([]);
    expect(failed).toEqual([{ marketId: "goneusdc", why: expect.stringContaining("the exchange has no such market") }]);
  });

  it("neither calls an order cancelled that is wholly matched and waits for its settlement, nor waits for it", async () => {
    const stage = new Stage({ exchange: { settlement: { delayMs: 60_000 } } });
    await stage.botStarts();
    stage.counterparty.sells(10, BID);
    stage.botIsKilled();

    const { found, left } = await everythingIsCancelled(stage);

    expect(found.map(({ side, availableBase }) => `${side} ${availableBase}`)).toEqual(["SELL 0.01"]);
    expect(left).toEqual([]);
  });

  it("says of a bot that runs on that it places again", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const { foundLater } = await everythingIsCancelled(stage, ["goneusdc", MARKET]);
    expect(foundLater).toBeGreaterThan(0);
    await stage.botStops();
  });
});
