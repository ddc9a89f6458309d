import { z } from "zod";
import { requestControlResponse } from "../bot/control/control-client.js";
import type { ControlRequest, ControlResponse } from "../bot/control/control-protocol.js";
import { maskSecrets } from "../core/crypto/secrets.js";
import { describeThrown } from "../core/describe-thrown.js";
import { shellWord } from "../core/files/shell-word.js";
import type { Clock } from "../core/runtime/runtime.js";
import type { BotDirectory } from "./bot-directory.js";
import { HttpRefusal } from "./http-answers.js";

/** Commands that a page may send. */
const COMMANDS: readonly string[] = ["halt", "resume", "flatten", "set", "reload"];
/** Those of them that preview themselves: a field of the command says so. */
const SELF_PREVIEWING: readonly string[] = ["set", "reload"];
/** Confirms a command for all markets, as the account does: it is short enough for a phone. */
const ALL = "all";
/** Most commands that wait for their bots. */
const MOST_WAITING = 16;

/** The bot checks a command itself. These are the fields that name what it is for. */
const request = z.looseObject({
  command: z.string(),
  marketId: z.string().optional(),
  changes: z.array(z.looseObject({ path: z.string() })).optional(),
});
type PageRequest = z.output<typeof request>;
const previewSchema = z.strictObject({ id: z.string(), request });
const commandSchema = previewSchema.extend({ confirm: z.string() });

/** A response for the page. */
export interface ForwardedAnswer {
  readonly status: number;
  readonly json: string;
}

/** Sends the commands of the pages to the bots, each over its own connection. */
export class CommandForwarder {
  readonly #directory: BotDirectory;
  readonly #clock: Clock;
  #waiting = 0;

  constructor(directory: BotDirectory, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Answers what a command would do. @throws HttpRefusal */
  async preview(body: unknown): Promise<ForwardedAnswer> {
    const wanted = parse(previewSchema, body);
    const { entry } = await this.#botFor(wanted);
    const isSelfPreviewing = SELF_PREVIEWING.includes(wanted.request.command);
    return this.#send(
      entry.socketPath,
      isSelfPreviewing
        ? { ...wanted.request, preview: true, via: "cockpit" }
        : { command: "preview", of: wanted.request },
    );
  }

  /** Has a bot execute a command that a person has confirmed. @throws HttpRefusal */
  async command(body: unknown): Promise<ForwardedAnswer> {
    const wanted = parse(commandSchema, body);
    const { entry } = await this.#botFor(wanted);
    const marketId = marketOf(wanted.request);
    const isConfirmed =
      marketId === undefined
        ? [ALL, entry.account.toLowerCase()].includes(wanted.confirm.toLowerCase())
        : wanted.confirm === marketId;
    if (!isConfirmed)
      throw new HttpRefusal(
        409,
        marketId === undefined
          ? `Type ${ALL}, or the account ${entry.account}, to confirm a command for all its markets.`
          : `Type ${marketId} to confirm the command.`,
      );
    const isSelfPreviewing = SELF_PREVIEWING.includes(wanted.request.command);
    const command = {
      ...wanted.request,
      ...(isSelfPreviewing ? { preview: false } : {}),
      via: "cockpit",
    };
    const advice =
      wanted.request.command === "halt"
        ? ` marketwright halt ${shellWord(entry.config)} stores the halt for the next start, too.`
        : "";
    return this.#send(entry.socketPath, command, advice);
  }

  /** The bot of a request that may be sent. A bot decides itself, too, if a page may command it. */
  async #botFor({ id, request: { command } }: z.output<typeof previewSchema>) {
    if (!COMMANDS.includes(command))
      throw new HttpRefusal(
        400,
        `${JSON.stringify(command)} is not a command of the page: expected ${COMMANDS.join(", ")}.`,
      );
    const bot = await this.#directory.find(id);
    if (bot === undefined) throw new HttpRefusal(404, "This bot does not run any more.");
    if (bot.control === false) throw new HttpRefusal(403, readOnlyText(bot.entry.config));
    return bot;
  }

  async #send(
    socketPath: string,
    sent: Readonly<Record<string, unknown>>,
    advice = "",
  ): Promise<ForwardedAnswer> {
    if (this.#waiting >= MOST_WAITING)
      throw new HttpRefusal(503, `${MOST_WAITING} commands wait for their bots: try again.`);
    this.#waiting++;
    try {
      // The bot refuses what is not a command.
      const answer = await requestControlResponse(
        socketPath,
        sent as unknown as ControlRequest,
        this.#clock,
      );
      return { status: statusFor(answer), json: maskSecrets(JSON.stringify(answer)) };
    } catch (cause) {
      throw new HttpRefusal(504, `${describeThrown(cause)}.${advice}`);
    } finally {
      this.#waiting--;
    }
  }
}

/** The market that a command is for; undefined if it is for all of them, or for several. */
function marketOf({ marketId, changes = [] }: PageRequest): string | undefined {
  if (marketId !== undefined) return marketId;
  const markets = changes.map(({ path }) => /^markets\.([^.]+)\./.exec(path)?.[1]);
  const [first] = markets;
  return markets.every((market) => market === first) ? first : undefined;
}

/** A refusal by the bot is an answer like any other, except that of a bot which is only shown. */
function statusFor(answer: ControlResponse): number {
  return !answer.ok && answer.error.field === "cockpit.control" ? 403 : 200;
}

function readOnlyText(config: string): string {
  return `This bot is only shown: control: true under cockpit in ${config}, and a restart, let the page command it.`;
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new HttpRefusal(400, `${issue?.path.join(".") || "The body"}: ${issue?.message}.`);
}
