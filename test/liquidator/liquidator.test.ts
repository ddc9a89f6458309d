import { describe, expect, it } from "vitest";
import { ChainRpc } from "../../src/chain/chain-rpc.js";
import { DealerReader } from "../../src/chain/dealer-reader.js";
import { scaledToDecimal } from "../../src/core/instrument.js";
import { seededRandom } from "../../src/core/seeded-random.js";
import { tellOperatorRight } from "../../src/liquidator/operator-right.js";
import { ETH, GWEI, LiquidatingStage, LONG } from "../scenarios/liquidating-stage.js";
import { FAIR, faultyNode } from "./simulation/faulty-node.js";
import { COIN, DEALER, USD } from "./simulation/ground.js";
import type { Parts } from "./simulation/process.js";

const OWN = 500_000n * USD;
/** What one coin long costs at 56,000, less the discount of a hundredth. */
const PRICE = 55_440n * USD;

describe("a dry run", () => {
  it("does all but send, and says what it would have taken over", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ dryRun: true });
    await stage.blocks(5);
    const { intended, atMs, ...rest } = stage.opportunity();
    expect(rest).toMatchObject({ outcome: "open", isRehearsed: true, marketId: "btcusdc" });
    expect(Object.keys(atMs)).toEqual(["seen", "confirmed", "planned", "simulated"]);
    expect(intended?.requestPaper).toBe(COIN);
    expect(stage.said, "once, however long it stays").toMatchObject([
      {
        text: "would take a position over",
        fields: { amountBase: "1", expectedProfitQuote: scaledToDecimal(intended?.expectedProfitQuote ?? 0n, 6), victim: rest.victim },
      },
    ]);
    expect(stage.process.ledger.counts()).toMatchObject({ seen: 1, confirmed: 1, wouldAct: 1, won: 0, profitQuote: 0n, gasWei: 0n });

    await stage.rivalTakes(COIN, GWEI);
    await stage.blocks(2);
    expect(stage.opportunity()).toMatchObject({ outcome: "dry-run", lostTo: { winner: stage.rival.toLowerCase() } });
    expect(await stage.counted()).toEqual({ seen: 1, confirmed: 1, "dry-run": 1 });
    expect(await stage.nonces()).toBe(0);
    expect(stage.disk.records).toEqual([]);
    expect(await stage.held()).toEqual({ paper: 0n, credit: OWN });
    expect(await stage.stops()).toBe(0);
  });
});

describe("on a rollup, whose parent chain takes a fee of its own", () => {
  const expectedAt = async (l1FeeWei: bigint) => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ dryRun: true, settings: { l1FeeWei } });
    await stage.blocks(2);
    const [opportunity] = stage.process.ledger.open;
    expect(await stage.stops()).toBe(0);
    return opportunity;
  };

  it("earns by just that fee less, and takes nothing that it would eat", async () => {
    const [free, charged] = [await expectedAt(0n), await expectedAt(10n ** 16n)];
    // A hundredth of an ether at 3,000.
    expect((free?.intended?.expectedProfitQuote ?? 0n) - (charged?.intended?.expectedProfitQuote ?? 0n)).toBe(30_000_000n);
    const eaten = await expectedAt(10n ** 18n);
    expect(eaten?.intended).toBeUndefined();
    expect(eaten?.shortOfQuote ?? 0n).toBeGreaterThan(2_000_000_000n);
  });

  it("leaves the fee out of what gas may cost: both together stay within the bound", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    const l1FeeWei = 10n ** 16n;
    stage.starts({ settings: { l1FeeWei } });
    await stage.blocks(2);
    const { intended, outcome } = stage.opportunity();
    expect(outcome).toBe("won");
    const [job] = stage.process.lanes?.jobs() ?? [];
    expect(job?.job?.maxCostWei).toBe((intended?.maxCostWei ?? 0n) - l1FeeWei);
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });
});

