import type { LensReader, LiquidationCostRequest } from "../../chain/contracts/lens-reader.js";
import type {
  AccountRisk,
  ChainAccountBalances,
  ChainMarket,
  LiquidationCost,
} from "../../chain/contracts/lens-results.js";
import type { Revert } from "../../chain/contracts/revert.js";
import type { ChainRpc } from "../../chain/rpc/chain-rpc.js";
import type { Head } from "../../chain/rpc/rpc-health.js";
import { lowerCaseAddress } from "../../core/crypto/address.js";
import type { Hex } from "../../core/units.js";
import { isSafe } from "../../perpetual/margin.js";
import {
  computeHoldingsMargin,
  type MarginAccount,
  type MarginMarket,
} from "../../perpetual/margin-account.js";
import type { Confirmation, ConfirmedAccount } from "./candidate.js";
import { marginMarkets } from "./margin-markets.js";

type Holdings = ChainAccountBalances & { readonly ok: true };

/** An account whose credit and positions were read. */
interface AccountReading {
  readonly account: Hex;
  readonly holdings: Holdings;
  /** By the published formulas; undefined where only the dealer knows a market's ratios. */
  readonly margin: MarginAccount | undefined;
}

/**
 * Reads many candidates, the liquidator's own account and every market in a few batched calls, all
 * at one block. It reads credit and positions of all accounts. It reads the dealer's own judgement,
 * and the cost of liquidation, only for accounts that are unsafe by the published formulas; the
 * judgement also for the own account. An account whose views revert is reported as such and does
 * not block the others.
 */
export class Confirmer {
  readonly #rpc: ChainRpc;
  readonly #lens: LensReader;

  constructor({ rpc, lens }: { readonly rpc: ChainRpc; readonly lens: LensReader }) {
    this.#rpc = rpc;
    this.#lens = lens;
  }

  /**
   * @param candidates any number of addresses in any case; the own address and repeats are skipped.
   * @param at the block to read at; by default the newest trusted one.
   * @throws ChainUnavailable when too few RPCs can be trusted; nothing was read then.
   */
  async confirm(candidates: readonly Hex[], own: Hex, at?: Head): Promise<Confirmation> {
    const ownAccount = lowerCaseAddress(own);
    const others = new Set(candidates.map((account) => lowerCaseAddress(account)));
    others.delete(ownAccount);
    const queriedAccounts = [...others, ownAccount];
    const head = at ?? (await this.#rpc.head());
    const [{ list: markets }, { list: holdings }] = await Promise.all([
      this.#lens.markets(head),
      this.#lens.balances(queriedAccounts, head),
    ]);
    const byPerp = new Map(markets.map((market): [Hex, ChainMarket] => [market.perp, market]));
    const prices = marginMarkets(byPerp);
    const read = queriedAccounts.map((account, i) =>
      toAccountReading(account, holdings[i] as ChainAccountBalances, byPerp, prices),
    );
    const uncertain = read.filter(
      (held): held is AccountReading =>
        "margin" in held && (held.account === ownAccount || !isSurelySafe(held.margin)),
    );
    const [risks, costs] = await Promise.all([
      this.#lens.risks(
        uncertain.map(({ account }) => account),
        head,
      ),
      this.#costs(
        uncertain.filter(({ account }) => account !== ownAccount),
        head,
      ),
    ]);
    const judged = new Map(
      uncertain.map(({ account }, i) => [account, risks.list[i] as AccountRisk]),
    );
    const accounts = read.map((held) => confirmed(held, judged, costs));
    return {
      blockNumber: head.number,
      timestampMs: head.timestampMs,
      accounts: accounts.slice(0, -1),
      own: accounts[accounts.length - 1] as ConfirmedAccount,
      markets: byPerp,
    };
  }

  /** Cost of liquidating each whole position. */
  async #costs(
    uncertain: readonly AccountReading[],
    head: Head,
  ): Promise<ReadonlyMap<Hex, ReadonlyMap<Hex, LiquidationCost>>> {
    const requests: LiquidationCostRequest[] = uncertain.flatMap(({ account, holdings }) =>
      holdings.positions.map(({ perp, paper }) => ({ perp, trader: account, paper })),
    );
    const costs = new Map<Hex, Map<Hex, LiquidationCost>>();
    const { list } = await this.#lens.costs(requests, head);
    requests.forEach(({ trader, perp }, i) => {
      const of = costs.get(trader) ?? new Map<Hex, LiquidationCost>();
      costs.set(trader, of.set(perp, list[i] as LiquidationCost));
    });
    return costs;
  }
}

function toAccountReading(
  account: Hex,
  holdings: ChainAccountBalances,
  markets: ReadonlyMap<Hex, ChainMarket>,
  prices: ReadonlyMap<Hex, MarginMarket>,
): AccountReading | Unreadable {
  if (!holdings.ok) return { kind: "unreadable", account, revert: holdings.revert };
  for (const { perp } of holdings.positions) {
    const price = markets.get(perp)?.markPrice;
    if (price?.ok === false) return { kind: "unreadable", account, revert: price.revert };
  }
  return { account, holdings, margin: computeHoldingsMargin(holdings, prices) };
}

function isSurelySafe(margin: MarginAccount | undefined): boolean {
  return margin !== undefined && isSafe(margin);
}

interface Unreadable {
  readonly kind: "unreadable";
  readonly account: Hex;
  readonly revert: Revert;
}

function confirmed(
  held: AccountReading | Unreadable,
  judged: ReadonlyMap<Hex, AccountRisk>,
  costs: ReadonlyMap<Hex, ReadonlyMap<Hex, LiquidationCost>>,
): ConfirmedAccount {
  if (!("margin" in held)) return held;
  const { account, holdings, margin } = held;
  const risk = judged.get(account);
  if (risk === undefined)
    return {
      kind: "read",
      account,
      isSafe: true,
      margin: margin as MarginAccount,
      holdings,
      costs: new Map(),
    };
  if (!risk.ok) return { kind: "unreadable", account, revert: risk.revert };
  const papers = new Map(holdings.positions.map(({ perp, paper }) => [perp, paper]));
  const { ok: _, isSafe: isJudgedSafe, ...figures } = risk;
  return {
    kind: "read",
    account,
    isSafe: isJudgedSafe,
    margin: { ...figures, papers },
    holdings,
    costs: costs.get(account) ?? new Map(),
  };
}
