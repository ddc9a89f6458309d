import fc from "fast-check";
import { expect } from "vitest";
import { ceilDivide } from "#core/bigints.js";
import type { Signer } from "#core/signing.js";
import { estimateGasCost } from "#liquidator/gas-cost.js";
import { planPosition } from "#liquidator/plan-takeover.js";
import { TakeoverSizer } from "#liquidator/takeover-size.js";
import { BPS } from "#perpetual/fixed-point.js";
import { isSafe } from "#perpetual/margin.js";
import { reasonFor } from "../../contracts/evm.js";
import { COIN, type Market, signer } from "../../contracts/world.js";
import {
  BTC,
  type Danger,
  ETH,
  eventOf,
  figures,
  GAS,
  onlyVictim,
  perpOf,
  venueMarket,
} from "../danger.js";

const [victim, own, rest] = [signer(1), signer(2), signer(3)] as [Signer, Signer, Signer];
const START = { btc: 30_000n, eth: 2_000n } as const;

const bps = (from: number, to: number) => fc.integer({ min: from, max: to });
const sign = fc.constantFrom(1n, -1n);
const size = fc.record({ lots: fc.integer({ min: 1, max: 300 }), sign });

/** An account in danger, a liquidator and a book, all at random. */
export const scenario = fc.record({
  // Of the liquidated market: discount and fee within maintenance margin, as the dealer requires.
  ratios: fc.record({
    maintenance: bps(100, 800),
    discount: bps(5, 100),
    fee: bps(0, 100),
    initial: bps(100, 1_500),
  }),
  victim: size,
  /** A second position of the victim's, in the other market. */
  second: fc.option(size),
  own: fc.option(size),
  /** Dollars of the own account. */
  ownCredit: fc.integer({ min: 200, max: 60_000 }),
  /** Distance of the victim's price beyond its liquidation price. */
  beyondBps: bps(1, 1_500),
  funding: fc.integer({ min: -20_000_000, max: 20_000_000 }),
  book: fc.array(fc.record({ stepBps: bps(0, 20), lots: fc.integer({ min: 1, max: 200 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
  /** Distance of the book's best price from the mark. */
  offsetBps: bps(-60, 60),
  buffer: bps(0, 10_000),
  reserve: bps(0, 30),
  minProfit: fc.integer({ min: 0, max: 3_000_000 }),
});

/** Counts of the kinds of outcome. */
export class Outcomes {
  plans = 0;
  unprofitable = 0;
  refused = 0;
  partial = 0;
  netted = 0;
  badDebt = 0;
  shorts = 0;
  readonly bounds = new Set<string>();

  /** Random scenarios that miss a kind of outcome show nothing of it. */
  requireAll(): void {
    for (const count of [
      this.plans,
      this.unprofitable,
      this.partial,
      this.netted,
      this.badDebt,
      this.shorts,
    ])
      expect(count).toBeGreaterThan(0);
    expect([...this.bounds].sort()).toEqual(["depth", "margin", "position"]);
  }
}

export type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/**
 * The counterparty of all openings gets its credit, and the state is saved that each scenario
 * begins with.
 */
export async function prepare({ world }: Danger): Promise<void> {
  await world.deposit(rest, 1_000_000_000n);
  await world.evm.save();
}

/**
 * Plans one scenario's takeover and sends it: the contracts must do exactly what the plan
 * predicted.
 */
export async function expectOutcome(danger: Danger, what: Scenario, seen: Outcomes): Promise<void> {
  const { world } = danger;
  await world.evm.restore();
  const market = world.btc;
  await setUp(danger, what);
  const confirmation = await danger.confirm(own, victim);
  if (confirmation.accounts[0]?.kind !== "read" || confirmation.accounts[0].isSafe) return;
  const target = onlyVictim(confirmation);
  const venue = {
    ...venueMarket(BTC, bookOf(what, confirmation.markets.get(perpOf(market))?.markPrice)),
    limits: {},
  };
  const rules = {
    marginBufferBps: what.buffer,
    unwindReserveBps: what.reserve,
    minProfitCredit: BigInt(what.minProfit),
  };
  const input = danger.input(confirmation, [[market, venue]], rules);
  const decision = planPosition(target, perpOf(market), input);
  if (decision.kind !== "takeover") {
    seen[decision.kind] += 1;
    if (decision.kind === "unprofitable") {
      expect(decision.shortOfQuote).toBe(input.rules.minProfitCredit - decision.worstProfitQuote);
      expect(decision.shortOfQuote).toBeGreaterThan(0n);
    }
    return;
  }
  seen.plans += 1;
  seen.bounds.add(decision.boundBy);
  const { requestPaper, expectCredit, expected, ownAfter } = decision;

  // The plan is consistent in itself.
  const gasCeiling = ceilDivide(decision.maxCostWei * GAS.creditPerEth, 10n ** 18n);
  expect(decision.worstProfitQuote).toBe(input.rules.minProfitCredit);
  expect(gasCeiling).toBeGreaterThanOrEqual(expected.gasQuote);
  expect(expected.profitQuote).toBe(
    expected.discountQuote - expected.takerFeeQuote - expected.slippageQuote - expected.gasQuote,
  );
  expect(expected.profitQuote).toBeGreaterThanOrEqual(input.rules.minProfitCredit);
  expect(expected.credit).toBeGreaterThanOrEqual(expectCredit);

  // The contract's own bound, to the unit.
  await danger.simulate(market, own, victim.address, requestPaper, expected.credit);
  expect(
    await reasonFor(
      danger.simulate(market, own, victim.address, requestPaper, expected.credit + 1n),
    ),
  ).toBe("LIQUIDATION_PRICE_PROTECTION");

  // The margin and its buffer, after gas and the unwind's worst.
  const net = ownAfter.netValueCredit - decision.reservedQuote;
  const needed =
    ownAfter.maintenanceMarginCredit +
    ceilDivide(ownAfter.maintenanceMarginCredit * BigInt(what.buffer), BPS);
  const roomBefore =
    input.own.margin.netValueCredit -
    input.own.margin.maintenanceMarginCredit -
    ceilDivide(input.own.margin.maintenanceMarginCredit * BigInt(what.buffer), BPS);
  expect(net - needed).toBeGreaterThanOrEqual(roomBefore < 0n ? roomBefore : 0n);
  const lot = BTC.paperPerLot * (requestPaper > 0n ? 1n : -1n);
  const { credit: gas } = estimateGasCost(GAS);
  const position = target.margin.papers.get(perpOf(market)) as bigint;
  const sizer = new TakeoverSizer(input.markets.get(perpOf(market)) as never, position, input, gas);
  if (decision.boundBy === "margin") expect(sizer.findBreached(requestPaper + lot)).toBe("margin");
  if (decision.boundBy === "position")
    expect(
      requestPaper + lot > 0n ? requestPaper + lot > position : requestPaper + lot < position,
    ).toBe(true);
  if (decision.boundBy === "depth") {
    const more = planPosition(
      {
        ...target,
        margin: { ...target.margin, papers: new Map([[perpOf(market), requestPaper + lot]]) },
      },
      perpOf(market),
      input,
    );
    expect(more).toMatchObject({ requestPaper });
  }

  // The contracts' actual result.
  const insuranceBefore = (await world.credit(world.insurance))[0];
  const held = (await world.balance(market, own))[0];
  const receipt = await danger.take(market, decision, own);
  expect(eventOf(receipt, "JoinLiquidation").slice(3, 5)).toEqual([requestPaper, expected.credit]);
  expect(eventOf(receipt, "ChargeInsurance")[2]).toBe(expected.insuranceFee);
  expect(await danger.riskOf(own.address)).toEqual(figures(ownAfter));
  expect((await world.balance(market, own))[0]).toBe(ownAfter.papers.get(perpOf(market)) ?? 0n);
  expect(isSafe(ownAfter)).toBe(true);
  if (decision.victimAfter === undefined) {
    seen.badDebt += 1;
    expect(await world.credit(victim)).toEqual([0n, 0n]);
  } else {
    expect(await danger.riskOf(victim.address)).toEqual(figures(decision.victimAfter));
    expect((await world.credit(world.insurance))[0] - insuranceBefore).toBe(expected.insuranceFee);
    if (decision.victimAfter.papers.has(perpOf(market))) seen.partial += 1;
  }
  expect(await world.isSafe(victim)).toBe(decision.isCured);
  if (held !== 0n && held > 0n !== requestPaper > 0n) seen.netted += 1;
  if (requestPaper < 0n) seen.shorts += 1;
}

/**
 * Opens the positions at fair prices, with just the credit that the edge needs, and moves the price
 * beyond it.
 */
async function setUp(danger: Danger, what: Scenario): Promise<void> {
  const { world } = danger;
  const { maintenance, discount, fee, initial } = what.ratios;
  const of = (value: number) => (BigInt(value) * COIN) / BPS;
  const kept = Math.min(discount + fee, maintenance) - Math.min(discount, maintenance);
  const ratios = {
    initial: of(initial),
    maintenance: of(maintenance),
    discount: of(Math.min(discount, maintenance)),
    insuranceFee: of(kept),
  };
  await world.list(world.btc, "btcusdc", ratios);
  const notional = BigInt(what.victim.lots) * 30n + BigInt(what.second?.lots ?? 0) * 20n;
  await world.deposit(victim, notional / 8n + 20n);
  await world.deposit(own, BigInt(what.ownCredit));
  await openLots(danger, world.btc, victim, what.victim, BTC.paperPerLot, START.btc);
  if (what.second !== null)
    await openLots(danger, world.eth, victim, what.second, ETH.paperPerLot, START.eth);
  const ownNotional = BigInt(what.own?.lots ?? 0) * 30n;
  if (what.own !== null && ownNotional < BigInt(what.ownCredit) * 4n)
    await openLots(danger, world.btc, own, what.own, BTC.paperPerLot, START.btc);
  await world.dealer.send(
    world.owner,
    "updateFundingRate",
    [world.btc.perp.address],
    [BigInt(what.funding)],
  );
  const edge = (await world.dealer.read(
    "getLiquidationPrice",
    victim.address,
    world.btc.perp.address,
  )) as bigint;
  if (edge === 0n) return;
  const moved = (edge * BigInt(what.beyondBps)) / BPS + 2n;
  await world.setPrice(world.btc, what.victim.sign > 0n ? edge - moved : edge + moved);
}

async function openLots(
  danger: Danger,
  market: Market,
  trader: Signer,
  { lots, sign: side }: { lots: number; sign: bigint },
  lot: bigint,
  price: bigint,
) {
  const paper = BigInt(lots) * lot * side;
  const free = { makerFeeRate: 0n, takerFeeRate: 0n, price };
  await danger.world.trade(
    market,
    { trader, paper, ...free },
    { trader: rest, paper: -paper, ...free },
  );
}

/**
 * Levels away from the mark, on the side that the taken paper is unwound on; the other side one
 * tick further.
 */
function bookOf(
  { book, offsetBps, victim: { sign: side } }: Scenario,
  mark: { ok: boolean; creditPerCoin?: bigint } | undefined,
) {
  const best = Number(mark?.creditPerCoin ?? 0n) / 1e6 / BTC.tickQuote;
  const away = side > 0n ? -1 : 1;
  let bpsAway = -offsetBps;
  const levels = book.map(({ stepBps, lots }, i) => {
    bpsAway += i === 0 ? 0 : stepBps + 1;
    return { ticks: Math.max(1, Math.round(best * (1 + (away * bpsAway) / 10_000))), lots };
  });
  const near = [{ ticks: (levels[0]?.ticks ?? 1) - away, lots: 10 }];
  return side > 0n ? { bids: levels, asks: near } : { bids: near, asks: levels };
}
