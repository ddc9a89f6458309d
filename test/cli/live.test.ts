import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBotConfig } from "../../src/bot/config/config.js";
import { stateDirOf } from "../../src/bot/state/state-dir.js";
import { liveSeam } from "../../src/core/live-seam.js";
import { ecdsaScheme } from "../../src/core/signing.js";
import type { Hex } from "../../src/core/units.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";

const folder = mkdtempSync(join(tmpdir(), "mw-"));
const { random, clock } = liveSeam();
let exchange: StartedRun;
let where: { readonly restUrl: string; readonly streamUrl: string; readonly port: number };

beforeAll(async () => {
  const path = join(folder, "exchange.yaml");
  writeFileSync(
    path,
    `port: 0
seed: 7
markets:
  btcusdc: { tickSize: 0.1, stepSize: 0.001, flow: { kind: synthetic, startPriceQuote: 60000 } }
`,
  );
  exchange = startCli(["exchange", path, "--json"]);
  where = JSON.parse(await exchange.firstLine);
});

afterAll(async () => {
  exchange.interrupt();
  expect(await exchange.done).toMatchObject({ code: 0 });
});

/** A bot's file and the environment of a user who has never traded before. */
function bot(changes: { readonly limits?: string; readonly extra?: string; readonly params?: string } = {}) {
  const own = mkdtempSync(join(folder, "bot-"));
  const key = `0x${Array.from({ length: 4 }, () => random.uint64().toString(16).padStart(16, "0")).join("")}` as Hex;
  const file = join(own, "bot.yaml");
  writeFileSync(
    file,
    `exchange: { rest: "${where.restUrl}", stream: "${where.streamUrl}" }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc:
    strategy: ladder
    params: ${changes.params ?? "{ halfSpreadBps: 3, sizeBase: 0.02 }"}
    limits: ${changes.limits ?? "{ maxPositionBase: 0.5, maxOrderBase: 0.1 }"}
risk: { maxDrawdownQuote: 500 }
${changes.extra ?? ""}
`,
  );
  const env = { BOT_KEY: key, XDG_RUNTIME_DIR: own };
  const stateDir = () => stateDirOf(loadBotConfig(file, env), ecdsaScheme.signer(key).address);
  return { file, env, key, stateDir };
}

const openOrders = async (file: string, env: Record<string, string>): Promise<readonly { readonly id: string }[]> =>
  JSON.parse((await captureCli(["call", "openOrders", "--bot", file], env)).out);

/** Asks again and again, and gives up when it never becomes so. */
async function until<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  let answer = await ask();
  for (let tries = 0; !isSo(answer); tries++) {
    if (tries > 1200) throw new Error(`it never became so: ${JSON.stringify(answer)}`);
    await new Promise<void>((resolve) => clock.setTimer(100, resolve));
    answer = await ask();
  }
  return answer;
}

const statusOf = (file: string, env: Record<string, string>) => captureCli(["status", file, "--json"], env);

