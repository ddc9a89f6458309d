import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { stateDirFor } from "#bot/state-dir.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";
import { until } from "./until.js";

const { random } = createLiveRuntime();

/**
 * The embedded exchange as its command runs it, for all tests of the file that makes one, and bots
 * of users who come to it.
 */
export class CommandedExchange {
  readonly folder = mkdtempSync(join(tmpdir(), "mw-"));
  where!: { readonly restUrl: string; readonly streamUrl: string; readonly port: number };

  constructor() {
    let exchange: StartedRun;
    beforeAll(async () => {
      const path = join(this.folder, "exchange.yaml");
      writeFileSync(
        path,
        `port: 0
seed: 7
markets:
  btcusdc: { tickSize: 0.1, stepSize: 0.001, flow: { kind: synthetic, startPriceQuote: 60000 } }
`,
      );
      exchange = startCli(["exchange", path, "--json"]);
      this.where = JSON.parse(await exchange.firstLine);
    });
    afterAll(async () => {
      exchange.interrupt();
      expect(await exchange.done).toMatchObject({ code: 0 });
    });
  }

  /** A bot's file and the environment of a user who has never traded before. */
  bot(
    changes: { readonly limits?: string; readonly extra?: string; readonly params?: string } = {},
  ) {
    const own = mkdtempSync(join(this.folder, "bot-"));
    const key =
      `0x${Array.from({ length: 4 }, () => random.uint64().toString(16).padStart(16, "0")).join("")}` as Hex;
    const file = join(own, "bot.yaml");
    writeFileSync(
      file,
      `exchange: { rest: "${this.where.restUrl}", stream: "${this.where.streamUrl}" }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc:
    strategy: ladder
    params: ${changes.params ?? "{ halfSpreadBps: 3, sizeBase: 0.02 }"}
    limits: ${changes.limits ?? "{ maxPositionBase: 0.5, maxOrderBase: 0.1 }"}
risk: { maxDrawdownQuote: 500, maxLoopLagMs: 60000 }
${changes.extra ?? ""}
`,
    );
    const env = { BOT_KEY: key, XDG_RUNTIME_DIR: own };
    const stateDir = () => stateDirFor(loadBotConfig(file, env), ecdsaScheme.signer(key).address);
    return { file, env, key, stateDir };
  }
}

interface OpenOrder {
  readonly id: string;
  readonly availableAmount: string;
}

/**
 * The open orders of the file's account that may still fill: one that has matched whole is listed
 * until it is settled.
 */
export async function openOrders(
  file: string,
  env: Record<string, string>,
): Promise<readonly OpenOrder[]> {
  const { out } = await captureCli(["call", "openOrders", "--bot", file], env);
  const listed: readonly OpenOrder[] = JSON.parse(out);
  return listed.filter(({ availableAmount }) => Number(availableAmount) > 0);
}

/** Until the bot that runs from the file answers, and has an order on each side. */
export async function untilQuoting(file: string, env: Record<string, string>): Promise<void> {
  await until(
    () => captureCli(["status", file, "--json"], env),
    ({ code }) => code === 0,
  );
  await until(
    () => openOrders(file, env),
    ({ length }) => length >= 2,
  );
}
