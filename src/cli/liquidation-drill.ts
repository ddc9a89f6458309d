import { parseReceipt } from "../chain/blocks/transaction-receipt.js";
import { liquidateCall } from "../chain/calls/liquidate.js";
import { LensReader } from "../chain/contracts/lens-reader.js";
import { ChainRpc } from "../chain/rpc/chain-rpc.js";
import { anyResult } from "../chain/rpc/rpc-values.js";
import { ceilDivide } from "../core/bigints.js";
import { RunError } from "../core/errors.js";
import type { Clock } from "../core/runtime/runtime.js";
import type { Hex } from "../core/units.js";
import type { PlanInput, TakeoverMarket } from "../liquidator/plan/plan-input.js";
import { planTakeover } from "../liquidator/plan/plan-takeover.js";
import { type OwnAccountInput, projectOwnAccount } from "../liquidator/project-own-account.js";
import { findTakeover } from "../liquidator/receipt-takeover.js";
import type { Candidate, Confirmation } from "../liquidator/watch/candidate.js";
import { Confirmer } from "../liquidator/watch/confirmer.js";
import { marginMarkets } from "../liquidator/watch/margin-markets.js";
import { findVictims, takeoverMarkets, type VenueMarket } from "../liquidator/watch/victims.js";
import type { Level } from "../market/book/readable-book.js";
import { BPS, ONE } from "../perpetual/fixed-point.js";
import type { MarginMarket } from "../perpetual/margin-account.js";
import type { ForkedEvm } from "../simulator/chain/forked-evm.js";

/** The result of simulating one account. Amounts are credit units. */
export interface DrillResult {
  readonly account: Hex;
  /** The market whose price was moved, the new price, and the distance. */
  readonly marketId: string;
  readonly brokenAtPrice: bigint;
  readonly movedBps: number;
  readonly outcome: "won" | "unprofitable" | "refused" | "reverted" | "unbroken";
  readonly detail: string;
  readonly requestPaper: bigint | undefined;
  readonly expectedProfit: bigint | undefined;
  /** Includes the gas of our own transaction. */
  readonly earned: bigint | undefined;
  readonly gasUsed: bigint | undefined;
}

/** Parts of the simulation. */
interface LiquidationDrillDeps {
  readonly fork: ForkedEvm;
  readonly chainId: number;
  readonly clock: Clock;
  readonly dealer: Hex;
  readonly lens: Hex;
  readonly gasCap: number;
  /** Account that takes over, and the signer. */
  readonly account: Hex;
  readonly sender: Hex;
  /** The exchange's data of its markets, books included, by perp. */
  readonly venue: ReadonlyMap<Hex, VenueMarket>;
  readonly plan: Pick<PlanInput, "gas" | "rules"> &
    Pick<OwnAccountInput, "limits"> &
    Omit<OwnAccountInput["settings"], "account">;
}

/** Beyond the liquidation price of an account, so that it is clearly unsafe. */
const BEYOND_BPS = 1n;
const GAS = "0x2dc6c0";

/**
 * Simulates liquidations on a copy of a chain. It moves the price of the market that makes an
 * account unsafe first, plans, and executes our own transaction. Books move by as much as the mark.
 * Each account is simulated from the same state.
 */
export class LiquidationDrill {
  readonly #options: LiquidationDrillDeps;
  readonly #rpc: ChainRpc;
  readonly #confirmer: Confirmer;

