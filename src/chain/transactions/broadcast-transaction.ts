import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { BroadcastOutcome, ChainRpc } from "../rpc/chain-rpc.js";
import { ChainUnavailable } from "../rpc/rpc-errors.js";
import { parseBytes } from "../rpc/rpc-values.js";
import { classifySendRefusal, type SendRefusalKind } from "./send-refusal.js";

/**
 * The nodes' response to a transaction. `taken` does not mean that it is mined, nor a refusal that
 * it is not.
 */
export type BroadcastResult =
  | { readonly isAccepted: true }
  | {
      readonly isAccepted: false;
      readonly refusal: Exclude<SendRefusalKind, "already-known">;
      readonly text: string;
    };

const LONGEST_TEXT = 200;

/**
 * Broadcasts signed bytes to every trusted RPC; settles when one has accepted them. Never rejects.
 */
export async function broadcastTransaction(
  rpc: ChainRpc,
  { raw, hash }: { readonly raw: Hex; readonly hash: Hex },
): Promise<BroadcastResult> {
  const read = (result: unknown): void => {
    const reported = parseBytes(result, "eth_sendRawTransaction", 32);
    if (reported !== hash)
      throw new FormatError("is of another transaction", {
        field: "eth_sendRawTransaction",
        value: reported,
        expected: hash,
      });
  };
  let outcomes: readonly BroadcastOutcome[];
  try {
    outcomes = await rpc.broadcast("eth_sendRawTransaction", [raw], read, hasIt);
  } catch (error) {
    if (error instanceof ChainUnavailable)
      return { isAccepted: false, refusal: "unknown", text: error.message.slice(0, LONGEST_TEXT) };
    throw error;
  }
  if (outcomes.some(hasIt)) return { isAccepted: true };
  const refusals = outcomes.map(({ name, error }) => {
    const text = textOf(error);
    return { kind: classifySendRefusal(text), text: `${name}: ${text}` };
  });
  // A node's reason says more than an unreachable node.
  const telling = refusals.find(({ kind }) => kind !== "unknown") ?? refusals[0];
  const why = telling?.kind ?? "unknown";
  return {
    isAccepted: false,
    refusal: why === "already-known" ? "unknown" : why,
    text: (telling?.text ?? "").slice(0, LONGEST_TEXT),
  };
}

function hasIt({ error }: BroadcastOutcome): boolean {
  return error === undefined || classifySendRefusal(textOf(error)) === "already-known";
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