describe("a bot on the embedded exchange, from the command line", () => {
  it("quotes, stops by itself, leaves nothing open and says what it came to as one JSON object", async () => {
    const { file, env, key, stateDir } = bot();
    const { code, out, err } = await captureCli(["run", file, "--for", "3s", "--json"], env);
    expect(err).toBe("");
    const summary = JSON.parse(out);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ openOrdersLeft: 0, ordersLeft: [], ordersUnknown: 0, streamGaps: 0, stopReason: "the time is over" });
    expect(summary.ordersPlaced).toBeGreaterThanOrEqual(2);
    expect(summary.secondsToFirstQuote).toBeGreaterThan(0);
    expect(Object.keys(summary.pnlQuote)).toEqual(expect.arrayContaining(["spread", "inventory", "fees", "funding", "basis", "total"]));
    expect(await openOrders(file, env)).toEqual([]);
    expect(statSync(stateDir()).mode & 0o777).toBe(0o700);
    expect(existsSync(join(stateDir(), "fills.jsonl")) ? summary.fills : 0).toBe(summary.fills);
    expect(out).not.toContain(key.slice(2));
  });

  it("answers its operator while it runs, and is the only one of its account", async () => {
    const { file, env } = bot({ extra: "metrics: { port: 0 }" });
    const running = startCli(["run", file, "--json"], env);
    const status = await until(
      () => statusOf(file, env),
      ({ code, out }) => code === 0 && JSON.parse(out).markets.btcusdc.state === "quoting",
    );
    expect(JSON.parse(status.out)).toMatchObject({
      phase: "running",
      halts: [],
      markets: { btcusdc: { strategy: "ladder", openBids: 1, openAsks: 1 } },
    });

    expect(await captureCli(["run", file, "--json"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("another bot on this machine trades this account"),
    });
    expect(await captureCli(["halt", "--market", "ethusdc"], env)).toMatchObject({ code: 2, err: expect.stringContaining("btcusdc") });

    const halted = JSON.parse((await captureCli(["halt", "--reason", "news", "--json"], env)).out);
    expect(JSON.stringify(halted)).toContain("news");
    await until(
      () => openOrders(file, env),
      ({ length }) => length === 0,
    );
    expect(JSON.parse((await captureCli(["resume", "--json"], env)).out).halts).toEqual([]);
    await until(
      () => openOrders(file, env),
      ({ length }) => length >= 2,
    );

    running.interrupt();
    const { code, out } = await running.done;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ stopReason: "SIGINT", openOrdersLeft: 0 });
    expect(await openOrders(file, env)).toEqual([]);
    expect((await captureCli(["status"], env)).code).toBe(1);
  });

  it("that was halted before it runs starts halted, and quotes once somebody resumes; a dry run of it is not held", async () => {
    const { file, env, stateDir } = bot({ extra: "metrics: { port: 0 }" });
    expect((await captureCli(["halt", file, "--reason", "news"], env)).code).toBe(0);
    const before = readFileSync(join(stateDir(), "manual-halts.json"), "utf8");
    const dry = startCli(["run", file, "--dry-run", "--no-fills", "--json"], env);
    const asIf = await until(
      () => statusOf(file, env),
      ({ code, out }) => code === 0 && JSON.parse(out).phase === "running",
    );
    expect(asIf.out).not.toContain("manual: ");
    expect(JSON.parse(asIf.out)).toMatchObject({ dryRun: true, paper: false });
    await captureCli(["resume", file], env);
    dry.interrupt();
    expect(await dry.done).toMatchObject({ code: 0 });
    expect(readFileSync(join(stateDir(), "manual-halts.json"), "utf8"), "a dry run's resume is its own").toBe(before);

    const running = startCli(["run", file, "--json"], env);
    const status = await until(
      () => statusOf(file, env),
      ({ code, out }) => code === 0 && JSON.parse(out).phase === "running",
    );
    expect(JSON.parse(status.out)).toMatchObject({
      halts: expect.arrayContaining(["manual: news (halted by hand in an earlier run)"]),
    });
    await captureCli(["resume", file], env);
    await until(
      () => openOrders(file, env),
      ({ length }) => length >= 2,
    );
    running.interrupt();
    expect(await running.done).toMatchObject({ code: 0 });
  });

  // Another's peak would halt it, or hide its loss, and a guard would take the one bot's heartbeat for the other's, which is dead.
  it("has its state for itself: another account's bot, its guard and its halt are refused there, and it is asked for by name", async () => {
    const first = bot();
    expect((await captureCli(["run", first.file, "--for", "1s", "--json"], first.env)).code).toBe(0);
    const second = bot({ extra: `stateDir: ${first.stateDir()}` });
    const expected = expect.stringMatching(/stateDir: holds the state of another account .*account\.json/);
    for (const command of [["run", "--for", "1s", "--json"], ["halt"], ["guard"]]) {
      const [name, ...options] = command as [string, ...string[]];
      expect(await captureCli([name, second.file, ...options], second.env), name).toMatchObject({ code: 2, err: expected });
    }
    expect((await captureCli(["run", first.file, "--for", "1s", "--json"], first.env)).code).toBe(0);
  });

  it("has its state of this exchange alone: the same account on another one is refused there, its guard too, and finds its own again", async () => {
    const { file, env, stateDir } = bot();
    expect((await captureCli(["run", file, "--for", "1s", "--json"], env)).code).toBe(0);
    const here = readFileSync(file, "utf8").replace("risk:", `stateDir: ${stateDir()}\nrisk:`);
    const path = join(folder, "mainnet.yaml");
    writeFileSync(path, "port: 0\ndomain: { chainId: 8453 }\nmarkets: { btcusdc: {} }\n");
    const mainnet = startCli(["exchange", path, "--json"]);
    const { restUrl, streamUrl } = JSON.parse(await mainnet.firstLine);
    writeFileSync(file, here.replace(where.restUrl, restUrl).replace(where.streamUrl, streamUrl));
    const expected = expect.stringMatching(
      /stateDir: holds the account's state on another exchange .*chain 31337, .*leads to chain 8453, /,
    );
    expect(await captureCli(["run", file, "--for", "1s", "--json"], env)).toMatchObject({ code: 2, err: expected });
    expect(await captureCli(["guard", file], env)).toMatchObject({ code: 2, err: expected });
    expect(await captureCli(["call", "balances", "--bot", file], env), "nothing was done there").toMatchObject({ code: 1 });
    mainnet.interrupt();
    await mainnet.done;
    writeFileSync(file, here);
    expect((await captureCli(["run", file, "--for", "1s", "--json"], env)).code).toBe(0);
  });

  it("sends nothing on a dry run, not even its account, and whoever asks hears that its orders and its equity are paper", async () => {
    const { file, env } = bot();
    const dry = startCli(["run", file, "--dry-run", "--json"], env);
    const status = await until(
      () => statusOf(file, env),
      ({ code, out }) => code === 0 && JSON.parse(out).phase === "running",
    );
    expect(JSON.parse(status.out)).toMatchObject({ dryRun: true, paper: true });
    dry.interrupt();
    expect(await dry.done).toMatchObject({ code: 0 });
    const asked = await captureCli(["call", "openOrders", "--bot", file], env);
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining("not registered") });
  });

  it("records a journal that holds no key, and replays it without one, decision by decision", async () => {
    const { file, env, key } = bot();
    const journal = join(folder, "run.journal");
    expect((await captureCli(["run", file, "--for", "1s", "--json", "--journal", journal], env)).code).toBe(0);
    expect(readFileSync(journal, "utf8")).not.toContain(key.slice(2));
    expect(statSync(journal).mode & 0o777).toBe(0o600);

    const shown = await captureCli(["replay", journal]);
    expect(shown).toMatchObject({ code: 0, err: "" });
    expect(shown.out).toMatch(/btcusdc wants BUY 0 20@\d+, SELL 0 20@\d+ \(fair /);
    expect(shown.out).toMatch(/btcusdc place BUY 20@\d+ POST_ONLY 0x[0-9a-f]{64}/);
    const machine = await captureCli(["replay", journal, "--json"]);
    expect(JSON.parse(machine.out)).toMatchObject({ identical: true, phase: "stopped" });

    const lines = readFileSync(journal, "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes('"kind":"place"'));
    lines[at] = (lines[at] ?? "").replace(/"lots":20/, '"lots":21');
    writeFileSync(journal, lines.join("\n"));
    const tampered = await captureCli(["replay", journal, "--quiet"]);
    expect(tampered.code).toBe(1);
    expect(tampered.out).toContain(`(line ${at + 1}) differs`);
    expect(await captureCli(["replay", file])).toMatchObject({ code: 2, out: "", err: expect.stringContaining("line 1") });
  });

  it("explains what it would quote without sending anything or leaving a trace", async () => {
    const { file, env, stateDir } = bot();
    const text = await captureCli(["explain", file], env);
    expect(text).toMatchObject({ code: 0, err: "" });
    expect(text.out).toContain("not registered");
    const { out } = await captureCli(["explain", file, "--json"], env);
    expect(JSON.parse(out)).toMatchObject({ complete: true, registered: false, markets: { btcusdc: { strategy: "ladder" } } });
    expect(JSON.parse(out).markets.btcusdc.quotes).toHaveLength(2);
    expect(existsSync(stateDir())).toBe(false);
  });

  it("ends with exit code 2 on a size that is off the exchange's grid, and on a market that is not there", async () => {
    const off = bot({ params: "{ halfSpreadBps: 3, sizeBase: 0.0205 }" });
    expect(await captureCli(["run", off.file, "--json"], off.env)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("markets.btcusdc.params.sizeBase"),
    });
    const limit = bot({ limits: "{ maxOrderBase: 0.1005 }" });
    expect(await captureCli(["check", limit.file, "--connect"], limit.env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("0.1 or 0.101"),
    });
  });

  it("ends with exit code 1 when its metrics port, or the exchange's, is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { file, env } = bot({ extra: `metrics: { port: ${port} }` });
    expect(await captureCli(["run", file, "--json"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining(`metrics.port: is in use (got ${port})`),
    });
    expect(await captureCli(["exchange", "--port", String(port), "--rpc-port", "0"])).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("port is in use"),
    });
    await new Promise((resolve) => taken.close(resolve));
  });

  it("ends with exit code 1 when no exchange is there", async () => {
    const { file, env } = bot();
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(String(where.port), "1"));
    expect(await captureCli(["run", file, "--json"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("exchange.rest: cannot reach the exchange"),
    });
  });
});

