import { parseChange } from "../../bot/configure/parse-change.js";
import {
  findRunningBotOfFile,
  noBotRunsFrom,
  sendToRunningBot,
} from "../../bot/control/control-client.js";
import type { ControlRequest } from "../../bot/control/control-protocol.js";
import { ConfigError } from "../../core/errors.js";
import type { CliContext } from "../cli-context.js";
import { accountOfFile } from "../control/account-of-file.js";
import { describeDifference } from "../control/describe-difference.js";
import { readControlAnswer } from "../control/read-answer.js";
import { printData } from "../process/output.js";

/** Options of {@link setCommand}. */
export interface SetCommandOptions {
  /** `path=value`, as they are typed. */
  readonly changes: readonly string[];
  readonly preview?: boolean;
  readonly save?: boolean;
  readonly json?: boolean;
}

/** Changes values of the bot that runs from a file. @throws ConfigError or RunError */
export async function setCommand(
  context: CliContext,
  file: string,
  { changes, preview = false, save = false, json }: SetCommandOptions,
): Promise<void> {
  if (preview && save)
    throw new ConfigError("cannot be combined", {
      field: "--preview, --save",
      expected: "one of them: a preview writes nothing",
    });
  const request: ControlRequest = {
    command: "set",
    changes: changes.map((text) => parseChange(text)),
    preview,
    save,
  };
  await send(context, file, { request, json });
}

/** Lets the bot that runs from a file take its values. @throws ConfigError or RunError */
export async function reloadCommand(
  context: CliContext,
  file: string,
  { preview = false, json }: Pick<SetCommandOptions, "preview" | "json">,
): Promise<void> {
  await send(context, file, { request: { command: "reload", preview }, json });
}

async function send(
  context: CliContext,
  file: string,
  { request, json }: { readonly request: ControlRequest; readonly json: boolean | undefined },
): Promise<void> {
  const { env, runtime } = context;
  const bot = await findRunningBotOfFile(file, {
    file,
    env,
    accountFor: (named) => accountOfFile(named, env),
  });
  if (bot === undefined)
    throw noBotRunsFrom(
      file,
      "a running bot; one that does not run takes the file's values when it starts",
    );
  const data = await sendToRunningBot(bot, request, runtime.clock);
  const difference = readControlAnswer(data)?.difference;
  if (json === true || difference === undefined) return printData(context, data, json);
  context.stdout.write(describeDifference(difference));
}
