import type { ChainRpc } from "../../chain/chain-rpc.js";
import type { AccountHoldings, AccountRisk, ChainMarket, LiquidationCost } from "../../chain/lens-answers.js";
import type { CostRequest, LensReader } from "../../chain/lens-reader.js";
import type { Head } from "../../chain/rpc-standing.js";
import { lowerCaseAddress } from "../../core/address.js";
import type { Hex } from "../../core/units.js";
import type { Confirmation, ConfirmedAccount } from "./candidate.js";

/**
 * Reads many candidates, the liquidator's own account and every market in a few batched calls, all at the newest believed block.
 * An account whose views revert is told as such and keeps no other back.
 * @throws ChainUnavailable when no RPC, or not enough of them, can be believed: then nothing was looked at.
 */
export class Confirmer {
  readonly #rpc: ChainRpc;
  readonly #lens: LensReader;

  constructor({ rpc, lens }: { readonly rpc: ChainRpc; readonly lens: LensReader }) {
    this.#rpc = rpc;
    this.#lens = lens;
  }

  /**
   * @param candidates any number of addresses, of any case; the own one and repeats are left out.
   * @param at the block to read at; the newest believed one when absent.
   */
  async confirm(candidates: readonly Hex[], own: Hex, at?: Head): Promise<Confirmation> {
    const ownAccount = lowerCaseAddress(own);
    const others = new Set(candidates.map((account) => lowerCaseAddress(account)));
    others.delete(ownAccount);
    const asked = [...others, ownAccount];
    const head = at ?? (await this.#rpc.head());
    const [markets, risks, holdings] = await Promise.all([
      this.#lens.markets(head),
      this.#lens.risks(asked, head),
      this.#lens.holdings(asked, head),
    ]);
    const costs = await this.#costs(asked.slice(0, -1), risks.list, holdings.list, head);
    const accounts = asked.map((account, i) =>
      confirmed(account, risks.list[i] as AccountRisk, holdings.list[i] as AccountHoldings, costs.get(account) ?? new Map()),
    );
    return {
      blockNumber: head.number,
      timestampMs: head.timestampMs,
      accounts: accounts.slice(0, -1),
      own: accounts[accounts.length - 1] as ConfirmedAccount,
      markets: new Map(markets.list.map((market): [Hex, ChainMarket] => [market.perp, market])),
    };
  }

  /** What each position of an unsafe account would cost, the whole of it asked for. */
  async #costs(accounts: readonly Hex[], risks: readonly AccountRisk[], holdings: readonly AccountHoldings[], head: Head) {
    const requests: CostRequest[] = accounts.flatMap((trader, i) => {
      const [risk, held] = [risks[i], holdings[i]];
      return risk?.ok && !risk.isSafe && held?.ok ? held.positions.map(({ perp, paper }) => ({ perp, trader, paper })) : [];
    });
    const costs = new Map<Hex, Map<Hex, LiquidationCost>>();
    if (requests.length === 0) return costs;
    const { list } = await this.#lens.costs(requests, head);
    requests.forEach(({ trader, perp }, i) => {
      const of = costs.get(trader) ?? new Map<Hex, LiquidationCost>();
      costs.set(trader, of.set(perp, list[i] as LiquidationCost));
    });
    return costs;
  }
}

function confirmed(account: Hex, risk: AccountRisk, holdings: AccountHoldings, costs: ReadonlyMap<Hex, LiquidationCost>): ConfirmedAccount {
  if (!risk.ok) return { kind: "unreadable", account, revert: risk.revert };
  if (!holdings.ok) return { kind: "unreadable", account, revert: holdings.revert };
  const { isSafe, netValueCredit, exposureCredit, initialMarginCredit, maintenanceMarginCredit } = risk;
  const papers = new Map(holdings.positions.map(({ perp, paper }) => [perp, paper]));
  const margin = { netValueCredit, exposureCredit, initialMarginCredit, maintenanceMarginCredit, papers };
  return { kind: "read", account, isSafe, margin, holdings, costs };
}
