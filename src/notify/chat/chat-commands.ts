import { FormatError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Notice } from "../notice.js";
import type { OneTimePasswords } from "./one-time-passwords.js";

/** The commands of a chat, as the bot executes them. Each returns the answer. */
export interface CommandedBot {
  status(): Promise<string>;
  halt(marketId: string | undefined, reason: string): Promise<string>;
  flatten(marketId: string | undefined): Promise<string>;
  /** Writes a command that was refused here into the audit file. */
  auditRefusal(command: Readonly<Record<string, unknown>>, reason: string): void;
}

/** Dependencies of {@link ChatCommands}. */
interface ChatCommandsDeps {
  readonly bot: CommandedBot;
  readonly clock: Clock;
  /** Undefined unless the file allows to flatten. */
  readonly passwords: OneTimePasswords | undefined;
  /** Saves which codes were used. */
  readonly save: () => void;
  readonly notify: (notice: Notice) => void;
}

const HELP = "/status, /halt [market], /flatten [market] CODE. Nothing is resumed from a chat.";

/** The commands of chats. */
export class ChatCommands {
  readonly #deps: ChatCommandsDeps;

  constructor(deps: ChatCommandsDeps) {
    this.#deps = deps;
  }

  /** Executes the text of a command; returns the answer. @throws errors of the bot */
  async handle(text: string, userId: number): Promise<string> {
    const [name = "", ...args] = text.split(/\s+/);
    const { bot } = this.#deps;
    switch (name.toLowerCase().replace(/@\w+$/, "")) {
      case "/status":
        return bot.status();
      case "/halt":
        return bot.halt(marketIn(args), `requested in a chat by user ${userId}`);
      case "/flatten":
        return this.#flatten(args);
      case "/resume":
        return `Nothing is resumed from a chat: use the command line. ${HELP}`;
      default:
        return HELP;
    }
  }

  async #flatten(args: readonly string[]): Promise<string> {
    const { bot, passwords } = this.#deps;
    const code = args.at(-1) ?? "";
    const isCode = /^\d{6,8}$/.test(code);
    const marketId = marketIn(isCode ? args.slice(0, -1) : args);
    const command = { command: "flatten", ...(marketId === undefined ? {} : { marketId }) };
    const refuse = (reason: string): string => {
      bot.auditRefusal(command, reason);
      return `Not done: ${reason}.`;
    };
    if (passwords === undefined) return refuse("notify.control is not true in the bot's file");
    if (!isCode) return refuse("the command ends with the six digits of the one-time password");
    const refusal = this.#refusal(passwords, code);
    return refusal === undefined ? bot.flatten(marketId) : refuse(refusal);
  }

  /** Why a code is not accepted; undefined if it is. */
  #refusal(passwords: OneTimePasswords, code: string): string | undefined {
    const { clock, save, notify } = this.#deps;
    const verdict = passwords.check(code, clock.nowMs());
    // Saved before the command: a code must not work again after a crash.
    save();
    switch (verdict) {
      case "right":
        return undefined;
      case "wrong":
        return "the code is wrong, or was used before";
      case "locked":
        return "five codes were wrong: no code is accepted for 15 minutes";
      case "locks":
        notify({
          atMs: clock.nowMs(),
          severity: "critical",
          kind: "control-locked",
          title: "five wrong one-time passwords in a chat",
          text: "no code is accepted for 15 minutes; if that was not you, remove the user from allowedIds",
        });
        return "the fifth wrong code: no code is accepted for 15 minutes";
    }
  }
}

/** The market of a command; undefined for all. @throws FormatError for anything else */
function marketIn(args: readonly string[]): string | undefined {
  const [marketId, ...others] = args;
  if (marketId === undefined) return undefined;
  if (others.length === 0 && /^[A-Za-z0-9_-]{1,40}$/.test(marketId)) return marketId;
  throw new FormatError("is not one market", {
    field: "market",
    expected: "such as /halt btcusdc",
  });
}
