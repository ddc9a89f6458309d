import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ecdsaScheme } from "#core/signing.js";
import { captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();

const statusOf = (file: string, env: Record<string, string>) =>
  captureCli(["status", file, "--json"], env);

describe("a bot on the embedded exchange, from the command line", () => {
  it("quotes, stops by itself, leaves nothing open and says what it came to as one JSON object", async () => {
    const traded = async (time: string) => {
      const bot = exchange.bot();
      const args = ["run", bot.file, "--for", time, "--json"];
      const { code, out, err } = await captureCli(args, bot.env);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      return { ...bot, out, summary: JSON.parse(out) };
    };
    let run = await traded("3s");
    // A busy machine gets longer until its first quotes.
    if (run.summary.ordersPlaced < 2) run = await traded("60s");
    const { file, env, key, stateDir, out, summary } = run;
    expect(summary).toMatchObject({
      openOrdersLeft: 0,
      ordersLeft: [],
      ordersUnknown: 0,
      streamGaps: 0,
      stopReason: "the time is over",
    });
    expect(summary.ordersPlaced).toBeGreaterThanOrEqual(2);
    expect(summary.secondsToFirstQuote).toBeGreaterThan(0);
    expect(Object.keys(summary.pnlQuote)).toEqual(
      expect.arrayContaining(["spread", "inventory", "fees", "funding", "basis", "total"]),
    );
    expect(await openOrders(file, env)).toEqual([]);
    expect(statSync(stateDir()).mode & 0o777).toBe(0o700);
    expect(existsSync(join(stateDir(), "fills.jsonl")) ? summary.fills : 0).toBe(summary.fills);
    expect(out).not.toContain(key.slice(2));
  });

  it("answers its operator while it runs, and is the only one of its account", async () => {
    const { file, env } = exchange.bot({ extra: "metrics: { port: 0 }" });
    const running = startCli(["run", file, "--json"], env);
    const status = await until(
      () => statusOf(file, env),
      ({ code, out }) => {
        if (code !== 0) return false;
        const { state, openBids, openAsks } = JSON.parse(out).markets.btcusdc;
        // An order that is being replaced is not open.
        return state === "quoting" && openBids === 1 && openAsks === 1;
      },
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
    expect(await captureCli(["halt", "--market", "ethusdc"], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("btcusdc"),
    });
    expect(await captureCli(["flatten", "--slice-base", "0.00001"], env)).toMatchObject({
      code: 2,
      err: 'marketwright: sliceBase: is not a size on the market\'s grid (got "0.00001"); expected a whole multiple of 0.001\n',
    });

    const halted = JSON.parse((await captureCli(["halt", "--reason", "news", "--json"], env)).out);
    expect(JSON.stringify(halted)).toContain("news");
    await until(
      () => openOrders(file, env),
      ({ length }) => length === 0,
    );
    expect(JSON.parse((await captureCli(["resume", "--json"], env)).out).halts).toEqual([]);
    await untilQuoting(file, env);

    running.interrupt();
    const { code, out } = await running.done;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ stopReason: "SIGINT", openOrdersLeft: 0 });
    expect(await openOrders(file, env)).toEqual([]);
    expect((await captureCli(["status"], env)).code).toBe(1);
  });

  it("that was halted before it runs starts halted, and quotes once somebody resumes; a dry run of it is not held", async () => {
    const { file, env, stateDir } = exchange.bot({ extra: "metrics: { port: 0 }" });
    expect((await captureCli(["halt", file, "--reason", "news"], env)).code).toBe(0);
    const before = readFileSync(join(stateDir(), "manual-halt.json"), "utf8");
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
    expect(
      readFileSync(join(stateDir(), "manual-halt.json"), "utf8"),
      "a dry run's resume is its own",
    ).toBe(before);

    const running = startCli(["run", file, "--json"], env);
    const status = await until(
      () => statusOf(file, env),
      ({ code, out }) => code === 0 && JSON.parse(out).phase === "running",
    );
    expect(JSON.parse(status.out)).toMatchObject({
      halts: expect.arrayContaining(["manual: news (halted by an operator in an earlier run)"]),
    });
    await captureCli(["resume", file], env);
    await untilQuoting(file, env);
    running.interrupt();
    expect(await running.done).toMatchObject({ code: 0 });
  });

  it("sends nothing on a dry run, not even its account, and whoever asks hears that its orders and its equity are paper", async () => {
    const { file, env } = exchange.bot();
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
    const { file, env, key } = exchange.bot();
    const journal = join(exchange.folder, "run.journal");
    const running = startCli(["run", file, "--json", "--journal", journal], env);
    await untilQuoting(file, env);
    running.interrupt();
    expect((await running.done).code).toBe(0);
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
    expect(await captureCli(["replay", file])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("line 1"),
    });
  });

  it("explains what it would quote without sending anything or leaving a trace", async () => {
    const { file, env, stateDir } = exchange.bot();
    const text = await captureCli(["explain", file], env);
    expect(text).toMatchObject({ code: 0, err: "" });
    expect(text.out).toContain("not registered");
    const { out } = await captureCli(["explain", file, "--json"], env);
    expect(JSON.parse(out)).toMatchObject({
      complete: true,
      registered: false,
      markets: { btcusdc: { strategy: "ladder" } },
    });
    expect(JSON.parse(out).markets.btcusdc.quotes).toHaveLength(2);
    expect(existsSync(stateDir())).toBe(false);
  });
});

