import { expect } from "vitest";
import type { Signer } from "#core/signing.js";
import type { PlanInput, PlanRules } from "#liquidator/plan-input.js";
import { planTakeover } from "#liquidator/plan-takeover.js";
import type { TakeoverPlan } from "#liquidator/takeover-plan.js";
import { COIN, signer, USD } from "../../contracts/world.js";
import { BTC, type Danger, flatBook, onlyVictim, venueMarket } from "../danger.js";

/**
 * The accounts: the one in danger, its counterparty, the liquidator, a competitor, and the
 * liquidator's operator.
 */
export const [victim, other, own, competitor, operator] = [1, 2, 3, 4, 5].map(signer) as [
  Signer,
  Signer,
  Signer,
  Signer,
  Signer,
];

/**
 * The account of the published cases: one coin at 30,000 with 10,000 of credit, long or short, at
 * the price that breaks it.
 */
export async function inDanger(
  { world }: Danger,
  sign: bigint,
  ownDollars = 100_000n,
): Promise<void> {
  for (const trader of [victim, other]) await world.deposit(trader, 5_000n, 5_000n);
  await world.deposit(own, ownDollars);
  if (sign > 0n) await world.open(world.btc, victim, other, COIN, 30_000n);
  else await world.open(world.btc, other, victim, COIN, 30_000n);
  await world.setPrice(world.btc, (sign > 0n ? 20_600n : 39_000n) * USD);
}

/** The plan for it, with a book of one price and any depth. */
export async function planned(
  danger: Danger,
  price: number,
  rules: Partial<PlanRules> = {},
): Promise<{ readonly plan: TakeoverPlan; readonly input: PlanInput }> {
  const confirmation = await danger.confirm(own, victim);
  const input = danger.input(
    confirmation,
    [[danger.world.btc, venueMarket(BTC, flatBook(BTC, price))]],
    rules,
  );
  return { plan: expectPlan(planTakeover(onlyVictim(confirmation), input)), input };
}

export function expectPlan(decision: { readonly kind: string }): TakeoverPlan {
  expect(decision).toMatchObject({ kind: "takeover" });
  return decision as TakeoverPlan;
}