describe("an order that somebody placed by hand", () => {
  it("is told apart from the bot's, and cancel-all says that it took it", async () => {
    const { file, env } = bot();
    const running = startCli(["run", file, "--json"], env);
    await until(
      () => statusOf(file, env),
      ({ code }) => code === 0,
    );
    await until(
      () => openOrders(file, env),
      ({ length }) => length >= 2,
    );
    const build = ["marketId=btcusdc", "side=BUY", "orderType=LIMIT", "amount=0.01", "price=50000", "timeInForce=GTC"];
    const built = JSON.parse((await captureCli(["call", "buildOrder", ...build, "--bot", file], env)).out);
    const orderSignature = ecdsaScheme.signer(env.BOT_KEY).sign(Buffer.from(built.orderHash.slice(2), "hex"));
    const quotation = built.gasFeeQuotation === undefined ? [] : [`gasFeeQuotation=${built.gasFeeQuotation}`];
    const placed = await captureCli(
      ["call", "placeOrder", ...build, `orderSignature=${orderSignature}`, `info=${built.order.info}`, ...quotation, "--bot", file],
      env,
    );
    expect(placed).toMatchObject({ code: 0, err: "" });

    const { out } = await captureCli(["check", file, "--connect", "--json"], env);
    expect(JSON.parse(out).findings).toContainEqual(
      expect.objectContaining({
        level: "warning",
        subject: "orders",
        text: expect.stringContaining("1 open orders were not placed by this bot"),
      }),
    );
    running.interrupt();
    expect(JSON.parse((await running.done).out)).toMatchObject({ openOrdersLeft: 0, manualOrders: 1 });
    expect(await openOrders(file, env)).toHaveLength(1);

    const cancelled = await captureCli(["cancel-all", file, "--json"], env);
    expect(cancelled.code).toBe(0);
    expect(JSON.parse(cancelled.out)).toMatchObject({
      found: [{ marketId: "btcusdc", side: "BUY", price: "50000", placedBy: "somebody else" }],
      left: [],
    });
    expect(await openOrders(file, env)).toEqual([]);
    expect((await captureCli(["cancel-all", file], env)).out).toBe("no open orders in btcusdc\n");
  });
});

describe("the guard", () => {
  it("watches, and leaves when it is asked to; a second one of the account is refused", async () => {
    const { file, env } = bot();
    await captureCli(["run", file, "--for", "1s", "--json"], env);
    const guard = startCli(["guard", file, "--json"], env);
    expect(JSON.parse(await guard.firstLine)).toMatchObject({ kind: "watching", markets: ["btcusdc"] });
    expect(await captureCli(["guard", file], env)).toMatchObject({ code: 1, err: expect.stringContaining("another guard") });
    guard.interrupt();
    expect((await guard.done).code).toBe(0);
  });
});