describe("killed and started again", () => {
  it.each(["stored", "simulated", "sent", "mined", "final"])(
    "at '%s', it has taken the position over and handed it on once",
    async (step) => {
      const stage = await LiquidatingStage.open();
      await stage.price(56_000);
      await stage.blocks();
      let kills = 0;
      stage.starts({
        onStep: (kind) => {
          if (kind !== step || kills > 0) return;
          kills += 1;
          stage.isKilled();
        },
      });
      await stage.blocks(2);
      expect(kills).toBe(1);
      stage.starts();
      await stage.blocks(4);
      expect(await stage.nonces()).toBe(1);
      expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
      expect([...stage.desk.toldTimes.values()]).toEqual([1]);
      expect([...stage.desk.inherited.values()]).toMatchObject([{ marketId: "btcusdc", lots: 1_000, credit: -PRICE }]);
      expect(stage.ledger().filter(({ outcome }) => outcome === "won")).toHaveLength(1);
      expect(await stage.stops()).toBe(0);
      await stage.expectHonest();
    },
  );

  it("after the block and before the bot had it, the position is handed on by the next run, once", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ rework: (parts: Parts) => ({ ...parts, unwind: { ...parts.unwind, inherit: () => stage.isKilled() } }) });
    await stage.blocks(2);
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(stage.desk.inherited.size).toBe(0);
    stage.starts();
    await stage.blocks(2);
    expect([...stage.desk.toldTimes.values()]).toEqual([1]);
    expect(stage.opportunity()).toMatchObject({ outcome: "won", takenOver: { lots: 1_000, credit: -PRICE } });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });

  it("while the chain takes the block back, the position is taken back from the bot, and is what the new block says", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ plan: { confirmations: 3 } });
    await stage.blocks(2);
    const [first = ""] = stage.desk.inherited.keys();
    expect(first).not.toBe("");
    stage.isKilled();
    await stage.reorg(2);
    stage.starts({ plan: { confirmations: 3 } });
    await stage.blocks(5);
    expect([...stage.desk.toldTimes.values()]).toEqual([1, 1]);
    expect(stage.desk.inherited.has(first)).toBe(false);
    expect([...stage.desk.inherited.keys()]).toEqual([stage.opportunity().takenOver?.id]);
    expect(await stage.nonces()).toBe(1);
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });
});

describe("a reorganisation deeper than what was waited for", () => {
  it("is said loudly, the position taken back from the bot, and what the other branch has of it handed on once", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ plan: { confirmations: 2 } });
    await stage.blocks(4);
    const [first = ""] = stage.desk.inherited.keys();
    expect(stage.opportunity()).toMatchObject({ outcome: "won", takenOver: { id: first } });

    await stage.reorg(4);
    await stage.blocks(4);
    expect(stage.said.filter(({ level }) => level === "error")).toMatchObject([
      {
        text: "a reorganisation deeper than chain.confirmations took back what was final: it is followed again",
        fields: { was: "mined", hash: first.split("@")[0] },
      },
    ]);
    expect(stage.desk.inherited.has(first)).toBe(false);
    expect(stage.opportunity()).toMatchObject({ outcome: "won", takenOver: { lots: 1_000, credit: -PRICE } });
    expect([...stage.desk.inherited.keys()]).toEqual([stage.opportunity().takenOver?.id]);
    expect(await stage.nonces()).toBe(1);
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(stage.process.ledger.counts()).toMatchObject({ seen: 1, won: 1, open: 0 });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });

  it("that brought a rival before it is a race that was lost after all: nothing is being sold, and only the gas is paid", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts({ plan: { confirmations: 1 } });
    await stage.blocks(3);
    expect(stage.desk.inherited.size).toBe(1);

    // The pool of the other branch has the same, and somebody who pays more.
    const forked = stage.reorg(3);
    await stage.rivalTakes(COIN, 500n * GWEI);
    await forked;
    await stage.blocks(4);
    const { outcome, inheritedId, takenOver, gasWei } = stage.opportunity();
    expect([outcome, inheritedId, takenOver]).toEqual(["lost", undefined, undefined]);
    expect(gasWei).toBeGreaterThan(0n);
    expect(stage.desk.inherited.size).toBe(0);
    expect(await stage.held()).toEqual({ paper: 0n, credit: OWN });
    expect(stage.process.ledger.counts()).toMatchObject({ won: 0, lost: 1, open: 0, gasWei });
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });
});