  constructor(options: LiquidationDrillDeps) {
    const { fork, chainId, clock, lens, dealer, gasCap } = options;
    this.#options = options;
    this.#rpc = new ChainRpc({
      urls: [{ name: "copy", call: (method, params) => fork.request(method, params) }],
      chainId,
      clock,
      // The copy has no new blocks while time passes.
      maxHeadAgeMs: Number.MAX_SAFE_INTEGER,
      headRefreshMs: 0,
      requestTimeoutMs: 60_000,
    });
    this.#confirmer = new Confirmer({
      rpc: this.#rpc,
      lens: new LensReader({ rpc: this.#rpc, lens, dealer, gasCap }),
    });
  }

  /** @throws RunError when the copy does not behave like a node. */
  async run(candidate: Candidate, markets: Confirmation["markets"]): Promise<DrillResult> {
    const snapshot = await this.#request("evm_snapshot", []);
    try {
      return await this.#run(candidate, markets);
    } finally {
      await this.#request("evm_revert", [snapshot]);
    }
  }

  async close(): Promise<void> {
    await this.#rpc.close();
  }

  async #run(
    { account, nearness, papers }: Candidate,
    markets: Confirmation["markets"],
  ): Promise<DrillResult> {
    const broken = breakingPrice(nearness, papers, markets);
    const common = {
      account,
      requestPaper: undefined,
      expectedProfit: undefined,
      earned: undefined,
      gasUsed: undefined,
    };
    if (broken === undefined)
      return {
        ...common,
        marketId: "",
        brokenAtPrice: 0n,
        movedBps: 0,
        outcome: "unbroken",
        detail: "no price of a single market makes it unsafe",
      };
    const { perp, price, mark, source } = broken;
    const movedBps = Number(((price - mark) * BPS * 100n) / mark) / 100;
    const at = {
      ...common,
      marketId: this.#options.venue.get(perp)?.marketId ?? perp,
      brokenAtPrice: price,
      movedBps,
    };
    if (price !== mark) await this.#request("hardhat_setCode", [source, constantCode(price)]);
    await this.#request("evm_mine", []);
    const confirmation = await this.#confirmer.confirm([account], this.#options.account);
    const { victims, refused } = findVictims(confirmation);
    const [victim] = victims;
    if (victim === undefined)
      return {
        ...at,
        outcome: "unbroken",
        detail: refused[0]?.detail ?? "it is still safe at that price",
      };
    const { own } = confirmation;
    if (own.kind === "unreadable") return { ...at, outcome: "refused", detail: own.revert.text };
    const { plan } = this.#options;
    const moved = new Map([[perp, { price, mark }]]);
    const decision = planTakeover(victim, {
      own: projectOwnAccount({
        margin: own.margin,
        blockNumber: confirmation.blockNumber,
        inFlight: [],
        markets: marginMarkets(confirmation.markets),
        limits: plan.limits,
        settings: { ...plan, account: this.#options.account },
        unwindingCredit: 0n,
      }),
      markets: movedBooks(takeoverMarkets(confirmation, this.#options.venue), moved),
      gas: plan.gas,
      rules: plan.rules,
    });
    if (decision.kind === "refused") return { ...at, outcome: "refused", detail: decision.detail };
    const { requestPaper, expected } = decision;
    const planned = { ...at, requestPaper, expectedProfit: expected.profitQuote };
    if (decision.kind === "unprofitable")
      return {
        ...planned,
        outcome: "unprofitable",
        detail: `less than the least profit, limited by ${decision.boundBy}`,
      };
    return this.#execute(planned, decision.perp, decision.expectCredit, requestPaper, expected);
  }

  async #execute(
    planned: Omit<DrillResult, "outcome" | "detail">,
    perp: Hex,
    expectCredit: bigint,
    requestPaper: bigint,
    expected: { readonly profitQuote: bigint; readonly gasQuote: bigint; readonly credit: bigint },
  ): Promise<DrillResult> {
    const { account, sender, dealer, plan } = this.#options;
    const call = liquidateCall({
      perp,
      liquidator: account,
      victim: planned.account,
      requestPaper,
      expectCredit,
    });
    try {
      await this.#rpc.request(
        "eth_call",
        [{ from: sender, ...call, gas: GAS }, "latest"],
        anyResult,
      );
    } catch (error) {
      return {
        ...planned,
        outcome: "reverted",
        detail: error instanceof Error ? error.message : String(error),
      };
    }
    await this.#request("hardhat_impersonateAccount", [sender]);
    const sent = await this.#options.fork.request("eth_sendTransaction", [
      { from: sender, ...call, gas: GAS },
    ]);
    // As every node does for a sender that cannot pay for the gas.
    if ("error" in sent) return { ...planned, outcome: "refused", detail: sent.error.message };
    const receipt = parseReceipt(await this.#request("eth_getTransactionReceipt", [sent.result]));
    if (receipt === null || receipt.isReverted)
      return { ...planned, outcome: "reverted", detail: "reverted in its block" };
    const taken = findTakeover(receipt, dealer, account.toLowerCase());
    if (taken === undefined)
      return { ...planned, outcome: "reverted", detail: "acquired no position" };
    const { feePerGasWei, creditPerEth } = plan.gas;
    const gasCredit = ceilDivide(receipt.gasUsed * feePerGasWei * creditPerEth, ONE);
    // The sale is as planned; the takeover's credit and the gas are the actual ones.
    const earned =
      expected.profitQuote + expected.gasQuote - gasCredit + taken.credit - expected.credit;
    return { ...planned, outcome: "won", detail: "", earned, gasUsed: receipt.gasUsed };
  }

  async #request(method: string, params: readonly unknown[]): Promise<unknown> {
    const outcome = await this.#options.fork.request(method, params);
    if ("error" in outcome)
      throw new RunError(`the copy of the chain refused ${method}: ${outcome.error.message}`);
    return outcome.result;
  }
}

