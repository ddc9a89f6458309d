import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { BOT_TEMPLATES, findTemplate } from "#cli/bot-templates.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";
import { expectAcceptedFile, MARKETS, SOME_CHOICES, schema } from "./init-choices.js";
import { TypedTerminal } from "./typed-terminal.js";

const KEY = `0x${"2e".repeat(32)}`;
const env = { MARKETWRIGHT_KEY: KEY };
const folder = mkdtempSync(join(tmpdir(), "mw-init-"));

let exchange: StartedRun;
let rest: string;
let rpc: string;

beforeAll(async () => {
  exchange = startCli(["exchange", "--port", "0", "--rpc-port", "0", "--json"]);
  const where = JSON.parse(await exchange.firstLine);
  rest = where.restUrl;
  rpc = where.chain.rpcUrl;
});

afterAll(async () => {
  exchange.interrupt();
  expect(await exchange.done).toMatchObject({ code: 0 });
});

let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `bot${files}.yaml`);
}

/** Runs `init` against the embedded exchange, without a terminal. */
function init(file: string, ...options: readonly string[]) {
  return captureCli(["init", file, "--exchange", rest, ...options], {});
}

function textOf(file: string): string {
  return readFileSync(file, "utf8");
}

describe("marketwright init", () => {
  describe.concurrent("writes files that check passes", () => {
    // All of them: init.verify.ts.
    it.each(SOME_CHOICES)("%s, %s, %s", (strategy, market, risk) =>
      expectAcceptedFile(newFile(), rest, [strategy, market, risk]),
    );

    it.each(Object.keys(BOT_TEMPLATES))("template %s, both markets", async (template) => {
      const file = newFile();
      const markets = MARKETS.flatMap((id) => ["--market", id]);
      const { code, err } = await init(file, "--template", template, ...markets, "--rpc", rpc);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const checked = await captureCli(["check", file, "--connect", "--within", "60s"], env);
      expect(checked).toMatchObject({ code: 0, out: expect.stringContaining("0 errors") });
      const bot = parse(textOf(file));
      const { makesMarkets, strategy = "ladder", liquidates } = BOT_TEMPLATES[template] ?? {};
      expect(Object.keys(bot.markets)).toEqual(MARKETS);
      for (const id of MARKETS)
        expect(bot.markets[id].strategy).toBe(makesMarkets ? strategy : undefined);
      expect([bot.liquidator !== undefined, bot.chain !== undefined]).toEqual([
        liquidates,
        liquidates,
      ]);
    });
  });

  it("writes a bot that quotes both sides at once, within its limits", async () => {
    const file = newFile();
    await init(file, "--market", "btcusdc");
    const ran = await captureCli(["explain", file, "--json", "--within", "60s"], env);
    expect(ran).toMatchObject({ code: 0 });
    const { quotes } = JSON.parse(ran.out).markets.btcusdc;
    expect(quotes.map(({ side }: { side: string }) => side).sort()).toEqual(["BUY", "SELL"]);
  });

  it("gives each number its reason, in lines of at most 100 columns", async () => {
    const file = newFile();
    await init(file, "--market", "ethusdc", "--balance", "25000", "--risk", "careful");
    const lines = textOf(file).split("\n");
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    const bare = lines.filter(
      (line, at) =>
        /^ +\w+: -?[\d.]+/.test(line) && !/ # ./.test(line) && !/^ +# ./.test(lines[at - 1] ?? ""),
    );
    expect(bare).toEqual([]);
    expect(textOf(file)).toContain("Planned for a balance of 25000 quote");
    // 1 % of it, and a fifth of it in positions.
    const { risk, markets } = parse(textOf(file));
    expect(risk.maxDrawdownQuote).toBe(250);
    const worth = /maxPositionBase: .* worth ([\d.]+):/.exec(textOf(file))?.[1];
    expect(Number(worth)).toBeGreaterThan(4900);
    expect(Number(worth)).toBeLessThanOrEqual(5001);
    expect(markets.ethusdc.limits.maxPositionBase).toBeGreaterThan(1);
  });

  it("names the package's schema, so that an editor finds it wherever the file is", async () => {
    const far = newFile();
    const near = join(folder, "node_modules-like", "bot.yaml");
    mkdirSync(join(folder, "node_modules-like"));
    for (const file of [far, near]) {
      await init(file);
      const [, address = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(textOf(file)) ?? [];
      expect(JSON.parse(textOf(fileURLToPath(new URL(address, `file://${file}`))))).toEqual(schema);
    }
  });

  it("writes an example of the environment with names alone, and never a value", async () => {
    const file = newFile();
    const { out } = await captureCli(["init", file, "--exchange", rest], env);
    const example = textOf(file.replace(".yaml", ".env.example"));
    expect(example).toMatch(/^MARKETWRIGHT_KEY=$/m);
    for (const text of [out, example, textOf(file)]) expect(text).not.toContain("2e2e2e");
    const remote = newFile();
    await init(remote, "--template", "liquidator", "--rpc-env", "RPC_URL", "--key-env", "MY_KEY");
    const both = textOf(remote.replace(".yaml", ".env.example"));
    expect(both.match(/^\w+=.*$/gm)).toEqual(["MY_KEY=", "RPC_URL="]);
    expect(parse(textOf(remote)).chain).toEqual({ rpcEnv: ["RPC_URL"] });
  });

  it("takes a keystore, with paths relative to the file", async () => {
    const below = join(folder, "below");
    mkdirSync(below);
    const keystore = join(folder, "account.json");
    const passwords = { PASSWORD: "correct horse" };
    await captureCli(["key", "new", keystore, "--password-env", "PASSWORD"], passwords);
    const file = join(below, "bot.yaml");
    const options = ["--keystore", keystore, "--password-env", "PASSWORD"];
    expect(await init(file, ...options)).toMatchObject({ code: 0 });
    expect(parse(textOf(file)).account).toEqual({
      keystore: { file: keystore, passwordEnv: "PASSWORD" },
    });
    expect(await captureCli(["check", file], passwords)).toMatchObject({ code: 0 });
    const relative = join("test", "cli", "init.test.ts");
    expect(await init(newFile(), "--keystore", relative)).toMatchObject({ code: 2 });
  });

  it("plans with the net value of an account that the exchange knows", async () => {
    const known = { MARKETWRIGHT_KEY: `0x${"3d".repeat(32)}` };
    const first = newFile();
    await init(first);
    // A run registers the account, which the embedded exchange credits with play money.
    await captureCli(["run", first, "--for", "1s", "--json"], {
      ...known,
      XDG_RUNTIME_DIR: folder,
    });
    const file = newFile();
    const args = ["init", file, "--exchange", rest, "--json"];
    const { out, code } = await captureCli(args, known);
    expect(code).toBe(0);
    const { choices, proposals } = JSON.parse(out);
    expect(choices.balance.source).toBe("account");
    expect(Number(choices.balance.value)).toBeGreaterThan(90_000);
    const drawdown = proposals.find(({ path }: { path: string }) =>
      path.endsWith("maxDrawdownQuote"),
    );
    expect(Number(drawdown.value)).toBeGreaterThan(2700);
  });

  it("says what it chose by itself, and ends with the commands to type", async () => {
    const file = newFile();
    const { out } = await init(file, "--market", "btcusdc");
    expect(out).toMatch(/exchange +http:\S+ +as the option says\n/);
    expect(out).toMatch(/strategy +ladder +by default\n/);
    expect(out).toMatch(/balance +10000 +by default\n/);
    expect(out).toMatch(/risk +balanced +by default\n/);
    const commands = [...out.matchAll(/^ {2}(?!#)(.*)$/gm)].map((match) => match[1] ?? "");
    expect(
      commands.map((line) => /\b(umask|set|exchange|check|guard|run)\b/.exec(line)?.[1]),
    ).toEqual(["umask", "set", "exchange", "check", "guard", "run"]);
    expect(out.trimEnd().split("\n").at(-1)).toContain(` run ${file}`);
  });

  it("takes a market that is named twice once", async () => {
    const file = newFile();
    const { out } = await init(file, "--market", "btcusdc", "--market", "btcusdc");
    expect(out).toMatch(/markets +btcusdc +as the option says\n/);
    expect(Object.keys(parse(textOf(file)).markets)).toEqual(["btcusdc"]);
  });

  it("answers programs with one JSON object, and asks nothing on a terminal", async () => {
    const file = newFile();
    const terminal = new TypedTerminal();
    const run = startCli(["init", file, "--exchange", rest, "--json"], {}, terminal);
    const { out, code } = await run.done;
    expect(code).toBe(0);
    expect(terminal.shown).toBe("");
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ file, choices: { risk: { value: "balanced" } } });
    const written = parse(textOf(file));
    for (const { path, value } of answer.proposals as { path: string; value: string }[]) {
      const held = path.split(".").reduce((at, key) => at[key], written);
      expect({ path, held }).toEqual({ path, held: parse(value) });
    }
  });

  it("names every built-in strategy in its help, so that nobody overlooks one", async () => {
    const { out } = await captureCli(["init", "--help"]);
    const text = out.replace(/\s+/g, " ");
    expect(text).toContain(`${Object.keys(builtInStrategies).sort().join(", ")}, the path`);
  });

  it("takes a strategy's name for the template that quotes by it", () => {
    for (const name of Object.keys(builtInStrategies))
      expect(findTemplate(name).strategy, name).toBe(name);
  });

  it("lists its templates by name", async () => {
    const { out, code } = await captureCli(["init", "--template"]);
    expect(code).toBe(0);
    for (const name of Object.keys(BOT_TEMPLATES))
      expect(out).toMatch(new RegExp(`^${name} `, "m"));
    const json = JSON.parse((await captureCli(["init", "--template", "--json"])).out);
    expect(json.map(({ name }: { name: string }) => name)).toEqual(Object.keys(BOT_TEMPLATES));
  });

  it("proposes the parameters of a strategy of one's own that it knows by name", async () => {
    const mine = join(folder, "mine.ts");
    writeFileSync(
      mine,
      `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.strictObject({ halfSpreadBps: z.number().positive(), sizeBase: z.number().positive(), mood: z.string().optional() }),
  create: ({ halfSpreadBps, sizeBase }) => (view$) =>
    view$.pipe(map((view) => quoteAround(view, view.microPrice, { halfSpreadBps, sizeBase }))),
});
`,
    );
    const file = newFile();
    expect(await init(file, "--strategy", mine)).toMatchObject({ code: 0, err: "" });
    const [market] = Object.values(parse(textOf(file)).markets) as { params: object }[];
    expect(Object.keys(market?.params ?? {}).sort()).toEqual(["halfSpreadBps", "sizeBase"]);
    expect(await captureCli(["check", file], env)).toMatchObject({ code: 0 });

    const needy = join(folder, "needy.ts");
    writeFileSync(needy, textOf(mine).replace("z.string().optional()", "z.string()"));
    const refused = newFile();
    expect(await init(refused, "--strategy", needy)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--strategy: .*mood/),
    });
    expect(existsSync(refused)).toBe(false);
  });
});

