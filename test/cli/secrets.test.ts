import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "#cli/program.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { builtCommand } from "../support/built-command.js";
import { generateHistory } from "../support/generated-history.js";
import { captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

/**
 * Secrets as users have them: each is known in no other place of this file's folder than those that
 * are named inputs.
 */
const KEY = `0x${"5e".repeat(31)}c7`;
const OTHER_KEY = `0x${"6f".repeat(31)}d8`;
const PASSWORD = "Zz9-open-sesame!";
const SHORT_PASSWORD = "hunter2x";
const PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow";
const RPC =
  "http://node-user:node-pass77@127.0.0.1:1/v3/abcdef0123456789abcdef01?apikey=q1w2e3r4t5y6";
const HEDGE_KEY = "hedge-key-5f1c9e77";
const HEDGE_SECRET = "hedge-secret-8d2b41aa";
const QUEUE = "redis://:queue-pass-31@127.0.0.1:1";
const PARTS = [
  KEY.slice(2),
  OTHER_KEY.slice(2),
  PASSWORD,
  SHORT_PASSWORD,
  PHRASE,
  "node-pass77",
  "abcdef0123456789abcdef01",
  "q1w2e3r4t5y6",
  "queue-pass-31",
  HEDGE_KEY,
  HEDGE_SECRET,
];

const ENV = { MARKETWRIGHT_KEY: KEY, BOT_PASSWORD: PASSWORD, BOT_RPC: RPC, BOT_QUEUE: QUEUE };

const folder = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-secrets-")));
const inputs = new Set<string>();

/** Files that a user wrote: a secret in them has not left the process. */
function input(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  inputs.add(path);
  return path;
}

interface BotText {
  readonly account?: string;
  readonly rest?: string;
  readonly strategy?: string;
  readonly extra?: string;
}

function bot(
  name: string,
  {
    account = "{ keyEnv: MARKETWRIGHT_KEY }",
    rest = "http://127.0.0.1:1/v1",
    strategy = "ladder",
    extra = "",
  }: BotText = {},
) {
  const params =
    strategy === "ladder" ? "params: { halfSpreadBps: 3, sizeBase: 0.02 }" : "params: {}";
  return input(
    name,
    `exchange: { rest: "${rest}", stream: "${rest.replace(/^http/, "ws")}" }
account: ${account}
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc: { strategy: ${strategy}, ${params}, limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 } }
risk: { maxDrawdownQuote: 500 }
${extra}
`,
  );
}

input("throwing.mjs", `throw new Error("cannot reach ${RPC} with ${KEY}");`);
const files = {
  keyAsName: bot("key-as-name.yaml", { account: `{ keyEnv: "${OTHER_KEY}" }` }),
  passwordAsName: bot("password-as-name.yaml", {
    account: `{ keystore: { file: key.json, passwordEnv: ${SHORT_PASSWORD} } }`,
  }),
  passwordAsFile: bot("password-as-file.yaml", {
    account: `{ keystore: { file: ks.json, passwordFile: ${SHORT_PASSWORD} } }`,
  }),
  passwordInAccount: bot("password-in-account.yaml", {
    account: `{ keyEnv: MARKETWRIGHT_KEY, password: "${SHORT_PASSWORD}" }`,
  }),
  keyInAccount: bot("key-in-account.yaml", { account: `{ privateKey: "${OTHER_KEY}" }` }),
  phrase: bot("phrase.yaml", { account: `{ mnemonic: "${PHRASE}" }` }),
  notYaml: bot("not-yaml.yaml", {
    account: `{ keyEnv: "MARKETWRIGHT_KEY, password: ${SHORT_PASSWORD} }`,
  }),
  address: bot("address.yaml", { rest: RPC }),
  rpcInFile: bot("rpc-in-file.yaml", { extra: `chain: { rpc: ["${RPC}"] }` }),
  rpcAsName: bot("rpc-as-name.yaml", { extra: `chain: { rpcEnv: ["${RPC}"] }` }),
  throwing: bot("throwing.yaml", {
    strategy: "./throwing.mjs",
    extra: "chain: { rpcEnv: [BOT_RPC] }",
  }),
  keystore: bot("keystore.yaml", {
    account: "{ keystore: { file: ks.json, passwordEnv: BOT_PASSWORD } }",
  }),
};
const wrongKey = input("ks.json", `{"version":3,"crypto":"${PASSWORD}"}`);
const keyFile = input("key.txt", `${OTHER_KEY}\n`, 0o644);
const brokenKeyFile = input("broken-key.txt", `${OTHER_KEY}${SHORT_PASSWORD}\n`);
const passwordFile = input("password.txt", `${PASSWORD}\n`, 0o640);
const FROM_MS = Date.UTC(2026, 0, 5, 12);
beforeAll(() => generateHistory(folder, { market: "btcusdc", fromMs: FROM_MS, seconds: 5 }));

const RULES =
  "{ markets: { btcusdc: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: 0.0001, takerFeeRate: 0.0005 } } }";
function backtest(name: string, ofBot: string): string {
  const span = "from: 2026-01-05T12:00:00Z, to: 2026-01-05T12:00:05Z";
  return input(
    `${name}.yaml`,
    `history: { market: btcusdc, store: history, ${span} }\nbot: ${ofBot}\nrules: ${RULES}\n`,
  );
}
function sweepOf(name: string, backtestFile: string): string {
  return input(
    `${name}.yaml`,
    `backtest: ${backtestFile}\nmethod: grid\nparameters: { fills.orderLatencyMs: { values: [5, 50] } }\n`,
  );
}
const sweep = sweepOf("sweep", backtest("backtest-swept", files.throwing));

const everyBot = Object.values(files);
const each = (command: string, ...rest: string[]): string[][] =>
  everyBot.map((file) => [command, file, ...rest]);

/** For each command, calls that meet a secret in a wrong place, or fail close to one. */
const ATTEMPTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  start: everyBot
    .filter((file) => file !== files.keystore)
    .slice(0, 9)
    .map((file) => ["start", file, "--for", "1s", "--exchange", files.phrase]),
  run: [
    ["run", files.keyAsName],
    ["run", files.throwing, "--for", "1s"],
    ["run", files.passwordAsFile],
    ["run", files.keystore],
    ["run", files.address],
    ["run", OTHER_KEY],
  ],
  guard: [
    ["guard", files.keyAsName],
    ["guard", files.passwordAsName],
    ["guard", files.keystore],
    ["guard", files.address],
  ],
  notify: [
    ["notify", files.keyAsName],
    ["notify", files.keystore, "--test"],
    ["notify", files.address],
  ],
  bisect: [
    ["bisect", files.keystore, "--turn", "1"],
    ["bisect", files.keyAsName, "--when", `phase == '${OTHER_KEY}'`],
    ["bisect", files.address, "--against", files.phrase],
    ["bisect", OTHER_KEY, "--turn", OTHER_KEY],
  ],
  journal: [
    ["journal", files.keystore, "--turn", "1"],
    ["journal", files.address, "--against", files.phrase],
    ["journal", files.keyAsName, "--port", OTHER_KEY],
    ["journal", OTHER_KEY, "--from", OTHER_KEY],
  ],
  whatif: [
    ["whatif", files.keyAsName, "--set", `a=${OTHER_KEY}`],
    ["whatif", files.address, "--set", "a=1", "--level", OTHER_KEY],
    ["whatif", OTHER_KEY, "--set", OTHER_KEY],
  ],
  report: [
    ["report", files.keyAsName, "--live"],
    ["report", files.address, "--daily"],
  ],
  ledger: [
    ["ledger", "export", files.keyAsName],
    ["ledger", "export", files.address, "--output", "-"],
    ["ledger", "export", files.address, "--offline"],
    ["ledger", "query", files.address, `SELECT '${OTHER_KEY}' FROM nothing`],
    ["ledger", "liquidations", files.keyAsName],
  ],
  exchange: [
    ["exchange", files.phrase],
    ["exchange", files.rpcInFile],
    ["exchange", "--port", OTHER_KEY],
    ["exchange", `--key=${OTHER_KEY}`],
  ],
  init: [
    ["--key-env", OTHER_KEY],
    ["--key-env", SHORT_PASSWORD],
    ["--keystore", PHRASE],
    ["--keystore", files.keystore, "--password-env", SHORT_PASSWORD],
    ["--exchange", RPC],
    ["--exchange", "http://127.0.0.1:1/v1"],
    ["--template", "liquidator", "--rpc", RPC],
    ["--template", "liquidator", "--rpc-env", OTHER_KEY],
    ["--strategy", OTHER_KEY],
    ["--market", KEY],
    ["--balance", KEY],
    [`--password-env=${SHORT_PASSWORD}`],
  ].map((options) => ["init", join(folder, "new-bot.yaml"), "--yes", ...options]),
  check: each("check"),
  explain: each("explain"),
  drill: each("drill"),
  rehearse: [
    ...each("rehearse", "--fault", "none", "--seeds", "1", "--minutes", "1", "--threads", "1"),
    ["rehearse", files.address, "--exchange", files.phrase],
    ["rehearse", files.address, "--fault", OTHER_KEY],
    ["rehearse", files.address, "--seeds", OTHER_KEY],
    ["rehearse", OTHER_KEY, "--out", join(folder, "rehearsal")],
  ],
  replay: [
    ["replay", keyFile],
    ["replay", files.address],
    ["replay", OTHER_KEY],
  ],
  work: [
    ["work", files.keyAsName, "--target", "0.1", "--by", "1s"],
    ["work", files.keystore, "--target", "0.1", "--by", "1s"],
    ["work", files.address, "--target", "0.1", "--by", "1s"],
    ["work", files.address, "--target", OTHER_KEY, "--by", "1s"],
    ["work", files.address, "--target", "0.1", "--by", KEY],
    ["work", files.address, "--target", "0.1", "--by", "1s", "--market", OTHER_KEY],
    ["work", OTHER_KEY, "--target", "0.1", "--by", "1s"],
  ],
  call: [
    ["call", "balances", "--key-env", OTHER_KEY],
    ["call", "balances", "--key-env", SHORT_PASSWORD],
    ["call", "balances", "--rest", RPC],
    ["call", "balances", "--rest", "http://127.0.0.1:1/v1", `--password=${SHORT_PASSWORD}`],
    ["call", "balances", "--bot", files.keyAsName],
    ["call", OTHER_KEY],
  ],
  status: each("status"),
  cockpit: each("cockpit"),
  halt: each("halt", "--reason", KEY),
  resume: each("resume"),
  flatten: each("flatten"),
  set: [...each("set", `account.keyEnv=${KEY}`), ...each("set", `risk.maxDrawdownQuote=${KEY}`)],
  reload: each("reload"),
  "cancel-all": [
    ["cancel-all", files.keyAsName],
    ["cancel-all", files.passwordAsFile],
    ["cancel-all", files.keystore],
    ["cancel-all", files.address],
  ],
  key: [
    [
      "key",
      "import",
      join(folder, "new.json"),
      "--key-file",
      keyFile,
      "--password-env",
      "BOT_PASSWORD",
    ],
    [
      "key",
      "import",
      join(folder, "new.json"),
      "--key-file",
      brokenKeyFile,
      "--password-env",
      "BOT_PASSWORD",
    ],
    [
      "key",
      "import",
      join(folder, "new.json"),
      "--key-file",
      OTHER_KEY,
      "--password-env",
      "BOT_PASSWORD",
    ],
    [
      "key",
      "import",
      join(folder, "new.json"),
      "--key-env",
      OTHER_KEY,
      "--password-env",
      "BOT_PASSWORD",
    ],
    [
      "key",
      "import",
      join(folder, "new.json"),
      "--key-env",
      "MARKETWRIGHT_KEY",
      "--password-env",
      SHORT_PASSWORD,
    ],
    [
      "key",
      "import",
      join(folder, "made.json"),
      "--key-env",
      "MARKETWRIGHT_KEY",
      "--password-env",
      "BOT_PASSWORD",
      "--json",
    ],
    ["key", "new", join(folder, "fresh.json"), "--password-file", passwordFile],
    ["key", "new", join(folder, "fresh.json"), "--password-file", SHORT_PASSWORD],
    [
      "key",
      "new",
      join(folder, "fresh.json"),
      "--password-env",
      "BOT_PASSWORD",
      "--password-file",
      SHORT_PASSWORD,
    ],
    ["key", "new", join(folder, "fresh.json"), "--key-env", OTHER_KEY],
    ["key", OTHER_KEY, "x"],
    ["key", "address", wrongKey, "--password-env", "BOT_PASSWORD"],
    ["key", "address", OTHER_KEY],
  ],
  backtest: everyBot.map((file, at) => [
    "backtest",
    backtest(`backtest-${at}`, file),
    "--out",
    join(folder, `out-${at}`),
  ]),
  sweep: [
    ["sweep", sweep, "--out", join(folder, "sweep-out")],
    ["sweep", sweep, "--out", join(folder, "sweep-out"), "--queue", QUEUE],
    ["sweep", sweep, "--out", join(folder, "sweep-out"), "--queue-env", SHORT_PASSWORD],
    ["sweep", sweep, "--out", join(folder, "sweep-out"), "--queue-env", "BOT_QUEUE"],
  ],
  worker: [
    ["worker", "--queue", QUEUE],
    ["worker", "--queue", "redis://:queue-pass-31@"],
    ["worker", "--queue-env", "BOT_QUEUE"],
    ["worker", "--queue-env", "MARKETWRIGHT_KEY"],
    ["worker", "--queue-file", passwordFile],
    ["worker", "--queue-file", SHORT_PASSWORD],
    ["worker"],
  ],
  compare: [
    ["compare", keyFile],
    ["compare", folder],
    ["compare", OTHER_KEY, RPC],
  ],
  data: [
    [
      "data",
      "record",
      "--exchange",
      RPC,
      "--market",
      "btcusdc",
      "--store",
      join(folder, "history"),
    ],
    [
      "data",
      "record",
      "--exchange",
      "http://127.0.0.1:1/v1",
      "--market",
      "btcusdc",
      "--own",
      "--key-env",
      OTHER_KEY,
      "--store",
      join(folder, "history"),
    ],
    [
      "data",
      "download",
      "--exchange",
      RPC,
      "--market",
      "btcusdc",
      "--from",
      "2026-01-05",
      "--to",
      "2026-01-06",
      "--store",
      join(folder, "history"),
    ],
    ["data", "import", keyFile, "--store", join(folder, "history")],
    ["data", "list", "--store", keyFile],
  ],
};

