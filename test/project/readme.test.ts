import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { loadBotConfig } from "#bot/config.js";
import type { CliContext, TextStream } from "#cli/cli-context.js";
import { buildProgram, runCli } from "#cli/program.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { captureCli, type StartedRun, startCli } from "../cli/captured-cli.js";
import { until } from "../cli/until.js";
import { PROJECT_ROOT } from "./checkout.js";
import { blocksOf, codesOf, readPage, tableOf } from "./pages.js";

const readme = readPage("README.md");
const runtime = createLiveRuntime();
const packageJson = JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8")) as {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
};
const [minimalBlock, strategyBlock] = blocksOf(readme, "yaml").map(({ text }) => text);

/** A folder far from this checkout, as a stranger's. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), "readme-")));
let exchange: StartedRun;
let where: { readonly restUrl: string; readonly streamUrl: string };

beforeAll(async () => {
  exchange = startCli(["exchange", "--port", "0", "--rpc-port", "0", "--json"]);
  where = JSON.parse(await exchange.firstLine);
});

afterAll(async () => {
  exchange.interrupt();
  await exchange.done;
  rmSync(folder, { recursive: true, force: true });
});

/** A file of the README's on our exchange; only what is wrong is logged. */
function write(path: string, yaml: string, changes: object = {}): string {
  const { restUrl: rest, streamUrl: stream } = where;
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    stringify({ ...parse(yaml), exchange: { rest, stream }, logLevel: "error", ...changes }),
  );
  return file;
}

