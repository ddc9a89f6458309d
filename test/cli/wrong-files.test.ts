import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { captureCli } from "./captured-cli.js";

const env = {
  MARKETWRIGHT_KEY: `0x${"1f".repeat(32)}`,
  XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), "mw-")),
};
const folder = mkdtempSync(join(tmpdir(), "marketwright-files-"));
const empty = join(folder, "empty");
writeFileSync(empty, "");
const text = join(folder, "text");
writeFileSync(text, "neither one\nnor the other\n");
const secret = join(folder, "secret");
writeFileSync(secret, `0x${"ab".repeat(32)}\n`);
const pipe = join(folder, "pipe");
execFileSync("mkfifo", [pipe]);
const latin = join(folder, "latin");
writeFileSync(latin, Buffer.from("stateDir: caf\u00e9\n", "latin1"));

const YAML_COMMANDS = [
  ["run"],
  ["exchange"],
  ["check"],
  ["explain"],
  ["guard"],
  ["cancel-all"],
  ["start"],
  ["start", "--exchange"],
  ["call", "balances", "--bot"],
];

describe("a file that is none, told to any command, is wrong usage: exit code 2 and one message with the path", () => {
  describe.each([...YAML_COMMANDS, ["replay"]].map((words) => [words.join(" "), words] as const))(
    "%s",
    (_name, words) => {
      it.each([
        ["that is not there", join(folder, "nofile"), "does not exist"],
        ["below a file", join(empty, "nofile"), "does not exist"],
        ["that is a folder", folder, "is a folder, not a file"],
        ["that is empty", empty, "is empty"],
        ["of something else", text, words[0] === "replay" ? "line 1" : "the file"],
        ["of a private key", secret, words[0] === "replay" ? "line 1" : "the file"],
      ])("%s", async (_what, path, said) => {
        const { code, out, err } = await captureCli([...words, path], env);
        expect(err).toContain(said);
        expect(err).not.toContain("abababab");
        expect(code).toBe(2);
        expect(out).toBe("");
        expect(err.trimEnd().split("\n")).toHaveLength(1);
        if (path !== text && path !== secret) expect(err).toContain(path.split("/").at(-1));
      });
    },
  );
});

describe.each(YAML_COMMANDS.map((words) => [words.join(" "), words] as const))(
  "%s of",
  (_name, words) => {
    // Nobody writes into it: the process would wait for ever, and hear no Ctrl-C.
    it.each([
      ["a pipe", pipe, "is a pipe or a device, not a file; expected the path of a YAML file"],
      [
        "a text that is not in UTF-8",
        latin,
        "is not written in UTF-8; expected a YAML file in UTF-8",
      ],
    ])("%s says so", async (_what, path, said) => {
      expect(await captureCli([...words, path], env)).toEqual({
        code: 2,
        out: "",
        err: `marketwright: ${path} ${said}\n`,
      });
    });
  },
);

describe("a file of the other kind", () => {
  const example = (name: string): string =>
    fileURLToPath(new URL(`../../config/${name}.yaml`, import.meta.url));

  // A bot's file was refused for the account's key that every bot has, as if the backtest's were
  // wrong there.
  const KINDS = [
    ["bot", ["check"]],
    ["exchange", ["exchange"]],
    ["backtest", ["backtest", "--out", join(folder, "no-report")]],
    ["sweep", ["sweep", "--out", join(folder, "no-sweep")]],
  ] as const;
  const pairs = KINDS.flatMap(([wanted, command]) =>
    KINDS.filter(([given]) => given !== wanted).map(([given]) => [wanted, given, command] as const),
  );

  it.each(pairs)(
    "is told apart at once: wanted a %s's, given a %s's",
    async (wanted, given, command) => {
      const article = (kind: string): string => (kind === "exchange" ? "an" : "a");
      const { code, out, err } = await captureCli([...command, example(given)], env);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(
        `${given}.yaml is ${article(given)} ${given}'s file; expected ${article(wanted)} ${wanted}'s, such as config/`,
      );
    },
  );

  it("is no other kind for a key of another that was written into it by mistake", async () => {
    const file = join(folder, "mixed.yaml");
    writeFileSync(
      file,
      "history: { market: btcusdc }\nbot: bot.yaml\nquotes: { timeInForce: GTT }\n",
    );
    const { err } = await captureCli(["backtest", "--out", join(folder, "no-report"), file], env);
    expect(err).toContain("quotes: unknown key in mixed.yaml line 3");
  });
});

describe("a journal that cannot be written", () => {
  it.each([join(folder, "no", "run.journal"), folder])("is wrong usage: %s", async (path) => {
    const bot = join(folder, "bot.yaml");
    writeFileSync(
      bot,
      `exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: GTT }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
`,
    );
    const { code, err } = await captureCli(["run", bot, "--journal", path], env);
    expect(err).toContain(`--journal: cannot be written (got "${path}")`);
    expect(code).toBe(2);
  });
});