describe.concurrent("marketwright init refuses", () => {
  it.each([
    [
      "an unknown market",
      ["--market", "btcusd"],
      /--market: .*did you mean btcusdc\?.*btcusdc, ethusdc/,
    ],
    ["an unknown strategy", ["--strategy", "laddder"], /--strategy: .*did you mean ladder\?/],
    ["a strategy's file that is not there", ["--strategy", "./none.ts"], /--strategy: .*none\.ts/],
    ["an unknown appetite", ["--risk", "brave"], /--risk: .*careful, balanced, bold/],
    [
      "an unknown template",
      ["--template", "lader-maker"],
      /--template: .*did you mean ladder-maker\?/,
    ],
    [
      "a strategy beside another's template",
      ["--template", "glft-maker", "--strategy", "ladder"],
      /--strategy: .*quotes by glft/,
    ],
    [
      "a strategy of a bot that quotes nothing",
      ["--template", "liquidator", "--strategy", "ladder"],
      /--strategy: .*quotes nothing/,
    ],
    ["a balance that is none", ["--balance", "-5"], /--balance: .*"-5"/],
    ["a balance of nothing", ["--balance", "0"], /--balance: /],
    [
      "a balance finer than the money",
      ["--balance", "1.0000001"],
      /--balance: .*at most 6 decimals/,
    ],
    [
      "a balance too small for the smallest orders",
      ["--balance", "1", "--market", "btcusdc"],
      /--balance: .*too little.*btcusdc.*at least \d/,
    ],
    ["two keys", ["--key-env", "A", "--keystore", "b.json"], /--keystore: .*--key-env/],
    ["a password without a keystore", ["--password-env", "A"], /--password-env: /],
    ["a variable that is none", ["--key-env", "MY-KEY"], /--key-env: .*not the name of a variable/],
    ["an RPC address that is none", ["--template", "liquidator", "--rpc", "x"], /--rpc: /],
    ["a stream address that is none", ["--stream", "http://127.0.0.1/v1"], /--stream: .*ws/],
  ])("%s, and writes nothing", async (_name, options, message) => {
    const file = newFile();
    const { code, out, err } = await init(file, ...options);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(existsSync(file)).toBe(false);
  });

  it("an exchange that does not answer, or an address that is none", async () => {
    const file = newFile();
    expect(await captureCli(["init", file, "--exchange", "http://127.0.0.1:1/v1"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /--exchange: cannot reach the exchange.*marketwright exchange runs one/,
      ),
    });
    expect(await captureCli(["init", file, "--exchange", "127.0.0.1:1"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--exchange: .*http:\/\//),
    });
    expect(await captureCli(["init", file, "--exchange", `${rest}/v9`])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/--exchange: the address has no interface of the exchange.*\/v1/),
    });
    expect(existsSync(file)).toBe(false);
  });

  it("a key in place of its variable's name, without showing it", async () => {
    const key = `0x${"4c".repeat(32)}`;
    const address = "https://node.example/v3/4c4c4c4cabcdef0123456789";
    for (const options of [
      ["--key-env", key],
      ["--key-env", "hunter2x"],
      ["--keystore", key],
      ["--password-env", key],
      ["--template", "liquidator", "--rpc-env", "hunter2x"],
      ["--template", "liquidator", "--rpc", address],
    ]) {
      const file = newFile();
      const { code, out, err } = await init(file, ...options);
      expect({ options, code, isWritten: existsSync(file) }).toEqual({
        options,
        code: 2,
        isWritten: false,
      });
      expect(out + err).not.toMatch(/4c4c4c|hunter2x/);
    }
    const set = { MARKETWRIGHT_KEY: "0xnotakeyatall0123456789" };
    const { code, err } = await captureCli(["init", newFile(), "--exchange", rest], set);
    expect(code).toBe(2);
    expect(err).toContain("MARKETWRIGHT_KEY");
    expect(err).not.toContain("notakeyatall");
  });

  it("an existing file, with the way out; --force keeps the old one", async () => {
    const file = newFile();
    writeFileSync(file, "mine: true\n");
    const refused = await init(file);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toMatch(
      /exists already.*--force, which keeps the old file as bot\d+\.yaml\.old/,
    );
    expect(textOf(file)).toBe("mine: true\n");
    const { code, out } = await init(file, "--force", "--market", "btcusdc");
    expect(code).toBe(0);
    expect(out).toContain(`kept the old`);
    expect(textOf(`${file}.old`)).toBe("mine: true\n");
    await init(file, "--force", "--market", "ethusdc");
    expect(textOf(`${file}.old`)).toBe("mine: true\n");
    expect(Object.keys(parse(textOf(`${file}.old2`)).markets)).toEqual(["btcusdc"]);
    expect(Object.keys(parse(textOf(file)).markets)).toEqual(["ethusdc"]);
  });

  it("another example of the environment than its own, and then writes neither", async () => {
    const file = newFile();
    const example = file.replace(".yaml", ".env.example");
    writeFileSync(example, "OTHER=\n");
    expect(await init(file)).toMatchObject({
      code: 2,
      err: expect.stringContaining("exists already"),
    });
    expect(existsSync(file)).toBe(false);
    expect(textOf(example)).toBe("OTHER=\n");
  });

  it("an example that cannot be written, and puts back what it replaced", async () => {
    const file = newFile();
    writeFileSync(file, "mine: true\n");
    symlinkSync(join(folder, "gone"), file.replace(".yaml", ".env.example"));
    expect(await init(file, "--force")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/env\.example.*|cannot be written \(EEXIST\)/),
    });
    expect(textOf(file)).toBe("mine: true\n");
    expect(existsSync(`${file}.old`)).toBe(false);
  });

  it("names and folders where no file can be", async () => {
    expect(await init(join(folder, "btcusdc"))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/file: .*\.yaml/),
    });
    expect(await init(join(folder, "nowhere", "bot.yaml"))).toMatchObject({
      code: 2,
      err: expect.stringContaining("a folder that does not exist"),
    });
    mkdirSync(join(folder, "folder.yaml"));
    expect(await init(join(folder, "folder.yaml"), "--force")).toMatchObject({
      code: 2,
      err: expect.stringContaining("is not a file"),
    });
    const link = join(folder, "link.yaml");
    symlinkSync(join(folder, "gone.yaml"), link);
    expect(await init(link)).toMatchObject({ err: expect.stringMatching(/link\.yaml/) });
    expect(existsSync(join(folder, "gone.yaml"))).toBe(false);
    expect(readdirSync(folder)).not.toContain("link.env.example");
  });

  it.skipIf(process.getuid?.() === 0)("a folder that may not be written", async () => {
    const locked = join(folder, "locked");
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    expect(await init(join(locked, "bot.yaml"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("may not write"),
    });
  });

  it("a liquidator of another machine's exchange without the address of its chain", async () => {
    // An address that is not known to be of this machine.
    const elsewhere = rest.replace("127.0.0.1", "[::ffff:127.0.0.1]");
    const args = ["init", newFile(), "--exchange", elsewhere, "--template", "liquidator"];
    expect(await captureCli(args)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--rpc: is missing.*--rpc-env NAME/),
    });
  });
});

