import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Wallet } from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promptSecret } from "#cli/terminal-secret.js";
import { decryptKeystore, encryptKeystore } from "#core/keystore.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-key-"));
const KEY = `0x${"2e".repeat(32)}`;
const { address } = new Wallet(KEY);
const PASSWORD = "hunter-of-snarks";
const WRONG = "hunter-of-boojums";
const env = { PASSWORD, WRONG, IMPORTED: KEY, EMPTY: "" };
let files = 0;
const newPath = () => join(folder, `keystore-${++files}.json`);
const SECRETS = [KEY.slice(2), PASSWORD, WRONG];

describe("marketwright key", () => {
  it("makes a keystore with a key that nobody has had, readable by its owner alone", async () => {
    const file = newPath();
    const { code, out, err } = await captureCli(
      ["key", "new", file, "--password-env", "PASSWORD", "--json"],
      env,
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = decryptKeystore(readFileSync(file, "utf8"), PASSWORD);
    expect(JSON.parse(out)).toEqual({ address: new Wallet(key).address, file });
    expect(out).not.toContain(key.slice(2));
  });

  it("locks a key up that there is, from a variable or a file, and opens it for its address", async () => {
    const keyFile = join(folder, "key.txt");
    const passwordFile = join(folder, "password.txt");
    writeFileSync(keyFile, `${KEY.toUpperCase().replace("0X", "0x")}\n`, { mode: 0o600 });
    writeFileSync(passwordFile, `${PASSWORD}\nsecond line\n`, { mode: 0o600 });
    for (const source of [
      ["--key-env", "IMPORTED"],
      ["--key-file", keyFile],
    ]) {
      const file = newPath();
      const made = await captureCli(
        ["key", "import", file, ...source, "--password-file", passwordFile, "--json"],
        env,
      );
      expect(made).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(made.out)).toEqual({ address, file });
      expect(readFileSync(file, "utf8")).not.toContain(KEY.slice(2));
    }
  });

  it("says the address of a keystore without its password, and with it only when the key is that address's", async () => {
    const file = keystoreFile();
    expect(JSON.parse((await captureCli(["key", "address", file, "--json"])).out)).toEqual({
      address,
      file,
    });
    expect(
      await captureCli(["key", "address", file, "--password-env", "PASSWORD"], env),
    ).toMatchObject({
      code: 0,
      out: expect.stringContaining(address),
    });
    const wrong = await captureCli(["key", "address", file, "--password-env", "WRONG"], env);
    expect(wrong).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("cannot be opened with this password"),
    });
    expectNoSecret(wrong.err);
    const other = newPath();
    writeFileSync(
      other,
      readFileSync(file, "utf8").replace(address.slice(2).toLowerCase(), "00".repeat(20)),
    );
    expect(
      await captureCli(["key", "address", other, "--password-env", "PASSWORD"], env),
    ).toMatchObject({ code: 2, out: "" });
  });

  it("never writes over a file, not even an empty one", async () => {
    const file = newPath();
    writeFileSync(file, "");
    for (const action of ["new", "import"]) {
      const run = await captureCli(["key", action, file, "--password-env", "PASSWORD"], env);
      expect(run).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining("never overwritten"),
      });
    }
    expect(readFileSync(file, "utf8")).toBe("");
  });

  it.each([
    ["--password-file", ["new"], 0o644],
    ["--password-file", ["new"], 0o660],
    ["--key-file", ["import", "--password-env", "PASSWORD"], 0o604],
  ])(
    "refuses a secret in a file that other users may read or write: %s %s, mode %o",
    async (option, [action = "", ...more], mode) => {
      const secret = join(folder, `open-${mode.toString(8)}`);
      writeFileSync(secret, `${option === "--key-file" ? KEY : PASSWORD}\n`);
      chmodSync(secret, mode);
      const file = join(folder, `never-${mode}.json`);
      const { code, err } = await captureCli(["key", action, file, ...more, option, secret], env);
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringMatching(
          new RegExp(`^marketwright: ${option}: .*mode ${mode.toString(8)}.*chmod 600`),
        ),
      });
      expect(existsSync(file)).toBe(false);
    },
  );

  it.each([
    ["an action that is none", ["old", "FILE"], "action"],
    ["no file", ["new"], "missing required argument 'file'"],
    [
      "two passwords",
      ["new", "FILE", "--password-env", "PASSWORD", "--password-file", "p"],
      "--password-file",
    ],
    ["two keys", ["import", "FILE", "--key-env", "IMPORTED", "--key-file", "k"], "--key-file"],
    ["a key for a new one", ["new", "FILE", "--key-env", "IMPORTED"], "--key-env"],
    ["a variable that is not set", ["new", "FILE", "--password-env", "ABSENT"], "--password-env"],
    ["a variable that is empty", ["new", "FILE", "--password-env", "EMPTY"], "--password-env"],
    [
      "a password's file that is not there",
      ["new", "FILE", "--password-file", "/nowhere/p"],
      "--password-file",
    ],
    [
      "a key that is none",
      ["import", "FILE", "--key-env", "PASSWORD", "--password-env", "PASSWORD"],
      "not a private key",
    ],
    [
      "a key's file that is not there",
      ["import", "FILE", "--key-file", "/nowhere/k"],
      "--key-file",
    ],
    ["no password and no terminal", ["new", "FILE"], "--password-env NAME or --password-file FILE"],
    [
      "no key and no terminal",
      ["import", "FILE", "--password-env", "PASSWORD"],
      "--key-env NAME or --key-file FILE",
    ],
    ["a keystore that is not there", ["address", "FILE"], "does not exist"],
  ])("refuses with exit code 2 and writes nothing: %s", async (_name, args, words) => {
    const file = newPath();
    const { code, out, err } = await captureCli(
      ["key", ...args.map((arg) => (arg === "FILE" ? file : arg))],
      env,
    );
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(words);
    expectNoSecret(err);
    expect(existsSync(file)).toBe(false);
  });

  it("leaves nothing behind where it cannot write", async () => {
    const closed = join(folder, "none", "k.json");
    const run = await captureCli(["key", "new", closed, "--password-env", "PASSWORD"], env);
    expect(run).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("cannot be written (ENOENT)"),
    });
  });
});

