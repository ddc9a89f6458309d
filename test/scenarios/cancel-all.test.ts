import { describe, expect, it } from "vitest";
import { CancelBudget } from "#bot/cancel-budget.js";
import { cancelEverything } from "#bot/cancel-everything.js";
import { ecdsaScheme } from "#core/signing.js";
import { RestClient } from "#exchange/rest-client.js";
import { ScriptedNetwork } from "./scripted-network.js";
import { BID, BOT_KEY, MARKET, Stage } from "./stage.js";

/**
 * Begins to cancel everything of a stage's account, as the command does beside the bot or after it.
 */
function everythingIsBeingCancelled(
  stage: Stage,
  markets: readonly string[],
  network = networkOf(stage),
  aheadMs = 0,
) {
  const { clock, address, config } = stage;
  const { requestTimeoutMs, signatureWindowMs } = config.exchange;
  const signer = ecdsaScheme.signer(BOT_KEY);
  let offMs = aheadMs;
  const client = new RestClient({
    transport: network,
    nowMs: () => clock.nowMs() + offMs,
    signer,
    timeoutMs: requestTimeoutMs,
  });
  const budget = new CancelBudget({ clock, fraction: 1 });
  const readClock = async () => {
    offMs = (await client.time()) - clock.nowMs();
  };
  const whose = { account: address, markets, serverBuiltHashes: new Set<string>() };
  return cancelEverything({
    client,
    clock,
    syncClock: readClock,
    budget,
    ...whose,
    giveUpAfterMs: signatureWindowMs,
  });
}

function networkOf({ exchange, clock }: Stage): ScriptedNetwork {
  return new ScriptedNetwork(exchange, clock, "10.0.0.3");
}

async function everythingIsCancelled(stage: Stage, markets: readonly string[] = [MARKET]) {
  const report = everythingIsBeingCancelled(stage, markets);
  await stage.passes(10_000);
  return report;
}

/** The market is the last of five. */
const FIVE = ["one", "two", "three", "four", MARKET];
const ASKED = ["exchangeInfo", "openOrders", "cancelAllOpenOrders"] as const;

describe("cancel-all", () => {
  it("cancels in the market behind one that the exchange lists no more, and names that one", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.botIsKilled();

    const { found, left, failed } = await everythingIsCancelled(stage, ["goneusdc", MARKET]);

    expect(stage.quotes()).toEqual([]);
    expect(found.map(({ side }) => side).sort()).toEqual(["BUY", "SELL"]);
    expect(left).toEqual([]);
    expect(failed).toEqual([
      { marketId: "goneusdc", why: expect.stringContaining("the exchange has no such market") },
    ]);
  });

  it("neither calls an order cancelled that is wholly matched and waits for its settlement, nor waits for it", async () => {
    const stage = new Stage({ exchange: { settlement: { delayMs: 60_000 } } });
    await stage.botStarts();
    stage.counterparty.sells(10, BID);
    stage.botIsKilled();

    const { found, left } = await everythingIsCancelled(stage);

    expect(found.map(({ side, availableBase }) => `${side} ${availableBase}`)).toEqual([
      "SELL 0.01",
    ]);
    expect(left).toEqual([]);
  });

  it("names what is open still where a line answers it without passing it on", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.botIsKilled();
    const network = networkOf(stage);
    network.every("cancelAllOpenOrders", { is: "answered by a wall", status: 204, body: "" });

    const report = everythingIsBeingCancelled(stage, [MARKET], network);
    await stage.passes(10_000);

    const { left } = await report;
    expect(left.map(({ orderId }) => orderId).sort()).toEqual(
      stage
        .resting()
        .map(({ terms }) => terms.id)
        .sort(),
    );
    expect(left).toHaveLength(2);
  });

  it("has the last of five markets empty after three requests' time at an exchange that is slow", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.botIsKilled();
    const network = networkOf(stage);
    for (const what of ASKED) network.every(what, { is: "request late", byMs: 1_500 });

    const cancelling = everythingIsBeingCancelled(stage, FIVE, network);
    await stage.passes(4_600);

    expect(stage.quotes()).toEqual([]);
    await stage.passes(20_000);
    expect(
      (await cancelling).found.map(({ marketId, side }) => `${marketId} ${side}`).sort(),
    ).toEqual(["btcusdc BUY", "btcusdc SELL"]);
  });

  it("says after two requests' time that the exchange has fallen silent, however many markets there are", async () => {
    const stage = new Stage();
    const network = networkOf(stage);
    for (const what of ASKED) network.every(what, { is: "request lost" });
    const said: string[] = [];
    everythingIsBeingCancelled(stage, FIVE, network).catch((error: Error) =>
      said.push(error.message),
    );
    await stage.passes(4_100);

    expect(said).toEqual(["GET /v1/exchangeInfo: no answer within 2000 ms"]);
    expect(
      network.sentOf("cancelAllOpenOrders").map(({ params }) => params.get("marketId")),
    ).toEqual(FIVE);
  });

  it.each([
    [
      "a maintenance page, told as a success",
      { is: "answered by a wall", status: 200, body: "<html>We are back in a moment.</html>" },
    ],
    [
      "a ban that ends in a moment",
      { is: "answered by a wall", status: 418, body: "", retryAfterMs: 1_000 },
    ],
  ] as const)(
    "is not ended by %s: the orders are taken down once the exchange works",
    async (_, fate) => {
      const stage = new Stage();
      await stage.botStarts();
      stage.botIsKilled();
      const network = networkOf(stage);
      const ends = ASKED.map((what) => network.every(what, fate));
      const cancelling = everythingIsBeingCancelled(stage, [MARKET], network);
      await stage.passes(2_500);
      for (const end of ends) end();
      await stage.passes(10_000);

      expect(await cancelling).toMatchObject({ left: [], failed: [] });
      expect(stage.quotes()).toEqual([]);
    },
  );

  it("is not ended by a clock of this machine that is a minute off: it reads the exchange's once that refuses it", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.botIsKilled();
    const cancelling = everythingIsBeingCancelled(stage, [MARKET], networkOf(stage), 60_000);
    await stage.passes(10_000);

    expect(await cancelling).toMatchObject({ left: [], failed: [] });
    expect(stage.quotes()).toEqual([]);
  });

  it("says of a bot that runs on that it places again", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const { foundLater } = await everythingIsCancelled(stage, ["goneusdc", MARKET]);
    expect(foundLater).toBeGreaterThan(0);
    await stage.botStops();
  });
});
