import { createAccountSigner, readAccountKey } from "../../bot/config/account-key.js";
import { loadBotOrders } from "../../bot/config/config.js";
import type { Hex } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";

/**
 * The account that a bot started from this file here and now would trade.
 * @throws ConfigError for an invalid file or a missing key, RunError for a keystore that cannot be
 * decrypted.
 */
export function accountOfFile(file: string, env: CliContext["env"]): Hex {
  const { account } = loadBotOrders(file, env);
  return createAccountSigner(account, readAccountKey(account, env)).address;
}