describe("the own account", () => {
  it("without margin takes nothing over, says why, and burns no gas", async () => {
    const stage = await LiquidatingStage.open({ own: 0n });
    await stage.price(56_000);
    const wei = await stage.wei();
    stage.starts();
    await stage.blocks(4);
    expect(stage.process.ledger.open).toMatchObject([{ outcome: "open", reason: "the own margin with its buffer has no room for a lot" }]);
    expect(await stage.nonces()).toBe(0);
    expect(await stage.wei()).toBe(wei);
    expect(await stage.stops()).toBe(0);
    // Taken by another meanwhile or not: nothing was possible.
    expect(stage.process.ledger.counts()).toMatchObject({ seen: 1, confirmed: 1, won: 0, lost: 0, profitQuote: 0n });
  });

  it("shares its margin between everything in flight: the second victim gets what the first leaves", async () => {
    const own = 2_000n;
    const stage = await LiquidatingStage.open({ own, openings: [LONG, { ...LONG, victim: 1 }] });
    await stage.price(56_000);
    await stage.blocks();
    stage.starts();
    await stage.passes(1_000);
    // Nothing is mined yet: both plans are of the same block.
    const asked = stage.ledger().flatMap(({ intended }) => intended?.requestPaper ?? []);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toBeGreaterThan(asked[1] ?? 0n);
    const together = asked.reduce((sum, paper) => sum + paper, 0n);
    expect(together).toBeLessThan(2n * COIN);
    await stage.blocks(1);
    // Maintenance of 3 % and the buffer of 5 % of the net value, at the mark, after both.
    const { paper, credit } = await stage.held();
    const value = (paper * 56_000n * USD) / COIN;
    const net = credit + value;
    expect(paper).toBe(together);
    expect((value * 3n) / 100n).toBeLessThanOrEqual((net * 95n) / 100n);
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });

  it("whose key is no operator's sends nothing and burns nothing, however often it looks", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    const stranger = stage.ground.cast.rivals[1];
    const wei = await stage.wei(stranger);
    const nonce = await stage.nonce(stranger);
    stage.starts({ signer: stranger });
    await stage.blocks(5);
    expect(stage.process.ledger.open).toMatchObject([{ reason: "JOJO_INVALID_LIQUIDATION_EXECUTOR" }]);
    expect(stage.said.map(({ fields }) => fields.why)).toContain("JOJO_INVALID_LIQUIDATION_EXECUTOR");
    expect(await stage.nonce(stranger)).toBe(nonce);
    expect(await stage.wei(stranger)).toBe(wei);
    expect(await stage.held()).toEqual({ paper: 0n, credit: OWN });
    expect(await stage.stops()).toBe(0);
  });

  it("is that of the key's account, not the key's own, when the key is its operator's", async () => {
    const stage = await LiquidatingStage.open();
    const operator = stage.ground.cast.rivals[1];
    const { liquidator } = stage.ground.cast;
    const data = DEALER.encodeFunctionData("setOperator", [operator.address, true]);
    await stage.ground.chain.send({ from: liquidator, to: stage.ground.open.addresses.dealer, data, gas: 100_000 });
    await stage.price(56_000);
    await stage.blocks();
    const wei = await stage.wei(operator);
    stage.starts({ signer: operator });
    await stage.blocks(2);
    expect(stage.opportunity()).toMatchObject({ outcome: "won", gasWei: wei - (await stage.wei(operator)) });
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(await stage.paper(operator)).toBe(0n);
    expect(await stage.stops()).toBe(0);
  });
});