function leaks(text: string): string[] {
  const lower = text.toLowerCase();
  return PARTS.filter((part) => lower.includes(part.toLowerCase()));
}

/** Every file below a folder that the tests' user did not write. */
function writtenBelow(at: string): string[] {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = join(at, entry.name);
    if (entry.isDirectory()) return writtenBelow(path);
    return entry.isFile() && !inputs.has(path) ? [path] : [];
  });
}

describe("a secret never leaves the process", () => {
  it("is tried with every command that there is", async () => {
    const stream = { write: () => true, on: () => undefined, off: () => undefined };
    const program = await buildProgram({
      env: {},
      stdout: stream,
      stderr: stream,
      runtime: createLiveRuntime(),
      interrupted: () => new Promise(() => {}),
      script: "",
    });
    expect(Object.keys(ATTEMPTS).sort()).toEqual(
      program.commands.map((command) => command.name()).sort(),
    );
  });

  it.each(Object.entries(ATTEMPTS))(
    "with %s, whatever is refused or fails",
    async (_command, attempts) => {
      for (const args of attempts) {
        const { code, out, err } = await captureCli(args, ENV);
        expect({
          args,
          code,
          leaked: leaks(out + err),
          text: leaks(out + err).length > 0 ? out + err : "",
        }).toMatchObject({
          leaked: [],
          text: "",
        });
        // All of these but the whole import fail with a message; rehearse prints its findings.
        if (code !== 0) expect(err + out).not.toBe("");
      }
      expect(
        writtenBelow(folder).filter((path) => leaks(readFileSync(path, "latin1")).length > 0),
      ).toEqual([]);
    },
  );
});