describe("marketwright init at a terminal", () => {
  it("asks what no option says, with the default, and repeats after a wrong answer", async () => {
    const file = newFile();
    const terminal = new TypedTerminal();
    const run = startCli(["init", file], {}, terminal);
    await terminal.answer("REST address of the exchange [http://127.0.0.1:8620/v1]: ", "localhost");
    await terminal.answer(/REST address of the exchange/, rest);
    expect(run.said()).toMatch(/--exchange: .*http:\/\//);
    const key = `0x${"5b".repeat(32)}`;
    await terminal.answer(/private key, or a keystore's file \[MARKETWRIGHT_KEY\]: /, key);
    await terminal.answer(/private key, or a keystore's file/, "DESK_KEY");
    await terminal.answer(/Strategy: .*\[ladder\]: /, "gltf");
    await terminal.answer(/Strategy: .*\[ladder\]: /, "glft");
    expect(run.said()).toContain("did you mean glft?");
    await terminal.answer(/Markets, of btcusdc, ethusdc \[\w+\]: /, "btcusdc, dogeusdc");
    await terminal.answer(/Markets, of/, "btcusdc, ethusdc");
    expect(run.said()).toContain("dogeusdc");
    await terminal.answer(/Balance to plan with, in quote \[10000\]: /, "a lot");
    await terminal.answer(/Balance to plan with/, "3");
    await terminal.answer(/Balance to plan with/, "5000");
    expect(run.said()).toMatch(/--balance: .*"a lot"[\s\S]*too little/);
    await terminal.answer(/Risk appetite: careful, balanced, bold \[balanced\]: /, "");
    const { code, out, err } = await run.done;
    expect(code).toBe(0);
    expect(out + err).not.toContain("5b5b5b");
    expect(textOf(file)).not.toContain("5b5b5b");
    expect(parse(textOf(file))).toMatchObject({
      account: { keyEnv: "DESK_KEY" },
      markets: { btcusdc: { strategy: "glft" }, ethusdc: { strategy: "glft" } },
      risk: { maxDrawdownQuote: 150 },
    });
    expect(out).toMatch(/risk +balanced +by default/);
    expect(out).toMatch(/key +DESK_KEY +as you answered/);
    expect(await captureCli(["check", file], { DESK_KEY: KEY })).toMatchObject({ code: 0 });
  });

  it("asks again for the exchange when none answers, and for the key when the variable holds none", async () => {
    const file = newFile();
    const terminal = new TypedTerminal();
    const set = { MARKETWRIGHT_KEY: "0xnotakeyatall0123456789", DESK_KEY: KEY };
    const options = ["--strategy", "ladder", "--market", "btcusdc", "--risk", "bold"];
    const run = startCli(["init", file, ...options, "--balance", "5000"], set, terminal);
    await terminal.answer(/REST address of the exchange/, "http://127.0.0.1:1/v1");
    await terminal.answer(/REST address of the exchange/, rest);
    expect(run.said()).toMatch(/--exchange: cannot reach the exchange/);
    await terminal.answer(/private key, or a keystore's file/, "");
    await terminal.answer(/private key, or a keystore's file/, "DESK_KEY");
    expect(run.said()).toMatch(/--key-env: .*24 characters, not shown.*MARKETWRIGHT_KEY/);
    const { code, out, err } = await run.done;
    expect(code, err).toBe(0);
    expect(out + err).not.toContain("notakeyatall");
    expect(parse(textOf(file)).account).toEqual({ keyEnv: "DESK_KEY" });
  });

  it("asks again for the password of a keystore, but not when the keystore is broken", async () => {
    const keystore = join(folder, "asked.json");
    const set = { PASSWORD: "correct horse", OTHER: "battery staple" };
    await captureCli(["key", "new", keystore, "--password-env", "PASSWORD"], set);
    const options = ["--exchange", rest, "--market", "btcusdc", "--risk", "bold"];
    const file = newFile();
    const terminal = new TypedTerminal();
    const run = startCli(["init", file, ...options, "--strategy", "ladder"], set, terminal);
    await terminal.answer(/private key, or a keystore's file/, keystore);
    await terminal.answer(/keystore's password/, "OTHER");
    await terminal.answer(/keystore's password/, "PASSWORD");
    expect(run.said()).toMatch(/--keystore: cannot be opened with this password/);
    await terminal.answer(/Balance to plan with/, "5000");
    const { code, out, err } = await run.done;
    expect(code, err).toBe(0);
    expect(out + err).not.toMatch(/correct horse|battery staple/);
    expect(parse(textOf(file)).account.keystore.passwordEnv).toBe("PASSWORD");

    const broken = join(folder, "broken.json");
    const { crypto: _crypto, Crypto: _Crypto, ...rump } = JSON.parse(textOf(keystore));
    writeFileSync(broken, JSON.stringify(rump));
    const again = new TypedTerminal();
    const refused = startCli(["init", newFile(), ...options], set, again);
    await again.answer(/private key, or a keystore's file/, broken);
    await again.answer(/keystore's password/, "PASSWORD");
    expect(await refused.done).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--keystore: .*broken\.json/),
    });
  });

  it("does not ask what an option says, and takes answers that are typed ahead", async () => {
    const file = newFile();
    const terminal = new TypedTerminal();
    terminal.input.write("\r\r\r");
    const options = ["--exchange", rest, "--template", "maker-and-liquidator", "--risk", "bold"];
    const run = startCli(
      ["init", file, ...options, "--rpc", rpc, "--balance", "100000"],
      {},
      terminal,
    );
    expect(await run.done).toMatchObject({ code: 0, err: "" });
    expect(terminal.shown).toMatch(/private key[\s\S]*Strategy: [\s\S]*Markets, of/);
    expect(terminal.shown).not.toMatch(/Risk appetite|REST address|Balance|JSON-RPC/);
  });

  it("asks for nothing with --yes", async () => {
    const terminal = new TypedTerminal();
    const run = startCli(["init", newFile(), "--exchange", rest, "--yes"], {}, terminal);
    expect(await run.done).toMatchObject({ code: 0 });
    expect(terminal.shown).toBe("");
  });

  it.each([
    ["Ctrl-C", "\u0003", 130, /interrupted \(SIGINT\)/],
    ["the end of the input", "\u0004", 1, /input ended/],
  ])("writes nothing after %s in the middle", async (_name, typed, code, message) => {
    const file = newFile();
    const terminal = new TypedTerminal();
    const run = startCli(["init", file, "--exchange", rest], {}, terminal);
    await terminal.answer(/private key/, "");
    await terminal.untilShown(/Strategy: /);
    terminal.input.write(typed);
    expect(await run.done).toMatchObject({ code, err: expect.stringMatching(message) });
    expect(existsSync(file)).toBe(false);
  });

  it("refuses an existing file before it asks anything", async () => {
    const file = newFile();
    writeFileSync(file, "");
    const terminal = new TypedTerminal();
    const run = startCli(["init", file, "--exchange", rest], {}, terminal);
    expect(await run.done).toMatchObject({ code: 2 });
    expect(terminal.shown).toBe("");
  });
});
