import { type BlockHeader, nextBaseFeeWei } from "../chain/blocks/block-header.js";
import type { CreditUnits } from "../core/units.js";
import type { TakeoverInFlight } from "./liquidation-executor.js";
import type { PlanInput, Victim } from "./plan/plan-input.js";
import { projectMarkets, projectOwnAccount } from "./project-own-account.js";
import type { TakeoverDeps } from "./takeover-deps.js";
import type { Confirmation } from "./watch/candidate.js";
import { marginMarkets } from "./watch/margin-markets.js";
import { takeoverMarkets } from "./watch/victims.js";

/**
 * Gas of a liquidation: 246,000 with one position of the victim, some 20,000 for each more on
 * either side (docs/reference/protocol.md#gas, with an oracle adaptor).
 */
const GAS_FIRST = 250_000n;
const GAS_EACH = 20_000n;

/** The inputs that are known at the moment of planning. */
export interface PlanMoment {
  readonly confirmation: Confirmation;
  /** Accounts to plan for. If empty, one account with a single position is assumed. */
  readonly victims: readonly Victim[];
  readonly inFlight: readonly TakeoverInFlight[];
  readonly creditPerEth: CreditUnits;
  /** The newest block, for the price of gas. */
  readonly latest: BlockHeader;
  /** Starting tip of takeovers, wei per gas. */
  readonly tipWei: bigint;
}

/**
 * Collects everything that a plan made now depends on; undefined while the own account cannot be
 * read. It awaits nothing, so the plan and its reservations see the orders and positions of this
 * moment.
 */
export function buildPlanInput(
  { venue, settings }: Pick<TakeoverDeps, "venue" | "settings">,
  { confirmation, victims, inFlight, creditPerEth, tipWei, latest }: PlanMoment,
): PlanInput | undefined {
  const { own, blockNumber } = confirmation;
  if (own.kind === "unreadable") return undefined;
  const positions =
    own.margin.papers.size + Math.max(1, ...victims.map(({ margin }) => margin.papers.size));
  return {
    own: projectOwnAccount({
      margin: own.margin,
      blockNumber,
      inFlight,
      markets: marginMarkets(confirmation.markets),
      limits: venue.accountLimits,
      settings,
      unwindingCredit: venue.unwindingCredit(),
    }),
    markets: projectMarkets(takeoverMarkets(confirmation, venue.markets()), inFlight),
    gas: {
      gasPerTakeover: GAS_FIRST + GAS_EACH * BigInt(Math.max(0, positions - 1)),
      feePerGasWei: nextBaseFeeWei(latest) + tipWei,
      extraWei: settings.l1FeeWei,
      creditPerEth,
    },
    rules: settings.rules,
  };
}
