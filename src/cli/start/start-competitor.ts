import type { BotConfig } from "../../bot/config/config.js";
import type { CliContext } from "../cli-context.js";
import { type Companion, launchCompanion } from "../session/companion.js";
import { createFreshAccount } from "./start-account.js";

const CONFIG_FILE = "competitor.yaml";
const LOG_FILE = "competitor.log";

/**
 * Starts a second bot with a fresh account of its own: it competes with the first one for the same
 * fills and takeovers. It runs without a guard, since its exchange ends with this start. It serves
 * no metrics: the port may be the first bot's.
 * @param config with the addresses of the started exchange
 * @throws as {@link createFreshAccount} does
 */
export async function startCompetitor(context: CliContext, config: BotConfig): Promise<Companion> {
  const { env, store, finish } = await createFreshAccount(context, config, "competitor");
  const { path: _path, statesDir: _statesDir, metrics: _metrics, ...file } = config;
  // JSON is YAML too. The paths of a loaded file are absolute, so it may be written anywhere.
  store.write(CONFIG_FILE, `${JSON.stringify({ ...file, stateDir: store.directory }, null, 2)}\n`);
  const logFile = store.pathFor(LOG_FILE);
  const companion = launchCompanion({
    name: "competitor",
    script: context.script,
    args: ["run", store.pathFor(CONFIG_FILE), "--json"],
    env,
    logFile,
    clock: context.runtime.clock,
  });
  context.stderr.write(
    `a competitor trades too, with another fresh account; its log is ${logFile}\n`,
  );
  return {
    ...companion,
    stop: async () => {
      await companion.stop();
      // It exits with 0 only if it has left no order.
      const isFlat = (await companion.ended) === "exit code 0";
      finish(isFlat ? { ordersLeft: [], openOrdersLeft: 0 } : undefined);
    },
  };
}
