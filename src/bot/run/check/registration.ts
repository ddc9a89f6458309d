import { MarketwrightError, RunError } from "../../../core/errors.js";
import type { Ms } from "../../../core/units.js";
import { INVALID_SIGNATURE, NO_ACCOUNT } from "../../../exchange/protocol/errors.js";
import type { RestClient } from "../../../exchange/rest/rest-client.js";
import { VenueError } from "../../../exchange/venue-errors.js";
import type { Log } from "../../../monitoring/log.js";
import type { RunBotOptions } from "../running-bot.js";

/** Result of the registration. */
export interface Registration {
  /** False for a dry run of an account that the exchange does not know. */
  readonly registered: boolean;
  /** True if it was registered just now. */
  readonly isNew: boolean;
}

/**
 * Registers a new account. A dry run, which changes nothing, and an operator, who has no right to,
 * only query if the account exists.
 * @throws RunError if the exchange does not accept an operator's key for the account; VenueError,
 * VenueRequestError
 */
export async function register(
  client: RestClient,
  { config, dryRun, log }: Pick<RunBotOptions, "config" | "dryRun" | "log">,
): Promise<Registration> {
  const isOperator = config.account.address !== undefined;
  if (dryRun !== true && !isOperator) {
    const isNew = await client.registerAccount();
    if (isNew) log.info({}, "registered the account");
    return { registered: true, isNew };
  }
  try {
    await client.balances();
    return { registered: true, isNew: false };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    if (isOperator && [...NO_ACCOUNT, INVALID_SIGNATURE].includes(error.code)) {
      throw new RunError("the exchange does not accept this key for the account", {
        field: "account.address",
        value: config.account.address,
        expected: "an account that its own key has registered, and whose operator this key is",
        cause: error,
      });
    }
    if (!NO_ACCOUNT.includes(error.code)) throw error;
    log.warn(
      { code: error.code },
      "the exchange does not know the account: the dry run treats it as empty",
    );
    return { registered: false, isNew: false };
  }
}

/**
 * Exchange time at which it created the account; undefined if it does not report it, which says
 * nothing about the account.
 */
export async function readAccountCreation(
  ask: () => Promise<Ms>,
  log: Log,
): Promise<Ms | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof MarketwrightError)) throw error;
    log.warn(
      { error: error.message },
      "the exchange does not report when it created the account, so its reset cannot be detected by that",
    );
    return undefined;
  }
}
