import type { ExchangeState, StateCounters } from "../engine/exchange-state.js";
import type { GasMarketState } from "../markets/gas-market.js";
import { readFields, type WrittenFields, writeFields } from "./plain-fields.js";

/** The state outside of accounts and markets. */
export interface StateRecord {
  readonly state: WrittenFields;
  readonly counters: WrittenFields;
  readonly gas: WrittenFields;
}

export function writeState(state: ExchangeState): StateRecord {
  return {
    state: writeFields(state),
    counters: writeFields(state.counters),
    gas: writeFields(state.gas.snapshot()),
  };
}

/** Sets an exchange's state from a record. */
export function assignState(
  state: ExchangeState,
  { state: fields, counters, gas }: StateRecord,
): void {
  Object.assign(state, readFields<Partial<ExchangeState>>(fields));
  state.restoreCounters(readFields<StateCounters>(counters));
  state.gas.restore(readFields<GasMarketState>(gas));
}