/** The liquidation price with the smallest move, plus a basis point. */
function breakingPrice(
  { liquidationPrices, distanceBps }: Candidate["nearness"],
  papers: Candidate["papers"],
  markets: Confirmation["markets"],
) {
  let best: { perp: Hex; price: bigint; mark: bigint; source: Hex; distance: bigint } | undefined;
  for (const [perp, edge] of liquidationPrices) {
    const market = markets.get(perp);
    const paper = papers.get(perp) ?? 0n;
    if (market === undefined || !market.markPrice.ok || paper === 0n) continue;
    const mark = market.markPrice.creditPerCoin;
    // An account that is already unsafe needs no move: the price stays.
    if (edge === 0n && distanceBps > 0) continue;
    const beyond =
      distanceBps === 0
        ? undefined
        : paper > 0n
          ? edge - (edge * BEYOND_BPS) / BPS
          : edge + (edge * BEYOND_BPS) / BPS + 1n;
    const price = beyond ?? mark;
    const distance = price > mark ? price - mark : mark - price;
    const scaled = (distance * ONE) / mark;
    if (price > 0n && (best === undefined || scaled < best.distance))
      best = { perp, price, mark, source: market.markPriceSource, distance: scaled };
  }
  return best;
}

/** Code that returns one number from every call: it sets the price of any kind of price source. */
function constantCode(price: bigint): Hex {
  return `0x7f${price.toString(16).padStart(64, "0")}5f5260205ff3`;
}

/** A book is around its mark, so it moves with it. */
function movedBooks(
  markets: ReadonlyMap<Hex, TakeoverMarket>,
  moved: ReadonlyMap<Hex, { readonly price: bigint; readonly mark: bigint }>,
): Map<Hex, TakeoverMarket & MarginMarket> {
  return new Map(
    [...markets].map(([perp, market]) => {
      const by = moved.get(perp);
      if (by === undefined) return [perp, market];
      const shift = (levels: readonly Level[], round: (ticks: number) => number): Level[] =>
        levels.map(({ ticks, lots }) => ({
          ticks: Math.max(1, round((ticks * Number(by.price)) / Number(by.mark))),
          lots,
        }));
      return [
        perp,
        { ...market, bids: shift(market.bids, Math.floor), asks: shift(market.asks, Math.ceil) },
      ];
    }),
  );
}