describe("an order that somebody placed by hand", () => {
  it("is told apart from the bot's, and cancel-all says that it took it", async () => {
    const { file, env } = exchange.bot();
    const running = startCli(["run", file, "--json"], env);
    await untilQuoting(file, env);
    const build = [
      "marketId=btcusdc",
      "side=BUY",
      "orderType=LIMIT",
      "amount=0.01",
      "price=50000",
      "timeInForce=GTC",
    ];
    const built = JSON.parse(
      (await captureCli(["call", "buildOrder", ...build, "--bot", file], env)).out,
    );
    const orderSignature = ecdsaScheme
      .signer(env.BOT_KEY)
      .sign(Buffer.from(built.orderHash.slice(2), "hex"));
    const quotation =
      built.gasFeeQuotation === undefined ? [] : [`gasFeeQuotation=${built.gasFeeQuotation}`];
    const placed = await captureCli(
      [
        "call",
        "placeOrder",
        ...build,
        `orderSignature=${orderSignature}`,
        `info=${built.order.info}`,
        ...quotation,
        "--bot",
        file,
      ],
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
    expect(JSON.parse((await running.done).out)).toMatchObject({
      openOrdersLeft: 0,
      manualOrders: 1,
    });
    expect(await openOrders(file, env)).toHaveLength(1);

    const cancelled = await captureCli(["cancel-all", file, "--json"], env);
    expect(cancelled.code).toBe(0);
    expect(JSON.parse(cancelled.out)).toMatchObject({
      found: [{ marketId: "btcusdc", side: "BUY", price: "50000", placedBy: "somebody else" }],
      left: [],
    });
    expect(await openOrders(file, env)).toEqual([]);
    expect((await captureCli(["cancel-all", file], env)).out).toBe(
      "Nothing was cancelled: no order is open in btcusdc.\n",
    );
  });
});

describe("the guard", () => {
  it("watches, and leaves when it is asked to; a second one of the account is refused", async () => {
    const { file, env } = exchange.bot();
    await captureCli(["run", file, "--for", "1s", "--json"], env);
    const guard = startCli(["guard", file, "--json"], env);
    expect(JSON.parse(await guard.firstLine)).toMatchObject({
      kind: "watching",
      markets: ["btcusdc"],
    });
    expect(await captureCli(["guard", file], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining("another guard"),
    });
    guard.interrupt();
    expect((await guard.done).code).toBe(0);
  });
});
