import { describe, expect, it } from "vitest";
import { ChainRpc } from "#chain/chain-rpc.js";
import { DealerReader } from "#chain/dealer-reader.js";
import { seededRandom } from "#core/seeded-random.js";
import { checkOperatorRight } from "#liquidator/check-operator-right.js";
import { LiquidatingStage, LONG, OWN, PRICE } from "../scenarios/liquidating-stage.js";
import { FAIR, faultyNode } from "./simulation/faulty-node.js";
import { COIN, DEALER, USD } from "./simulation/ground.js";

describe("the own account", () => {
  it("without margin takes nothing over, gives the reason, and burns no gas", async () => {
    const stage = await LiquidatingStage.open({ own: 0n });
    await stage.price(56_000);
    const wei = await stage.wei();
    stage.starts();
    await stage.blocks(4);
    expect(stage.process.ledger.open).toMatchObject([
      { outcome: "open", reason: "the own margin less its buffer has no room for a lot" },
    ]);
    expect(await stage.nonces()).toBe(0);
    expect(await stage.wei()).toBe(wei);
    expect(await stage.stops()).toBe(0);
    // Taken by another meanwhile or not: nothing was possible.
    expect(stage.process.ledger.counts()).toMatchObject({
      seen: 1,
      confirmed: 1,
      won: 0,
      lost: 0,
      profitQuote: 0n,
    });
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

  it("whose key is not an operator sends nothing and burns no gas, however often it polls", async () => {
    const stage = await LiquidatingStage.open();
    await stage.price(56_000);
    const stranger = stage.ground.cast.rivals[1];
    const wei = await stage.wei(stranger);
    const nonce = await stage.nonce(stranger);
    stage.starts({ signer: stranger });
    await stage.blocks(5);
    expect(stage.process.ledger.open).toMatchObject([
      { reason: "JOJO_INVALID_LIQUIDATION_EXECUTOR" },
    ]);
    expect(stage.said.map(({ fields }) => fields.why)).toContain(
      "JOJO_INVALID_LIQUIDATION_EXECUTOR",
    );
    expect(await stage.nonce(stranger)).toBe(nonce);
    expect(await stage.wei(stranger)).toBe(wei);
    expect(await stage.held()).toEqual({ paper: 0n, credit: OWN });
    expect(await stage.stops()).toBe(0);
  });

  it("is the account whose operator the key is, not the key's own", async () => {
    const stage = await LiquidatingStage.open();
    const operator = stage.ground.cast.rivals[1];
    const { liquidator } = stage.ground.cast;
    const data = DEALER.encodeFunctionData("setOperator", [operator.address, true]);
    await stage.ground.chain.send({
      from: liquidator,
      to: stage.ground.open.addresses.dealer,
      data,
      gas: 100_000,
    });
    await stage.price(56_000);
    await stage.blocks();
    const wei = await stage.wei(operator);
    stage.starts({ signer: operator });
    await stage.blocks(2);
    expect(stage.opportunity()).toMatchObject({
      outcome: "won",
      gasWei: wei - (await stage.wei(operator)),
    });
    expect(await stage.held()).toEqual({ paper: COIN, credit: OWN - PRICE });
    expect(await stage.paper(operator)).toBe(0n);
    expect(await stage.stops()).toBe(0);
  });
});

describe("the right of the key to act for the account", () => {
  it("is reported as an error with the fix if it is missing, and not mentioned otherwise", async () => {
    const stage = await LiquidatingStage.open();
    const { cast, open, chain } = stage.ground;
    const [account, operator] = [cast.liquidator.address, cast.rivals[1].address];
    const node = faultyNode("node", stage.builder, stage.clock, seededRandom("node"), () => FAIR);
    const rpc = new ChainRpc({ urls: [node], chainId: 31_337, clock: stage.clock });
    const reader = new DealerReader(rpc, open.addresses.dealer);
    const nowhere = new DealerReader(rpc, `0x${"12".repeat(20)}`).domainSeparator();
    await expect(
      stage.clock.runThrough(nowhere, 10_000),
      "another chain of the same id",
    ).rejects.toMatchObject({ field: "chain.rpc" });
    const said: unknown[] = [];
    const tell = (sender: string) =>
      stage.clock.runThrough(
        checkOperatorRight(reader, account, sender, (...all) => said.push(all)),
        10_000,
      );
    await tell(account.toLowerCase());
    expect(said).toEqual([]);
    await tell(operator);
    expect(said).toEqual([
      [
        "error",
        "the key may not act for the account on the chain: the liquidator only watches",
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
