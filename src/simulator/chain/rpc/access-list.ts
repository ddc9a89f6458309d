import { getCreateAddress } from "ethers";
import type { Hex } from "../../../core/units.js";
import { unwrapResult } from "../chain-request-error.js";
import type { EvmRequest, RpcOutcome } from "../rpc-outcome.js";
import { unpayable } from "./call-funds.js";

/** The precompiled contracts of the Prague hard fork. */
const LAST_PRECOMPILE = 0x11n;
/** Code can be written to touch other slots each time, so the rounds are limited. */
const MOST_ROUNDS = 4;
const NO_ADDRESS = `0x${"0".repeat(40)}`;

interface AccessListEntry {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/** State that a call has touched: by address, its storage by slot. */
type Touched = Readonly<Record<Hex, { readonly storage?: Readonly<Record<Hex, unknown>> }>>;

/**
 * `eth_createAccessList` (EIP-2930): the addresses and storage slots that a call touches, and its
 * gas with that list. Addresses that are always warm (sender, recipient, precompiled contracts and
 * coinbase) are left out. If the call fails, `error` has the cause.
 */
export async function createAccessList(
  params: readonly unknown[],
  ask: EvmRequest,
): Promise<RpcOutcome> {
  const [call, block = "latest"] = params;
  const terms = call as Readonly<Record<string, unknown>>;
  const from = typeof terms.from === "string" ? terms.from : NO_ADDRESS;
  const trace = (accessList: unknown, options: object) =>
    ask("debug_traceCall", [{ ...terms, from, accessList }, block, options]);
  const refusal = await unpayable(params, block, terms.gas, ask);
  if (refusal !== null) return refusal;
  const nonce = await ask("eth_getTransactionCount", [from, block]);
  if ("error" in nonce) return nonce;
  const to =
    typeof terms.to === "string"
      ? terms.to
      : getCreateAddress({ from, nonce: Number(nonce.result) });
  const warm = new Set([
    from.toLowerCase(),
    to.toLowerCase(),
    unwrapResult("eth_coinbase", await ask("eth_coinbase", [])),
  ]);

  let accessList: unknown = terms.accessList;
  // With another list the call has other gas left and may touch other slots, so repeat until the
  // list is stable.
  for (let round = 0, isSettled = false; !isSettled && round < MOST_ROUNDS; round += 1) {
    const touched = await trace(accessList, {
      tracer: "prestateTracer",
      tracerConfig: { disableCode: true },
    });
    if ("error" in touched) return touched;
    const found = entriesOf(touched.result as Touched, warm);
    isSettled = JSON.stringify(found) === JSON.stringify(accessList);
    accessList = found;
  }
  const executed = await trace(accessList, {
    tracer: "callTracer",
    tracerConfig: { onlyTopCall: true },
  });
  if ("error" in executed) return executed;
  const { gasUsed, error } = executed.result as { readonly gasUsed: Hex; readonly error?: string };
  return { result: { accessList, gasUsed, ...(error === undefined ? {} : { error }) } };
}

function entriesOf(touched: Touched, warm: ReadonlySet<unknown>): AccessListEntry[] {
  return Object.entries(touched)
    .map(([address, { storage = {} }]) => ({ address, storageKeys: Object.keys(storage).sort() }))
    .filter(
      ({ address, storageKeys }) =>
        storageKeys.length > 0 || !(warm.has(address) || BigInt(address) <= LAST_PRECOMPILE),
    )
    .sort((one, other) => (one.address < other.address ? -1 : 1));
}
