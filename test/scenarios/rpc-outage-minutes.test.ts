import { expect, it } from "vitest";
import { FAIR, type NodeWeather } from "../liquidator/simulation/faulty-node.js";
import { COIN } from "../liquidator/simulation/ground.js";
import { BLOCK_MS, LiquidatingStage, OWN, PRICE } from "./liquidating-stage.js";

const OUTAGE_BLOCKS = 75;

const KINDS: readonly (readonly [
  name: string,
  weather: (blocksIn: number) => NodeWeather,
  why: RegExp,
])[] = [
  [
    "that does not answer",
    () => ({ ...FAIR, requestLost: 1 }),
    /no answer within|its head is \d+ ms old/,
  ],
  [
    "that refuses everything",
    () => ({ ...FAIR, refused: 1 }),
    /too many requests|its head is \d+ ms old/,
  ],
  [
    "that stands still",
    (blocksIn) => ({ ...FAIR, lagBlocks: blocksIn }),
    /its head is \d+ ms old, allowed 15000/,
  ],
];

it.each(KINDS)(
  "an RPC %s for minutes: nothing is believed and nothing sent, it is said, and what is true afterwards is acted on",
  async (_, weather, why) => {
    const stage = await LiquidatingStage.open();
    stage.starts();
    await stage.blocks(3);
    const before = stage.said.length;
    for (let blocksIn = 1; blocksIn <= OUTAGE_BLOCKS; blocksIn += 1) {
      stage.weather[0] = weather(blocksIn);
      // Within what is still believed of the last head nothing is wrong yet.
      if (blocksIn === 12) await stage.price(56_000);
      await stage.blocks();
    }
    const said = stage.said.slice(before);
    expect(
      said.filter(({ level }) => level !== "info").map(({ fields }) => String(fields.why)),
    ).toContainEqual(expect.stringMatching(why));
    expect(stage.ledger().filter(({ intended }) => intended !== undefined)).toEqual([]);
    expect(stage.disk.records).toEqual([]);
    expect(stage.process.rpc.report()).toMatchObject([
      { distrustReason: expect.stringMatching(why) },
    ]);

    // Half a minute: the longest that a failing RPC is left alone.
    stage.weather[0] = FAIR;
    await stage.blocks(30_000 / BLOCK_MS + 4);
    expect(stage.process.rpc.report()).toMatchObject([{ distrustReason: undefined }]);
    expect(stage.said).toContainEqual({
      level: "info",
      text: "the chain can be read again",
      fields: {
        afterSeconds: expect.toSatisfy((seconds: number) => seconds > 120 && seconds < 200),
        blockNumber: expect.any(Number),
      },
    });
    expect(stage.opportunity()).toMatchObject({ outcome: "won" });
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  },
);

it("an RPC that goes for two minutes right after a takeover was sent: whether it was mined is found out, and it is sold once", async () => {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  stage.starts({
    plan: { confirmations: 2 },
    onStep: (kind) => {
      if (kind === "sent") stage.weather[0] = { ...FAIR, answerLost: 1 };
    },
  });
  await stage.blocks(60);
  // The transaction came through although no answer did.
  expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
  expect([...stage.desk.acquired.values()]).toEqual([]);
  expect(stage.opportunity()).toMatchObject({ outcome: "open" });
  stage.weather[0] = FAIR;
  await stage.blocks(30_000 / BLOCK_MS + 4);
  expect([...stage.desk.acquired.values()]).toMatchObject([{ lots: 1_000, credit: -PRICE }]);
  expect(stage.opportunity()).toMatchObject({ outcome: "won", attempts: 1 });
  expect(await stage.nonces()).toBe(1);
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});
