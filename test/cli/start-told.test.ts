import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalService } from "../notify/chat-services.js";
import { builtCommand } from "../support/built-command.js";
import { until } from "./until.js";

const hook = new LocalService(() => ({ status: 200, text: "" }));
let child: ChildProcess | undefined;
beforeAll(() => hook.open());
afterAll(() => {
  child?.kill("SIGKILL");
  hook.close();
});

describe("marketwright start of a file with notify", () => {
  it("tells that the bot runs, and that it was killed, though all that it started ends with it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mw-start-told-"));
    const bot = join(folder, "bot.yaml");
    const exchange = join(folder, "exchange.yaml");
    writeFileSync(
      exchange,
      "markets: { btcusdc: { flow: { kind: synthetic, startPriceQuote: 60000 } } }\n",
    );
    writeFileSync(
      bot,
      `exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
stateDir: state
quotes: { timeInForce: POST_ONLY }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
guard: { deadAfterMs: 60000 }
notify:
  channels:
    pager: { webhook: { urlEnv: HOOK, secretEnv: HOOK_SECRET }, from: info, digestMs: 0 }
`,
    );
    child = spawn(
      process.execPath,
      [builtCommand(), "start", bot, "--exchange", exchange, "--port", "0", "--json"],
      {
        env: {
          ...process.env,
          XDG_RUNTIME_DIR: folder,
          HOOK: `${hook.url}/in`,
          HOOK_SECRET: "hook-secret-of-the-tests-0001",
        },
        stdio: "ignore",
      },
    );
    const events = () =>
      hook.posted.flatMap(
        ({ body }) => body.events as { readonly title: string; readonly text?: string }[],
      );
    const untilTold = (part: string) =>
      until(events, (all) => all.some(({ title }) => title.includes(part)));
    await untilTold("the bot runs");
    child.kill("SIGKILL");
    const told = await untilTold("the bot is dead");
    // Long before its heartbeat would be too old.
    expect(told.at(-1)?.text).toBe(
      `process ${child.pid} has ended, and what it had started ends with it`,
    );
  });
});