describe("a strategy that shows the environment", () => {
  it("prints no secret of the bot by its console or by the process's own streams, in this thread or in a sweep's", () => {
    const command = builtCommand();
    const shows =
      "console.log(process.env); process.stderr.write(process.env.MARKETWRIGHT_KEY); process.stdout.write(process.env.BOT_RPC);";
    input("printing.mjs", `${shows} throw new Error(process.env.BOT_RPC);`);
    input(
      "quoting.mjs",
      `import { defineStrategy } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.object({}),
  create: () => (view$) => view$.pipe(map(() => { ${shows} throw new Error("no quote: " + process.env.MARKETWRIGHT_KEY); })),
});`,
    );
    const extra = `chain: { rpcEnv: [BOT_RPC] }
hedgeVenues: { deep: { ccxt: binanceusdm, keyEnv: HEDGE_KEY, secretEnv: HEDGE_SECRET } }`;
    const printing = bot("printing.yaml", { strategy: "./printing.mjs", extra });
    const played = backtest(
      "backtest-quoting",
      bot("quoting.yaml", { strategy: "./quoting.mjs", extra }),
    );
    const env = { ...process.env, MARKETWRIGHT_KEY: KEY, BOT_RPC: RPC, HEDGE_KEY, HEDGE_SECRET };
    for (const args of [
      ["check", printing],
      ["backtest", played, "--out", join(folder, "out-quoting")],
      ["sweep", sweepOf("sweep-quoting", played), "--out", join(folder, "sweep-quoting")],
    ]) {
      const { stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
        env,
        encoding: "utf8",
      });
      expect(stdout + stderr).toContain("[secret]");
      expect({
        args,
        leaked: leaks(stdout + stderr),
        text: leaks(stdout + stderr).length > 0 ? stdout + stderr : "",
      }).toMatchObject({
        leaked: [],
        text: "",
      });
    }
    expect(
      writtenBelow(folder).filter((path) => leaks(readFileSync(path, "latin1")).length > 0),
    ).toEqual([]);
  });

  const exchange = new CommandedExchange();

  it("leaves none in anything that a session writes: log, status, journal, record, state and summary", async () => {
    const { file, env, key, stateDir } = exchange.bot({ extra: "metrics: { port: 0 }" });
    const own = join(file, "..");
    const strategy = `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
let views = 0;
export default defineStrategy({
  params: z.object({}),
  create: () => (view$) => view$.pipe(map((view) => {
    console.error("signing with ${key}", "at ${RPC}");
    if (views++ > 20) throw new Error("no quote with ${key} at ${RPC}");
    return quoteAround(view, view.microPrice, { halfSpreadBps: 3, sizeBase: 0.02 });
  })),
});`;
    writeFileSync(join(own, "telling.mjs"), strategy);
    writeFileSync(
      file,
      readFileSync(file, "utf8")
        .replace("strategy: ladder", "strategy: ./telling.mjs")
        .replace(/params: .*/, "params: {}"),
    );
    const running = startCli(
      [
        "run",
        file,
        "--json",
        "--journal",
        join(own, "run.journal"),
        "--record",
        join(own, "record"),
      ],
      env,
    );
    await untilQuoting(file, env);
    const halt = await captureCli(["halt", file, "--reason", `key ${key}`], env);
    const status = await until(
      () => captureCli(["status", file, "--json"], env),
      ({ out }) => out.includes("strategy-error"),
    );
    running.interrupt();
    const { out, err } = await running.done;
    const written = [
      halt.out,
      halt.err,
      status.out,
      out,
      err,
      ...writtenBelow(own).map((path) =>
        path === file || path.endsWith("telling.mjs") ? "" : readFileSync(path, "latin1"),
      ),
    ];
    expect(writtenBelow(own).some((path) => path.startsWith(stateDir()))).toBe(true);
    expect(
      written.filter((text) => text.toLowerCase().includes(key.slice(2)) || leaks(text).length > 0),
    ).toEqual([]);
    expect(err + status.out).toContain("[secret]");
  });
});
