import { keccak256 } from "../../core/crypto/keccak.js";
import type { Hex } from "../../core/units.js";

/**
 * The 16 bits at the head of every nonce of this account's bot
 * (docs/ideas/design.md#order-identity). A restarted bot tells its own orders from manual ones by
 * them, even if its state directory is lost. Never zero, which other clients' small nonces have.
 */
export function nonceTagFor(account: Hex): number {
  const digest = keccak256(new TextEncoder().encode(`marketwright bot ${account.toLowerCase()}`));
  return (digest[0] << 8) | digest[1] || 1;
}
