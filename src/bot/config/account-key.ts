import { ConfigError } from "../../core/errors.js";

/** Order of the secp256k1 group: a private key is at least 1 and below it (SEC 2, section 2.4.1). */
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * The account's private key from the environment variable that `account.keyEnv` names.
 * The value never enters a message.
 * @throws ConfigError when the variable is missing or holds no private key.
 */
export function readAccountKey(keyEnv: string, env: Readonly<Record<string, string | undefined>>): `0x${string}` {
  const expected = `the environment variable ${keyEnv} to hold a private key, 0x and 64 hex digits`;
  const held = env[keyEnv]?.trim();
  if (held === undefined || held === "") {
    throw new ConfigError("names an environment variable that is not set", { field: "account.keyEnv", value: keyEnv, expected });
  }
  if (!isHexKey(held)) {
    throw new ConfigError(`names a variable whose content (${held.length} characters, not shown) is no private key`, {
      field: "account.keyEnv",
      value: keyEnv,
      expected,
    });
  }
  const scalar = BigInt(held);
  if (scalar === 0n || scalar >= GROUP_ORDER) {
    throw new ConfigError("names a variable whose content (not shown) is out of the range of private keys", {
      field: "account.keyEnv",
      value: keyEnv,
      expected: `${expected}, neither zero nor the group's order or above`,
    });
  }
  return held.toLowerCase() as `0x${string}`;
}

function isHexKey(text: string): boolean {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}
