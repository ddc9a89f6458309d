import { z } from "zod";
import { findRunningBot, sendToRunningBot } from "../../bot/control/control-client.js";
import { isListening } from "../../bot/control/control-server.js";
import { findRunningBots, type RunningBotEntry } from "../../bot/state/running-bots.js";
import { cockpitUrl } from "../../cockpit/cockpit-messages.js";
import { RunError } from "../../core/errors.js";
import type { CliContext } from "../cli-context.js";
import { accountOfFile } from "../control/account-of-file.js";
import { writeUnmasked } from "../process/masked-output.js";
import { jsonText } from "../process/output.js";

const linkSchema = z.object({ port: z.int(), token: z.string() });

/** A bot's link, or why it gives none. */
interface Tried {
  readonly bot: RunningBotEntry;
  readonly url?: string;
  readonly error?: RunError;
}

/**
 * Prints a fresh link to a cockpit: the one of the file's bot, or else of any running bot, since
 * each shows all of them.
 * @throws RunError if no running bot has an open one.
 */
export async function cockpitCommand(
  context: CliContext,
  file: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<void> {
  const { env } = context;
  const chosen =
    file === undefined
      ? undefined
      : await findRunningBot({ file, env, accountFor: (named) => accountOfFile(named, env) });
  const bots = await findRunningBots(env, isListening);
  const others = bots.filter(({ socketPath }) => socketPath !== chosen?.socketPath);
  const order = chosen === undefined ? others : [chosen, ...others];
  const failures: RunError[] = [];
  for (const bot of order) {
    const { url, error } = await linkOf(context, bot);
    if (error !== undefined) failures.push(error);
    if (url === undefined) continue;
    if (chosen !== undefined && bot !== chosen)
      context.stderr.write(
        `marketwright: ${chosen.config} has no open cockpit; this one, of ${bot.config}, shows its bot too\n`,
      );
    writeUnmasked(context.stdout, json === true ? jsonText({ url }) : `${url}\n`);
    return;
  }
  throw noCockpit(order, failures);
}

async function linkOf(context: CliContext, bot: RunningBotEntry): Promise<Tried> {
  try {
    const answer = await sendToRunningBot(bot, { command: "cockpit-link" }, context.runtime.clock);
    return { bot, url: cockpitUrl(linkSchema.parse(answer)) };
  } catch (cause) {
    // Another bot may give a link: the reasons are reported if none does.
    const error =
      cause instanceof RunError
        ? cause
        : new RunError("the bot's version knows no cockpit", { value: bot.config, cause });
    return { bot, error };
  }
}

function noCockpit(bots: readonly RunningBotEntry[], failures: readonly RunError[]): RunError {
  const [bot] = bots;
  if (bot === undefined)
    return new RunError("no bot of this user is running", {
      expected: "marketwright run bot.yaml, or npm start",
    });
  const reasons = failures.map(({ message }) => message);
  return new RunError(`no running bot has an open cockpit (${reasons.join("; ")})`, {
    field: "cockpit",
    expected: `the line cockpit: { port: 8630, control: true } in ${bot.config}, and a restart of its bot`,
  });
}
