import type { CreditUnits } from "../../core/units.js";
import type { IncomeType } from "../../exchange/records.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { ExchangeAccount, Income } from "./account.js";

/**
 * Records incomes of an account and reports them.
 * @param marketId empty where they belong to no market
 */
export function recordIncomes(
  state: ExchangeState,
  account: ExchangeAccount,
  marketId: string,
  amounts: readonly (readonly [IncomeType, CreditUnits])[],
): void {
  const timeMs = state.nowMs();
  const incomes = amounts.map(
    ([type, amount]): Income => ({ id: state.nextId(), type, amount, timeMs, marketId }),
  );
  for (const income of incomes) {
    account.incomes.add(income);
  }
  state.listener.onIncomes(account, incomes);
}
