import type { Fault, FaultInterface } from "./fault-shape.js";

/** True if a fault strikes this interface, and there this account's requests and streams. */
export function strikesAccount(
  { interface: only, accounts }: Fault,
  spoken: FaultInterface,
  account: () => string | undefined,
): boolean {
  if (only !== undefined && only !== spoken) return false;
  if (accounts === undefined) return true;
  const found = account()?.toLowerCase();
  return found !== undefined && accounts.some((each) => each.toLowerCase() === found);
}