describe("a secret typed at the terminal", () => {
  const typing = () => {
    const raw: boolean[] = [];
    const input = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => raw.push(on) });
    let shown = "";
    const answer = promptSecret("password: ", input, { write: (text: string) => (shown += text) });
    return { input, raw, answer, shown: () => shown };
  };

  it("is not shown, with corrections, whatever pieces it comes in", async () => {
    const { input, raw, answer, shown } = typing();
    for (const piece of ["wrong\u0015hun", "terX\u007f", "é", "\u001b\t", "\r"]) input.write(piece);
    expect(await answer).toBe("hunteré");
    expect(shown()).toBe("password: \n");
    expect(raw).toEqual([true, false]);
  });

  it.each([
    ["Ctrl-C", "hun\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("is given up by %s, and the terminal shows again what is typed", async (_name, keys) => {
    const { input, raw, answer } = typing();
    input.write(keys);
    await expect(answer).rejects.toThrow("nothing was typed");
    expect(raw).toEqual([true, false]);
  });

  it("may be typed ahead of the next question", async () => {
    const { input, answer } = typing();
    input.write("one\rtwo\r");
    expect(await answer).toBe("one");
    expect(await promptSecret("again: ", input, { write: () => undefined })).toBe("two");
  });

  it("is given up when the terminal goes away", async () => {
    const { input, answer } = typing();
    input.end();
    await expect(answer).rejects.toThrow("nothing was typed");
  });
});

