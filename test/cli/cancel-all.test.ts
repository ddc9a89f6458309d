import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockAccount } from "#bot/account-lock.js";
import { loadBotConfig } from "#bot/config.js";
import { startControlServer } from "#bot/control-server.js";
import { addRunningBotEntry } from "#bot/running-bots.js";
import { stateDirFor } from "#bot/state-dir.js";
import { ecdsaScheme } from "#core/signing.js";
import { freePort } from "../support/free-port.js";
import { captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";

const exchange = new CommandedExchange();

it("cancel-all of a file with a market that the exchange lists no more says where orders may be left, and halts the bot that would place again", async () => {
  const { file, env } = exchange.bot();
  const running = startCli(["run", file, "--json"], env);
  await untilQuoting(file, env);
  const wider = file.replace("bot.yaml", "wider.yaml");
  const gone =
    "markets:\n  goneusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 1 }, limits: { maxPositionBase: 1, maxOrderBase: 1 } }";
  writeFileSync(
    wider,
    readFileSync(file, "utf8")
      .replace("markets:", gone)
      .replace("exchange: {", "exchange: { signatureWindowMs: 2000,"),
  );

  const { code, out, err } = await captureCli(["cancel-all", wider], env);
  expect(code).toBe(1);
  expect(out).toMatch(
    /^2 orders cancelled: orders may be left in goneusdc\.\ngoneusdc: .*\n(cancelled +btcusdc +(BUY|SELL) .* placed by this bot\n){2}$/,
  );
  expect(out).toContain(
    "goneusdc: orders may be left: markets.goneusdc: the exchange has no such market; expected one of btcusdc",
  );
  expect(err).toMatch(
    /the running bot \(process \d+\) is halted and places no orders: marketwright resume .*wider\.yaml lets it quote again/,
  );
  const status = JSON.parse((await captureCli(["status", file, "--json"], env)).out);
  expect(status.halts).toEqual(["manual: cancel-all"]);
  expect(await openOrders(file, env)).toEqual([]);

  running.interrupt();
  expect((await running.done).code).toBe(0);
  expect(await captureCli(["cancel-all", wider, "--market", "goneusdc"], env)).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("the exchange has no such market"),
  });
});

it("cancel-all of one market halts the bot there alone, and one that the bot does not trade does not halt it", async () => {
  const { file, env } = exchange.bot();
  const running = startCli(["run", file, "--json"], env);
  await untilQuoting(file, env);
  const { code } = await captureCli(["cancel-all", file, "--market", "btcusdc"], env);
  expect(code).toBe(0);
  const status = JSON.parse((await captureCli(["status", file, "--json"], env)).out);
  expect(status.halts).toEqual([]);
  expect(status.markets.btcusdc.reasons).toEqual(["manual: cancel-all"]);
  expect(await captureCli(["resume", file, "--market", "btcusdc"], env)).toMatchObject({ code: 0 });
  await untilQuoting(file, env);
  running.interrupt();
  expect((await running.done).code).toBe(0);
});

it("cancel-all beside a bot that cannot be halted cancels all the same, says how to halt it, and fails: it may place again", async () => {
  const { file, env, key } = exchange.bot();
  const { address } = ecdsaScheme.signer(key);
  await captureCli(["call", "registerAccount", `account=${address}`, "--bot", file], env);
  const lock = await lockAccount({
    account: address,
    env,
    stateDir: stateDirFor(loadBotConfig(file, env), address),
  });
  try {
    const { code, out, err } = await captureCli(["cancel-all", file], env);
    expect({ code, out }).toEqual({
      code: 1,
      out: "Nothing was cancelled: no order is open in btcusdc.\n",
    });
    expect(err).toContain(
      `that this command cannot reach (another user's, or another XDG_RUNTIME_DIR): it may place the cancelled orders again`,
    );
    expect(err).toContain(`marketwright halt ${file}`);

    // One that hangs: it listens, and never answers.
    const socketPath = join(env.XDG_RUNTIME_DIR, "hangs.sock");
    const hanging = await startControlServer(socketPath, () => new Promise(() => {}));
    addRunningBotEntry(
      {
        pid: process.pid,
        config: file,
        account: address,
        socketPath,
        state: { directory: stateDirFor(loadBotConfig(file, env), address), markets: ["btcusdc"] },
      },
      env,
    );
    const hung = await captureCli(["cancel-all", file], env);
    expect({ code: hung.code, out: hung.out }).toEqual({
      code: 1,
      out: "Nothing was cancelled: no order is open in btcusdc.\n",
    });
    expect(hung.err).toMatch(
      /could not be halted: .*has not answered for .*the halt is stored: the next bot that starts is halted/,
    );
    await hanging.close();
  } finally {
    await lock.release();
  }
});

