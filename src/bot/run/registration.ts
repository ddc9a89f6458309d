import { RunError } from "../../core/errors.js";
import type { RestClient } from "../../exchange/rest-client.js";
import { INVALID_SIGNATURE, NO_ACCOUNT, VenueError } from "../../exchange/venue-errors.js";
import { PEAK_FILE } from "../equity-watch.js";
import type { RunBotOptions } from "./running-bot.js";

/**
 * Registers a new account; a dry run, which changes nothing, and an operator, who may not, ask only whether there is one.
 * @returns false of a dry run for an account that the exchange does not know
 * @throws RunError when the exchange does not take an operator's key for the account's; VenueError, VenueRequestError
 */
export async function isRegistered(
  client: RestClient,
  { config, dryRun, log, store }: Pick<RunBotOptions, "config" | "dryRun" | "log" | "store">,
): Promise<boolean> {
  const isOperator = config.account.address !== undefined;
  if (dryRun !== true && !isOperator) {
    if (!(await client.registerAccount())) return true;
    log.info({}, "registered the account");
    // Whether an exchange was started anew, or this is another one, a person knows.
    if (store.read(PEAK_FILE) !== undefined)
      log.warn(
        { file: PEAK_FILE },
        "the exchange did not know this account, whose peak of before its state directory remembers: if the drawdown from it halts, `npx marketwright resume` counts from here",
      );
    return true;
  }
  try {
    await client.balances();
    return true;
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    if (isOperator && [...NO_ACCOUNT, INVALID_SIGNATURE].includes(error.code)) {
      throw new RunError("the exchange does not take this key for the account's", {
        field: "account.address",
        value: config.account.address,
        expected: "an account that its own key has registered, and whose operator this key is",
        cause: error,
      });
    }
    if (!NO_ACCOUNT.includes(error.code)) throw error;
    log.warn({ code: error.code }, "the exchange does not know the account: the dry run takes it for an empty one");
    return false;
  }
}