describe("a bot whose key is in a keystore", () => {
  const live = createLiveRuntime();
  let exchange: StartedRun;
  let where: { readonly restUrl: string; readonly streamUrl: string };

  beforeAll(async () => {
    const path = join(folder, "exchange.yaml");
    const flow = "{ kind: synthetic, startPriceQuote: 60000 }";
    writeFileSync(
      path,
      `port: 0\nseed: 7\nmarkets:\n  btcusdc: { tickSize: 0.1, stepSize: 0.001, flow: ${flow} }\n`,
    );
    exchange = startCli(["exchange", path, "--json"]);
    where = JSON.parse(await exchange.firstLine);
  });
  afterAll(async () => {
    exchange.interrupt();
    await exchange.done;
  });

  /** A bot in a folder of its own beside its keystore and its password's file. */
  function bot(keystore: string, logLevel = "trace") {
    const own = mkdtempSync(join(folder, "bot-"));
    mkdirSync(join(own, "keys"));
    writeFileSync(join(own, "keys", "bot.json"), readFileSync(keystoreFile()));
    writeFileSync(join(own, "keys", "right"), `${PASSWORD}\n`, { mode: 0o600 });
    writeFileSync(join(own, "keys", "wrong"), `${WRONG}\n`, { mode: 0o600 });
    const file = join(own, "bot.yaml");
    writeFileSync(
      file,
      `exchange: { rest: "${where.restUrl}", stream: "${where.streamUrl}" }
account: { keystore: ${keystore} }
quotes: { timeInForce: POST_ONLY }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
logLevel: ${logLevel}
`,
    );
    return {
      file,
      own,
      journal: join(own, "run.journal"),
      runtime: { ...env, XDG_RUNTIME_DIR: own },
    };
  }

  const RIGHT = "{ file: keys/bot.json, passwordFile: keys/right }";
  const commandsOf = ({ file, journal }: { file: string; journal: string }) => [
    ["run", file, "--for", "1s", "--json", "--journal", journal],
    ["check", file, "--connect", "--json"],
    ["explain", file, "--json"],
    ["call", "openOrders", "--bot", file],
    ["cancel-all", file, "--json"],
  ];

  it("runs, and nothing that any command says, logs or writes shows key or password", async () => {
    const made = bot(RIGHT);
    // The log goes to the process's own stderr, so the bot gets a process.
    const [run = [], ...others] = commandsOf(made);
    const ran = await inProcess(run, made.runtime);
    let said = ran.stdout + ran.stderr;
    expect(ran.stderr).toContain("dispatched");
    for (const args of others) {
      const { code, out, err } = await captureCli(args, made.runtime);
      expect({ args, code, err }).toEqual({ args, code: 0, err: "" });
      said += out;
    }
    expect(said.toLowerCase()).toContain(address.toLowerCase());
    for (const path of filesUnder(made.own).filter((each) => !each.includes("/keys/")))
      said += readFileSync(path, "latin1");
    expect(said).toContain("ordersPlaced");
    expectNoSecret(said);
  });

  it("takes its password from a variable too, and is guarded by a process that shows neither", async () => {
    const { file, runtime } = bot("{ file: keys/bot.json, passwordEnv: PASSWORD }", "silent");
    const guard = startCli(["guard", file, "--json"], runtime);
    expect(JSON.parse(await guard.firstLine)).toMatchObject({ kind: "watching" });
    guard.interrupt();
    const { code, out, err } = await guard.done;
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expectNoSecret(out);
  });

  it("ends with exit code 1 on a wrong password, in every command, and shows nothing of it", async () => {
    const made = bot("{ file: keys/bot.json, passwordFile: keys/wrong }");
    for (const args of [...commandsOf(made), ["guard", made.file, "--json"]]) {
      const run = await captureCli(args, made.runtime);
      expect(run).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringContaining("account.keystore.file: cannot be opened with this password"),
      });
      expectNoSecret(run.err);
    }
    expect(existsSync(made.journal)).toBe(false);
  });

  it.each([
    ["no password", "{ file: keys/bot.json }", "either passwordEnv or passwordFile"],
    [
      "two passwords",
      "{ file: keys/bot.json, passwordEnv: PASSWORD, passwordFile: keys/right }",
      "has two sources of its password",
    ],
    [
      "a variable that is not set",
      "{ file: keys/bot.json, passwordEnv: ABSENT }",
      "account.keystore.passwordEnv",
    ],
    [
      "a password's file that is not there",
      "{ file: keys/bot.json, passwordFile: keys/none }",
      "account.keystore.passwordFile",
    ],
    [
      "a keystore that is not there",
      "{ file: keys/none.json, passwordEnv: PASSWORD }",
      "account.keystore.file",
    ],
    ["a keystore that is none", "{ file: keys/right, passwordEnv: PASSWORD }", "is not a keystore"],
    [
      "a key beside it",
      "{ file: keys/bot.json, passwordEnv: PASSWORD }, keyEnv: IMPORTED",
      "either keyEnv or keystore",
    ],
    ["the password itself", `{ file: keys/bot.json, password: x }`, "account.keystore.password"],
  ])("is refused with exit code 2: %s", async (_name, keystore, words) => {
    const { file, runtime } = bot(keystore);
    const { code, out, err } = await captureCli(["check", file], runtime);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(words);
    expectNoSecret(err);
  });

  it("takes --key-env over the file's keystore in a call", async () => {
    const { file, runtime } = bot("{ file: keys/bot.json, passwordFile: keys/wrong }");
    const own = `0x${live.random.uint64().toString(16).padStart(64, "1")}`;
    const run = await captureCli(["call", "openOrders", "--bot", file, "--key-env", "OWN"], {
      ...runtime,
      OWN: own,
    });
    expect(run).toMatchObject({ code: 1, err: expect.stringContaining("not registered") });
  });

  it("is not traded by start, whose account is a fresh one", async () => {
    const { file, runtime } = bot(RIGHT);
    const run = await captureCli(["start", file], runtime);
    expect(run).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("account.keystore: start trades a fresh account"),
    });
  });
});

/** In a process of its own; rejects when it does not end with exit code 0. */
function inProcess(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { PATH = "" } = process.env;
  const command = [builtCommand(), ...args];
  return promisify(execFile)(process.execPath, command, { cwd: root, env: { PATH, ...variables } });
}

/** A keystore that opens fast. */
function keystoreFile(): string {
  const file = newPath();
  writeFileSync(
    file,
    encryptKeystore({
      privateKey: KEY,
      password: PASSWORD,
      random: seededRandom(files),
      scryptN: 2,
    }),
  );
  chmodSync(file, 0o600);
  return file;
}

function expectNoSecret(text: string): void {
  for (const secret of SECRETS) expect(text.toLowerCase().includes(secret)).toBe(false);
}

function filesUnder(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((each) => statSync(each).isFile());
}