it("a guard starts where one of its markets is listed no more: the orders in the others need it", async () => {
  const { file, env } = exchange.bot();
  const gone =
    "markets:\n  goneusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 1 }, limits: { maxPositionBase: 1, maxOrderBase: 1 } }";
  writeFileSync(file, readFileSync(file, "utf8").replace("markets:", gone));
  const guard = startCli(["guard", file, "--json"], env);
  expect(JSON.parse(await guard.firstLine)).toMatchObject({
    kind: "watching",
    markets: ["goneusdc", "btcusdc"],
  });
  guard.interrupt();
  expect(await guard.done).toMatchObject({ code: 0 });
});

it("a guard that is started while the exchange is away waits for it where a bot may have left orders, and ends at once where none has", async () => {
  const { file, env, stateDir } = exchange.bot();
  const away = createServer((socket) => {
    const { port } = exchange.where;
    const through = connect(port, "127.0.0.1");
    socket.pipe(through).pipe(socket);
    for (const end of [socket, through]) end.on("error", () => end.destroy());
  });
  const port = await freePort();
  writeFileSync(
    file,
    readFileSync(file, "utf8").replaceAll(`:${exchange.where.port}/`, `:${port}/`),
  );
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("exchange: {", "exchange: { connectWithinMs: 600,"));
  expect(await captureCli(["guard", file], env)).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /no exchange answers at .*waiting for it to start, for up to 0\.6 s.*[\s\S]*cannot reach the exchange/,
    ),
  });
  writeFileSync(file, text);

  const beat = { atMs: 0, lastRequestMs: 0, state: "running", markets: ["btcusdc"], pid: 1 };
  mkdirSync(stateDir(), { recursive: true });
  writeFileSync(join(stateDir(), "heartbeat.json"), JSON.stringify(beat));
  const guard = startCli(["guard", file, "--json"], env);
  // It has asked in vain by then.
  await Promise.race([guard.done, new Promise((resolve) => setTimeout(resolve, 1_500))]);
  await new Promise<void>((resolve) => away.listen(port, "127.0.0.1", () => resolve()));
  expect(JSON.parse(await guard.firstLine)).toMatchObject({ kind: "watching" });
  guard.interrupt();
  expect(await guard.done).toMatchObject({ code: 0 });
  await new Promise((resolve) => away.close(resolve));
});

it("cancel-all works beside a state folder whose files are broken, and a file from which no bot starts, and says what it waits for", async () => {
  const { file, env, stateDir } = exchange.bot();
  const running = startCli(["run", file, "--json"], env);
  await untilQuoting(file, env);
  running.interrupt();
  await running.done;
  const folder = stateDir();
  for (const name of ["heartbeat.json", "built-orders.json"])
    writeFileSync(join(folder, name), "{");
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text
      .replace("exchange: {", "exchange: { signatureWindowMs: 1000,")
      .replace("sizeBase: 0.02", "sizeBase: 0.02, targetPositionBase: 2"),
  );

  const { code, out, err } = await captureCli(["cancel-all", file], env);
  expect({ code, out }).toEqual({
    code: 0,
    out: "Nothing was cancelled: no order is open in btcusdc.\n",
  });
  expect(err).toContain("heartbeat.json");
  expect(err).toContain("built-orders.json");
  expect(err).toContain("Its last requests may arrive for another 3 s; the command waits for them");
  expect(await captureCli(["halt", file], env)).toMatchObject({ code: 0 });
  expect(await captureCli(["check", file], env)).toMatchObject({
    code: 2,
    err: expect.stringContaining("targetPositionBase"),
  });
});