describe("the right of the key to act for the account", () => {
  it("is told as an error where it is missing, with what would be right, and as nothing where it is there", async () => {
    const stage = await LiquidatingStage.open();
    const { cast, open, chain } = stage.ground;
    const [account, operator] = [cast.liquidator.address, cast.rivals[1].address];
    const node = faultyNode("node", stage.builder, stage.clock, seededRandom("node"), () => FAIR);
    const rpc = new ChainRpc({ urls: [node], chainId: 31_337, clock: stage.clock });
    const reader = new DealerReader(rpc, open.addresses.dealer);
    const nowhere = new DealerReader(rpc, `0x${"12".repeat(20)}`).domainSeparator();
    await expect(stage.clock.runThrough(nowhere, 10_000), "another chain of the same id").rejects.toMatchObject({ field: "chain.rpc" });
    const said: unknown[] = [];
    const tell = (sender: string) =>
      stage.clock.runThrough(
        tellOperatorRight(reader, account, sender, (...all) => said.push(all)),
        10_000,
      );
    await tell(account.toLowerCase());
    expect(said).toEqual([]);
    await tell(operator);
    expect(said).toEqual([
      [
        "error",
        "the key is no operator of the account on the chain: the liquidator only watches",
        { account, sender: operator, expected: `setOperator(${operator}, true) by ${account}` },
      ],
    ]);
    const data = DEALER.encodeFunctionData("setOperator", [operator, true]);
    await chain.send({ from: cast.liquidator, to: open.addresses.dealer, data, gas: 100_000 });
    await stage.blocks(5);
    await tell(operator);
    expect(said).toHaveLength(1);
    await rpc.close();
  });
});

describe("several markets", () => {
  it("are taken over in turn from one account, the most profitable first, each once", async () => {
    const openings = [LONG, { victim: 0, market: ETH, paper: 10n * COIN, price: 3_000n * USD }];
    const stage = await LiquidatingStage.open({ openings, victims: [7_000n] });
    await stage.price(54_000);
    await stage.price(2_900, ETH);
    stage.starts();
    await stage.blocks(8);
    const won = stage.ledger().filter(({ outcome }) => outcome === "won");
    expect(won[0]?.marketId).toBe("btcusdc");
    expect(await stage.paper()).toBe(COIN);
    expect(await stage.nonces()).toBe(won.length);
    expect(stage.desk.inherited.size).toBe(won.length);
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });

  it("one with a stale price makes the accounts that are in it unreadable, and holds up nobody else", async () => {
    const openings = [LONG, { ...LONG, victim: 1 }, { victim: 1, market: ETH, paper: COIN, price: 3_000n * USD }];
    const stage = await LiquidatingStage.open({ openings });
    await stage.price(56_000);
    await stage.heartbeat(1n, ETH);
    await stage.blocks(2);
    stage.starts();
    await stage.blocks(3);
    const won = stage.ledger().filter(({ outcome }) => outcome === "won");
    expect(won).toMatchObject([{ victim: stage.ground.victim(0).address.toLowerCase() }]);
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    await stage.heartbeat(10n ** 9n, ETH);
    await stage.blocks(6);
    expect(await stage.paper(), "its price is back, and so is the other account").toBe(2n * COIN);
    expect(await stage.stops()).toBe(0);
    expect(await stage.nonces()).toBe(stage.desk.inherited.size);
  });
});

describe("a stop", () => {
  it("with a takeover in flight cancels it at its own nonce, waits for the end, and leaves nothing", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts();
    await stage.passes(1_000);
    expect(stage.process.view().inFlight).toHaveLength(1);
    expect(await stage.stops()).toBe(0);
    expect(stage.process.view().paused).toBe("stopping");
    expect(stage.opportunity()).toMatchObject({ outcome: "refused", reason: expect.stringContaining("cancelled") });
    expect(await stage.nonces()).toBe(1);
    expect(await stage.held()).toEqual({ paper: 0n, credit: OWN });
    expect(stage.desk.inherited.size).toBe(0);
    await stage.expectHonest();
  });

  it("whose time is over before the chain says says what it leaves, and the next run takes it up", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    await stage.blocks();
    stage.starts();
    await stage.passes(1_000);
    // No block comes.
    expect(await stage.clock.runThrough(stage.process.stop(3_000), 10_000)).toBe(1);
    stage.starts();
    await stage.blocks(3);
    expect(stage.troubles()).toContain("an earlier run's takeover is still under way");
    const taken = await stage.paper();
    expect(stage.desk.inherited.size).toBe(taken === 0n ? 0 : 1);
    expect(await stage.stops()).toBe(0);
    await stage.expectHonest();
  });
});
