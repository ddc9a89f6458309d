import { isListening } from "../../bot/control/control-server.js";
import { isLocked } from "../../bot/state/account-lock.js";
import { findRunningBots, type RunningBotEntry } from "../../bot/state/running-bots.js";
import { MarketwrightError } from "../../core/errors.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { pause } from "../../exchange/rest/pause.js";
import type { CliContext } from "../cli-context.js";
import { haltRunningBot } from "./halt-running-bot.js";

/**
 * A running bot responds within milliseconds. A stuck one places nothing, and must not delay the
 * cancels.
 */
const ANSWER_WITHIN_MS: Ms = 1_000;

/** The bot that may place orders while all of them are being cancelled. */
interface CancelAllHaltOptions {
  readonly account: Hex;
  /** The account's state directory. */
  readonly stateDir: string;
  /** The only market to cancel; all of them when undefined. */
  readonly marketId: MarketId | undefined;
  /** The bot's file, as the user gave it. */
  readonly file: string;
  readonly print: (text: string) => void;
}

/** The halt of a bot that runs during `cancel-all`. */
export class CancelAllHalt {
  readonly #context: CliContext;
  readonly #options: CancelAllHaltOptions;
  #halting: Promise<boolean> | undefined;
  #isLate = false;

  constructor(context: CliContext, options: CancelAllHaltOptions) {
    this.#context = context;
    this.#options = options;
  }

  /**
   * Halts the bot once, before the first cancel is sent, because it would replace the cancelled
   * orders. The wait for an unresponsive bot is short.
   */
  async begin(): Promise<void> {
    if (this.#isLate) return;
    const { clock } = this.#context.runtime;
    this.#halting ??= this.#halt();
    const isInTime = await Promise.race([
      this.#halting.then(() => true),
      pause(clock, ANSWER_WITHIN_MS).then(() => false),
    ]);
    if (!isInTime) this.#isLate = true;
  }

  /**
   * Returns true if no order can have been placed since the cancels: no bot runs, or it was halted
   * before them. Otherwise says what to do.
   */
  async isSafe(): Promise<boolean> {
    const { file, print } = this.#options;
    this.#halting ??= this.#halt();
    const isHalted = await this.#halting;
    if (isHalted && this.#isLate)
      print(
        `the bot was halted after the cancels: run marketwright cancel-all ${shellWord(file)} again to cancel orders that it placed in between`,
      );
    return isHalted && !this.#isLate;
  }

  async #halt(): Promise<boolean> {
    const { account, stateDir, marketId, file, print } = this.#options;
    const advice = `it may place the cancelled orders again. Run marketwright halt ${shellWord(file)}, or stop the bot`;
    let bot: RunningBotEntry | undefined;
    try {
      if (!isLocked({ account, env: this.#context.env, stateDir }, "bot")) return true;
      bot = await this.#running();
      if (bot === undefined) {
        print(
          `a bot of this account runs that this command cannot reach (another user's, or another XDG_RUNTIME_DIR): ${advice}`,
        );
        return false;
      }
      // A dry run sends nothing, and a bot does not quote a market that it does not have.
      if (
        bot.state === undefined ||
        (marketId !== undefined && !bot.state.markets.includes(marketId))
      )
        return true;
      await haltRunningBot(this.#context, bot, {
        command: "halt",
        reason: "cancel-all",
        ...(marketId === undefined ? {} : { marketId }),
      });
    } catch (error) {
      if (!(error instanceof MarketwrightError)) throw error;
      print(
        `the running bot${bot === undefined ? "" : ` (process ${bot.pid})`} could not be halted: ${error.message}: ${advice}`,
      );
      return false;
    }
    const where = marketId === undefined ? "" : ` --market ${marketId}`;
    print(
      `the running bot (process ${bot.pid}) is halted and places no orders: marketwright resume ${shellWord(file)}${where} lets it quote again`,
    );
    return true;
  }

  /** Finds the bot by its account, because its file may be another one. */
  async #running(): Promise<RunningBotEntry | undefined> {
    const bots = await findRunningBots(this.#context.env, isListening);
    return bots.find((bot) => bot.account.toLowerCase() === this.#options.account.toLowerCase());
  }
}
