import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { stateDirFor } from "#bot/state-dir.js";
import { ecdsaScheme } from "#core/signing.js";
import { freePort } from "../support/free-port.js";
import { captureCli, startCli } from "./captured-cli.js";
import { untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const KEY = `0x${"6b".repeat(32)}` as const;

async function world() {
  const folder = mkdtempSync(join(tmpdir(), "mw-"));
  const port = await freePort();
  const file = join(folder, "bot.yaml");
  writeFileSync(
    file,
    `exchange: { rest: "http://127.0.0.1:${port}/v1", stream: "ws://127.0.0.1:${port}/v1", connectWithinMs: 600000 }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 } }
risk: { maxDrawdownQuote: 500 }
`,
  );
  const exchangeFile = join(folder, "exchange.yaml");
  writeFileSync(
    exchangeFile,
    `port: ${port}\nmarkets: { btcusdc: { flow: { kind: synthetic, startPriceQuote: 60000 } } }\n`,
  );
  return { file, exchangeFile, port, env: { BOT_KEY: KEY, XDG_RUNTIME_DIR: folder } };
}

it("a bot and a guard that are started before the exchange wait for it, say so in a sentence, and work once it is there", async () => {
  const { file, exchangeFile, port, env } = await world();
  const [run, guard] = [
    startCli(["run", file, "--json"], env),
    startCli(["guard", file, "--json"], env),
  ];
  const sentence = `marketwright: no exchange answers at http://127.0.0.1:${port}/v1 yet (ECONNREFUSED): waiting for it to start, for up to 600 s (exchange.connectWithinMs)`;
  for (const waiting of [run, guard])
    await until(
      () => waiting.said(),
      (said) => said.includes("no exchange answers"),
    );
  const exchange = startCli(["exchange", exchangeFile, "--json"]);
  await exchange.firstLine;
  await untilQuoting(file, env);
  expect(JSON.parse(await guard.firstLine)).toMatchObject({ kind: "watching" });
  for (const process of [run, guard, exchange]) {
    process.interrupt();
    expect(await process.done).toMatchObject({ code: 0 });
  }
  for (const waiting of [run, guard])
    expect(
      waiting
        .said()
        .split("\n")
        .filter((line) => line === sentence),
    ).toHaveLength(1);
});

it("a guard leaves alone what the bot is writing in that moment: both waited for the exchange, and note at once which one it is", async () => {
  const { file, exchangeFile, env } = await world();
  const stateDir = stateDirFor(loadBotConfig(file, env), ecdsaScheme.signer(KEY).address);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(stateDir, "account.json.new"), "half of the bot's");
  const exchange = startCli(["exchange", exchangeFile, "--json"]);
  await exchange.firstLine;
  const guard = startCli(["guard", file, "--json"], env);
  expect(JSON.parse(await guard.firstLine)).toMatchObject({ kind: "watching" });
  expect(readFileSync(join(stateDir, "account.json.new"), "utf8")).toBe("half of the bot's");
  expect(JSON.parse(readFileSync(join(stateDir, "account.json"), "utf8"))).toHaveProperty(
    "exchange",
  );
  for (const process of [guard, exchange]) {
    process.interrupt();
    expect(await process.done).toMatchObject({ code: 0 });
  }
});

it("a signal ends the wait at once", async () => {
  const { file, env } = await world();
  const [run, guard] = [startCli(["run", file], env), startCli(["guard", file], env)];
  for (const waiting of [run, guard]) {
    await until(
      () => waiting.said(),
      (said) => said.includes("no exchange answers"),
    );
    waiting.interrupt();
  }
  expect(await run.done).toMatchObject({
    code: 130,
    err: expect.stringContaining("marketwright: interrupted (SIGINT): no order was placed\n"),
  });
  expect(await guard.done).toMatchObject({ code: 0 });
  const recorder = startCli(["data", "record", "--exchange", file, "--market", "btcusdc"], env);
  await until(
    () => recorder.said(),
    (said) => said.includes("no exchange answers"),
  );
  recorder.interrupt();
  expect(await recorder.done).toMatchObject({
    code: 130,
    err: expect.stringContaining("nothing was recorded"),
  });
});

it("check and explain do not wait for the exchange: they report the current state", async () => {
  const { file, env } = await world();
  for (const args of [
    ["check", file, "--connect"],
    ["explain", file],
    ["cancel-all", file],
  ])
    expect(await captureCli(args, env)).toMatchObject({
      code: 1,
      err: expect.stringContaining("cannot reach the exchange"),
    });
});