/** The README's commands, one a line and without their comments, in its order. */
const shellLines = blocksOf(readme, "sh").flatMap(({ text }) =>
  text
    .replaceAll(/ \\\n +/g, " ")
    .split("\n")
    .map((line) => line.replace(/\s+# .*$/, "").trim())
    .filter((line) => line !== ""),
);

const commandOf = (line: string): string =>
  /^(?:npx marketwright|node bin\/marketwright\.js) (\S+)/.exec(line)?.[1] ?? "";

function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
  return words.slice(2);
}

describe("the README's shell commands", () => {
  it("are all of a kind that is tried here", () => {
    const strange = shellLines.filter(
      (line) =>
        !/^(npm ci && npm \w+|npm pack && npm install --omit=optional |node -p |chmod 600 |export MARKETWRIGHT_KEY=|npx marketwright |node bin\/marketwright\.js )/.test(
          line,
        ),
    );
    expect(strange).toEqual([]);
    expect(shellLines.length).toBeGreaterThan(10);
  });

  // As the first process of a container npx takes the whole container with it, and the orders stay.
  it("start what goes on until it is stopped in forms that pass a SIGTERM on to it", () => {
    const goesOn = shellLines.filter((line) =>
      ["exchange", "guard", "run"].includes(commandOf(line)),
    );
    expect(goesOn.filter((line) => !line.startsWith("node "))).toEqual([]);
    expect(goesOn.length).toBeGreaterThanOrEqual(3);
    expect(packageJson.scripts.start).toMatch(/^exec node /);
  });

  it("name npm scripts that exist, the ports of the files that come along, and the Node that is needed", () => {
    for (const line of shellLines.filter((each) => each.startsWith("npm ci && ")))
      expect(Object.keys(packageJson.scripts)).toContain(line.split(" ").at(-1));
    const started = parse(readFileSync(join(PROJECT_ROOT, "config/bot.yaml"), "utf8"));
    const { port, chain } = parse(readFileSync(join(PROJECT_ROOT, "config/exchange.yaml"), "utf8"));
    expect(readme.text).toContain(
      `ports ${port} (exchange), ${chain.rpc.port} (chain), ${started.metrics.port} (metrics) and ${started.cockpit.port}\n(cockpit)`,
    );
    expect(`>=${/Node (\d+\.\d+) or newer/.exec(readme.text)?.[1]}`).toBe(packageJson.engines.node);
  });

  it("work in their order, with the three processes in one", async () => {
    const file = write("config/minimal.yaml", minimalBlock ?? "");
    const shell = shellLines.filter((line) => /^(node -p|export) /.test(line)).join("\n");
    const key = execFileSync("bash", ["-ec", `${shell}\nprintf %s "$MARKETWRIGHT_KEY"`], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(key).toMatch(/^0x[0-9a-f]{64}$/);
    const env = { MARKETWRIGHT_KEY: key, XDG_RUNTIME_DIR: folder };
    const backtest = join(dirname(file), "backtest.yaml");
    copyFileSync(join(PROJECT_ROOT, "config/backtest.yaml"), backtest);
    const { port } = parse(readFileSync(join(PROJECT_ROOT, "config/exchange.yaml"), "utf8"));
    const stands: Readonly<Record<string, string>> = {
      "config/minimal.yaml": file,
      "config/backtest.yaml": backtest,
      [`http://127.0.0.1:${port}/v1`]: where.restUrl,
      "30s": "2s",
      "2m": "4s",
      ...Object.fromEntries(
        ["run.journal", "history", "report"].map((name) => [name, join(folder, name)]),
      ),
    };
    const argsOf = (line: string): string[] => wordsOf(line).map((word) => stands[word] ?? word);

    const goesOn: StartedRun[] = [];
    const tried: string[] = [];
    for (const line of shellLines.filter((each) => commandOf(each) !== "")) {
      const command = commandOf(line);
      tried.push(command);
      // The test's own one replaces it: on a free port.
      if (command === "exchange") continue;
      if (command === "guard" || (command === "run" && !line.includes("--for"))) {
        goesOn.push(startCli([...argsOf(line), "--json"], env));
        if (command === "guard") await goesOn[0]?.firstLine;
        else
          await until(
            () => captureCli(["status", file, "--json"], env),
            ({ out }) => out.includes('"state": "quoting"'),
          );
        continue;
      }
      // One bot an account: the one that was started goes before another is.
      if (command === "check")
        for (const run of goesOn.splice(0).reverse())
          expect(await ended(run)).toMatchObject({ code: 0 });
      const { code, out, err } = await captureCli(argsOf(line), env);
      expect({ line, code, err }).toEqual({
        line,
        code: 0,
        err: expect.stringMatching(TELLS[command] ?? /^$/),
      });
      expect(out).toMatch(SAYS[line.includes("--json") ? "run --json" : command] ?? /./);
    }
    expect(tried).toEqual(
      expect.arrayContaining([
        "exchange",
        "guard",
        "run",
        "status",
        "halt",
        "resume",
        "flatten",
        "replay",
      ]),
    );
    expect(tried).toEqual(expect.arrayContaining(["data", "backtest"]));
    expect(existsSync(join(folder, "report/report.html"))).toBe(true);
    expect(goesOn).toEqual([]);
  });

  /** Output of commands besides their results. */
  const TELLS: Readonly<Record<string, RegExp>> = {
    data: /^marketwright: market stream up: subscribed\n$/,
    // The embedded market is random: a short run may have few fills, and large ones.
    backtest: /^(This run may be too optimistic: .+\n)*$/,
  };

  /** The evidence that a command did what the README says of it. */
  const SAYS: Readonly<Record<string, RegExp>> = {
    // Between a cancel and its replacement not both sides rest.
    status: /: running, account [\s\S]*\nbtcusdc +(quoting|waiting) /,
    halt: /^(Halted|Quotes are down): [\s\S]* news at eight\n$/,
    resume: /^Resumed: manual \(news at eight\) ended, and the bot may quote\.\n/,
    flatten: /^(Flat|Flattening): [\s\S]*flattened by an operator/,
    check: /0 errors/,
    explain: /btcusdc/,
    "run --json": /"openOrdersLeft": 0/,
    run: /^The bot has stopped .*: no order is open, /m,
    replay: /replayed to the byte; the bot was stopped/,
    data: /book: [1-9]\d* rows[\s\S]*trades: [1-9]\d* rows/,
    backtest: /, books\nprofit [\s\S]*report\.html/,
  };
});

function ended(run: StartedRun): Promise<{ readonly code: number }> {
  run.interrupt();
  return run.done;
}

describe("the README's own bot", () => {
  it("is config/minimal.yaml, and the validator takes it", () => {
    const committed = readFileSync(join(PROJECT_ROOT, "config/minimal.yaml"), "utf8");
    expect(parse(minimalBlock ?? "")).toEqual(parse(committed));
    expect(minimalBlock?.split("\n")[0]).toBe(committed.split("\n")[0]);
    const copy = join(folder, "minimal.yaml");
    writeFileSync(copy, minimalBlock ?? "");
    expect(loadBotConfig(copy, {}, { key: "unused" }).markets.btcusdc?.strategy).toBe("ladder");
    expect(blocksOf(readme, "yaml")).toHaveLength(2);
  });

  it("trades by the README's own strategy file, from a folder outside the checkout", async () => {
    const [source, ...more] = blocksOf(readme, "ts");
    expect(more).toEqual([]);
    const { markets } = parse(strategyBlock ?? "");
    const file = write("elsewhere/bot.yaml", minimalBlock ?? "", { markets });
    writeFileSync(join(dirname(file), markets.btcusdc.strategy), source?.text ?? "");
    const env = { MARKETWRIGHT_KEY: newKey(), XDG_RUNTIME_DIR: folder };
    expect((await captureCli(["check", file], env)).out).toMatch(
      /my-strategy\.ts accepts its parameters[\s\S]*0 errors/,
    );
    // A busy machine gets longer until its first quotes.
    let summary = { ordersPlaced: 0 };
    for (const duration of ["3s", "20s", "60s"]) {
      const { code, out } = await captureCli(["run", file, "--for", duration, "--json"], env);
      expect(code).toBe(0);
      summary = JSON.parse(out);
      if (summary.ordersPlaced >= 2) break;
    }
    expect(summary).toMatchObject({
      ordersRejected: 0,
      openOrdersLeft: 0,
      secondsToFirstQuote: expect.any(Number),
    });
    expect(summary.ordersPlaced).toBeGreaterThanOrEqual(2);
  });

  it("looks on a terminal as it does in the picture", async () => {
    const file = write("screen/bot.yaml", minimalBlock ?? "");
    let shown = "";
    const terminal: TextStream = {
      isTTY: true,
      columns: 120,
      rows: 32,
      write: (text) => {
        shown += text;
      },
      on: () => undefined,
      off: () => undefined,
    };
    const context: CliContext = {
      env: { MARKETWRIGHT_KEY: newKey(), XDG_RUNTIME_DIR: folder },
      stdout: terminal,
      stderr: { ...terminal, isTTY: false, write: () => undefined },
      runtime,
      interrupted: () => new Promise(() => {}),
      script: "",
    };
    expect(await runCli(["run", file, "--for", "3s"], context)).toBe(0);
    const picture = readFileSync(join(PROJECT_ROOT, "docs/screen.svg"), "utf8");
    const labels = [...picture.matchAll(/class="dim">([^<]*)</g)]
      .map((match) => match[1] ?? "")
      .filter((text) => !/[\d/]/.test(text));
    const words = new Set(labels.flatMap((label) => label.match(/[A-Za-z]+/g) ?? []));
    expect([...words]).toEqual(
      expect.arrayContaining([
        "equity",
        "position",
        "profit",
        "spread",
        "inventory",
        "reservation",
      ]),
    );
    // The picture has a market more, whose asset heads a column.
    words.delete("ETH");
    expect([...words].filter((word) => !shown.includes(word))).toEqual([]);
  });
});

describe("the README's commands", async () => {
  const program = await buildProgram({
    env: {},
    stdout: silent(),
    stderr: silent(),
    runtime,
    interrupted: () => new Promise(() => {}),
    script: "",
  });
  const rows = tableOf(readme, "command").map(([usage = "", does = ""]) => ({
    usage: codesOf(usage)[0] ?? "",
    does,
  }));

  it("are those of the program, each with its arguments", () => {
    const known = program.commands.map((command) => {
      const args = command.registeredArguments.map((argument) => {
        const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
        return argument.required ? `<${name}>` : `[${name}]`;
      });
      return [command.name(), ...args].join(" ");
    });
    expect(rows.map(({ usage }) => usage).sort()).toEqual(known.sort());
  });

  it.each(rows)("have their options, all and no others: $usage", async ({ usage, does }) => {
    const [name = ""] = usage.split(" ");
    const command = program.commands.find((each) => each.name() === name);
    expect([...new Set(does.match(/--[a-z-]+/g) ?? [])].sort()).toEqual(
      (command?.options ?? []).map(({ long }) => long).sort(),
    );
    expect(await captureCli([name, "--help"])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Usage: marketwright ${name}`),
    });
  });

  it("do what they are shown to do", async () => {
    const examples = rows.flatMap(({ usage, does }) => {
      const [name = ""] = usage.split(" ");
      return codesOf(does).filter((code) => code.startsWith(`${name} `));
    });
    expect(examples).toEqual(["call orderbook marketId=btcusdc limit=10"]);
    for (const example of examples) {
      const { code, out } = await captureCli([...example.split(" "), "--rest", where.restUrl]);
      expect(code).toBe(0);
      expect(JSON.parse(out).bids).toHaveLength(10);
    }
    const file = write("cancel/bot.yaml", minimalBlock ?? "");
    const env = { MARKETWRIGHT_KEY: newKey(), XDG_RUNTIME_DIR: folder };
    await captureCli(["run", file, "--for", "1s", "--json"], env);
    expect(await captureCli(["cancel-all", file], env)).toMatchObject({
      code: 0,
      out: "Nothing was cancelled: no order is open in btcusdc.\n",
    });
  });

  it("end with the exit codes that are listed", async () => {
    expect(tableOf(readme, "exit code").map(([code]) => code)).toEqual([
      "0",
      "1",
      "2",
      "129, 130, 143",
    ]);
    const empty = mkdtempSync(join(folder, "nobody-"));
    expect(await captureCli(["--version"])).toMatchObject({ code: 0 });
    expect(await captureCli(["status"], { XDG_RUNTIME_DIR: empty })).toMatchObject({ code: 1 });
    expect(await captureCli(["run", join(empty, "absent.yaml")])).toMatchObject({ code: 2 });
    expect(await captureCli(["run", "--fast"])).toMatchObject({ code: 2 });
  });
});

function silent(): TextStream {
  return { write: () => undefined, on: () => undefined, off: () => undefined };
}

function newKey(): string {
  return `0x${Array.from({ length: 4 }, () => runtime.random.uint64().toString(16).padStart(16, "0")).join("")}`;
}
