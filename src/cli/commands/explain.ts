import { createAccountSigner, readAccountKey } from "../../bot/config/account-key.js";
import { loadBotConfig } from "../../bot/config/config.js";
import { explainBot } from "../../bot/explain/explain.js";
import { formatExplanation } from "../../bot/explain/format-explanation.js";
import { readRpcUrls } from "../../bot/run/chain-access.js";
import { stateDirFor } from "../../bot/state/state-dir.js";
import { RunError } from "../../core/errors.js";
import type { Ms } from "../../core/units.js";
import { openLog } from "../../monitoring/log.js";
import type { CliContext } from "../cli-context.js";
import { parseDuration } from "../duration.js";
import { nameExchangeInErrors } from "../exchange-access.js";
import { openExistingState } from "../halts/existing-state.js";
import { ReportedFailure } from "../process/exit.js";
import { jsonText } from "../process/output.js";

/** A dry run sends nothing, and opens no store of sent orders. */
function neverSent(): never {
  throw new RunError("an explanation sends nothing");
}

export interface ExplainCommandOptions {
  readonly within?: string;
  readonly json?: boolean;
}

/**
 * Prints the bot's current quotes with their reasons. @throws ReportedFailure if a market gave none
 */
export async function explainCommand(
  context: CliContext,
  file: string,
  { within, json }: ExplainCommandOptions,
): Promise<void> {
  const withinMs: Ms | undefined =
    within === undefined ? undefined : parseDuration(within, "--within");
  const { env, runtime } = context;
  const config = loadBotConfig(file, env);
  const privateKey = readAccountKey(config.account, env);
  const store = openExistingState(
    stateDirFor(config, createAccountSigner(config.account, privateKey).address),
  );
  const log = openLog({ level: "error", clock: runtime.clock });
  try {
    const explanation = await nameExchangeInErrors(config.exchange.rest, () =>
      explainBot({
        config,
        privateKey,
        runtime,
        log,
        ...(config.chain === undefined
          ? {}
          : { chain: { rpcs: readRpcUrls(config.chain, env), laneStore: neverSent } }),
        store,
        withinMs,
      }),
    );
    context.stdout.write(json === true ? jsonText(explanation, 2) : formatExplanation(explanation));
    if (!explanation.complete) throw new ReportedFailure();
  } finally {
    log.close();
  }
}
