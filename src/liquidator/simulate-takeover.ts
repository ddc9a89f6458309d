import { CallReverted, ChainError } from "../chain/rpc/rpc-errors.js";
import { anyResult } from "../chain/rpc/rpc-values.js";
import { scaledToDecimal } from "../core/instrument.js";
import type { Hex } from "../core/units.js";
import type { TakeoverDeps } from "./takeover-deps.js";

/** Gas that a dry run's call gets. */
const DRY_RUN_GAS = "0x2dc6c0";

/**
 * Simulates the call of a takeover without sending it, and records the result. @param id the
 * opportunity's.
 */
export async function simulateTakeover(
  {
    rpc,
    sender,
    ledger,
    venue,
    log,
  }: Pick<TakeoverDeps, "rpc" | "sender" | "ledger" | "venue" | "log">,
  id: string,
  call: { readonly to: Hex; readonly data: Hex },
): Promise<void> {
  try {
    await rpc.request(
      "eth_call",
      [{ from: sender, ...call, gas: DRY_RUN_GAS }, "latest"],
      anyResult,
    );
    ledger.update(id, { isRehearsed: true }, "simulated");
    const { victim, marketId, perp = "", intended } = ledger.get(id) ?? {};
    const instrument = venue.markets().get(perp)?.instrument;
    if (instrument === undefined || intended === undefined) return;
    log("info", "would take a position over", {
      victim,
      marketId,
      amountBase: scaledToDecimal(intended.requestPaper, instrument.paperDecimals),
      expectedProfitQuote: instrument.creditToDecimal(intended.expectedProfitQuote),
    });
  } catch (error) {
    if (error instanceof CallReverted) ledger.revise(id, { reason: error.revert.text });
    else if (error instanceof ChainError) ledger.revise(id, { reason: error.message });
    else throw error;
  }
}
