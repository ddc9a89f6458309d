import type { Hex } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import { readInfoTag } from "../../exchange/signing/order-info.js";
import { nonceTagFor } from "./nonce-tag.js";

/**
 * True if this account's bot placed the order (docs/ideas/design.md#order-identity): its nonce
 * carries the bot's tag, or its hash was recorded before sending, as those of server-built orders
 * are.
 */
export function isBotOrder(
  order: Pick<VenueOrder, "info" | "hash">,
  account: Hex,
  notedHashes: ReadonlySet<string>,
): boolean {
  return (
    notedHashes.has(order.hash.toLowerCase()) || readInfoTag(order.info) === nonceTagFor(account)
  );
}
