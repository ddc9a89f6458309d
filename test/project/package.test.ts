import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEYS, startEmbedded } from "../exchange/client/embedded.js";
import { Checkout, PROJECT_ROOT } from "./checkout.js";

const MODULES = join(PROJECT_ROOT, "node_modules");
const MARKET = "btcusdc";

/** The packages that the client depends on; none for logging, metrics, servers or command lines. */
const PACKAGES = [
  "@noble/curves",
  "@noble/hashes",
  "decimal.js",
  "hash-wasm",
  "rxjs",
  "secp256k1",
  "undici",
  "ws",
  "zod",
];

let checkout: Checkout;
/**
 * Files that a user's own runs leave: keys, state, logs, a bot of the user's. Planted in each
 * folder that is packed.
 */
const SECRETS = [
  ".env",
  ".marketwright/0xabababababababababababababababababababab/key",
  ".marketwright/0xabababababababababababababababababababab/peak-equity.json",
  ".marketwright/secret.js",
  "bot.key.json",
  "key",
  "key.txt",
  "mine.md",
  "mine.yaml",
  "password",
  "run.journal",
  "session.log",
];
const PACKED_FOLDERS = [
  ".",
  "assets",
  "assets/chart",
  "assets/report",
  "bin",
  "config",
  "deploy",
  "deploy/docker",
  "dist",
  "dist/cli",
  "docs",
  "docs/examples",
  "docs/guides",
  "docs/ideas",
  "docs/reference",
  "scripts",
];

/** A user's folder with the package installed, beside its dependencies. */
let stranger: string;
let tarball: string;

beforeAll(() => {
  checkout = new Checkout("the project's own");
  for (const name of [
    "assets",
    "config",
    "deploy",
    "docs",
    "CHANGELOG.md",
    "SECURITY.md",
    "README.md",
    "LICENSE",
  ]) {
    cpSync(join(PROJECT_ROOT, name), join(checkout.folder, name), { recursive: true });
  }
  checkout.takeBuild();
  const { status, stderr } = checkout.prepare("--required");
  if (status !== 0) throw new Error(stderr);
  for (const folder of PACKED_FOLDERS)
    for (const name of SECRETS) checkout.write(join(folder, name), "a secret");
  const packed = checkout.run("npm", ["pack", "--ignore-scripts", "--json"]);
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  tarball = join(checkout.folder, filename);
  stranger = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-stranger-")));
  const modules = join(stranger, "node_modules");
  const installed = join(modules, "marketwright");
  mkdirSync(installed, { recursive: true });
  for (const name of readdirSync(MODULES)) {
    if (!name.startsWith(".") && name !== "marketwright")
      symlinkSync(join(MODULES, name), join(modules, name));
  }
  expect(spawnSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]).status).toBe(
    0,
  );
  writeFileSync(join(stranger, "package.json"), '{ "type": "module" }');
});

afterAll(() => {
  checkout?.dispose();
  if (stranger !== undefined) rmSync(stranger, { recursive: true, force: true });
});

/** Runs a program beside the test, which may be the exchange that it asks. */
function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: stranger,
      env: { PATH: process.env.PATH ?? "", ...env },
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => {
      out += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      err += String(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

describe("the package as it is published", () => {
  // It took the keys and the state of every run that was made in config.
  it("holds what its manifest names and its build, and nothing that a user's own runs have left beside them", () => {
    const held = spawnSync("tar", ["-tzf", tarball], { encoding: "utf8" })
      .stdout.trim()
      .split("\n");
    const names = held.map((path) => path.replace(/^package\//, ""));
    expect(
      names.filter((name) =>
        SECRETS.some((secret) => name === secret || name.endsWith(`/${secret}`)),
      ),
    ).toEqual([]);
    const { files } = JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8")) as {
      readonly files: readonly string[];
    };
    const built = readdirSync(join(PROJECT_ROOT, "dist"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(d\.ts|js|js\.map)$/.test(entry.name))
      .map((entry) => relative(PROJECT_ROOT, join(entry.parentPath, entry.name)));
    const named = files.filter((name) => !name.includes("*"));
    expect(names.sort()).toEqual(
      [...built, ...named, "LICENSE", "README.md", "package.json"].sort(),
    );
  });

  // The guide unpacks the archive and runs npm install there, which runs `prepare`.
  it("runs its prepare script with what it holds: a server's npm install would end with an error", () => {
    const cwd = join(stranger, "node_modules/marketwright");
    const { status, stderr } = spawnSync(process.execPath, ["scripts/prepare.mjs"], {
      cwd,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("names every page, example and picture of the project", () => {
    const { files } = JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8")) as {
      readonly files: readonly string[];
    };
    const { status, stdout } = spawnSync(
      "git",
      ["ls-files", "assets", "bin", "config", "deploy", "docs"],
      {
        cwd: PROJECT_ROOT,
        encoding: "utf8",
      },
    );
    // A copy without its history has no list of files.
    if (status !== 0) return;
    // The pages of the cockpit and the viewer are built into dist; a report's when it is written.
    const wanted = stdout
      .split("\n")
      .filter((name) => !/^(assets\/(cockpit|viewer)\/|$)/.test(name));
    expect(files.filter((name) => /^(assets|bin|config|deploy|docs)\//.test(name))).toEqual(
      wanted.sort(),
    );
  });

  it("keeps the state of its own example in the working folder or in XDG_STATE_HOME, and never in node_modules", async () => {
    const example = "node_modules/marketwright/config/minimal.yaml";
    const command = "node_modules/marketwright/bin/marketwright.js";
    const key = `0x${"17".repeat(32)}`;
    const runtime = mkdtempSync(join(tmpdir(), "mw-runtime-"));
    const env = { MARKETWRIGHT_KEY: key, XDG_RUNTIME_DIR: runtime };
    expect(await run([command, "halt", example], env)).toMatchObject({ code: 0 });
    const [account = ""] = readdirSync(join(stranger, ".marketwright"));
    expect(account).toMatch(/^0x[0-9a-f]{40}$/);
    expect(readdirSync(join(stranger, ".marketwright", account))).toContain("manual-halt.json");
    const stateHome = join(stranger, "state-home");
    expect(
      await run([command, "halt", example], { ...env, XDG_STATE_HOME: stateHome }),
    ).toMatchObject({ code: 0 });
    expect(readdirSync(join(stateHome, "marketwright", account))).toContain("manual-halt.json");
    expect(existsSync(join(stranger, "node_modules/marketwright/config/.marketwright"))).toBe(
      false,
    );
    rmSync(runtime, { recursive: true });
  });

  it("is what publint asks for", async () => {
    const { messages } = await publint({
      pkgDir: join(stranger, "node_modules/marketwright"),
      strict: true,
      pack: false,
    });
    expect(messages).toEqual([]);
  });

  it("has types that every resolution of an ES module finds", () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(MODULES, "@arethetypeswrong/cli/dist/index.js"),
        tarball,
        "--profile",
        "esm-only",
        "--format",
        "table",
        "--no-color",
        "--no-emoji",
      ],
      { encoding: "utf8" },
    );
    expect([status, stderr], stdout).toEqual([0, ""]);
    for (const resolution of ["node16 \\(from ESM\\)", "bundler"]) {
      expect(stdout).toMatch(new RegExp(`${resolution} *(│ OK[^│]*){4}│`));
    }
  });

  it("types a stranger's program strictly: what is wrong does not compile", async () => {
    const right = [
      'import { connect, type Decimal, type Order } from "marketwright/exchange";',
      'const { client, streams, close } = await connect({ baseUrl: "http://127.0.0.1:1/v1" });',
      'const order: Order = await client.place({ marketId: "m", side: "BUY", amount: "1", price: 2n });',
      "const price: Decimal = order.price.plus(1);",
      'for await (const bar of client.all.klines({ marketId: "m", interval: "1MO", startTime: 0 })) console.log(String(bar.close), price);',
      'streams.account$().subscribe((event) => { if (event.type === "order") console.log(event.order.id.length); });',
      "close();",
    ];
    const wrong = [
      'import { ExchangeClient } from "marketwright/exchange";',
      "declare const client: ExchangeClient;",
      'client.klines({ marketId: "m", interval: "7M" });',
      'client.place({ marketId: "m", side: "buy", amount: "1", price: "1" });',
      'client.place({ marketId: "m", side: "BUY", amount: 0.1, price: "1" });',
      "client.trades({});",
      'client.cancelOrder({ marketId: "m", orderId: "1", force: true });',
    ];
    writeFileSync(join(stranger, "right.ts"), right.join("\n"));
    writeFileSync(join(stranger, "wrong.ts"), wrong.join("\n"));
    const flags = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--types",
      "node",
      "--skipLibCheck",
      "--pretty",
      "false",
    ];
    const compiler = join(MODULES, "typescript/bin/tsc");
    const { out } = await run([compiler, ...flags, "right.ts", "wrong.ts"]);
    expect(out).not.toContain("right.ts");
    const lines = new Set(
      [...out.matchAll(/^wrong\.ts\((\d+),/gm)].map((match) => Number(match[1])),
    );
    expect([...lines].sort(), out).toEqual([3, 4, 5, 6, 7]);
  });
});

describe("the client's entry", () => {
  it("reaches the client, the core and the order book alone, and of packages none that logs, measures or serves", () => {
    const dist = join(stranger, "node_modules/marketwright/dist");
    const seen = new Set<string>();
    const packages = new Set<string>();
    const walk = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      // Without the examples of its comments.
      const code = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
      for (const [, specifier = ""] of code.matchAll(/(?:\bfrom|^import)\s+["']([^"']+)["'];/gm)) {
        if (specifier.startsWith(".")) walk(join(dirname(file), specifier));
        else if (!specifier.startsWith("node:") && !builtinModules.includes(specifier)) {
          packages.add(
            specifier
              .split("/")
              .slice(0, specifier.startsWith("@") ? 2 : 1)
              .join("/"),
          );
        }
      }
    };
    walk(join(dist, "exchange/index.js"));
    expect(seen.size).toBeGreaterThan(40);
    expect(
      [...seen].filter((file) => !/^(core|exchange|market\/book)\//.test(relative(dist, file))),
    ).toEqual([]);
    // The native binding is loaded at run time, where it is installed.
    expect([...packages].sort()).toEqual(PACKAGES.filter((name) => name !== "secp256k1"));
  });

  it("does nothing when it is imported: no output, no handle left open, no global, no listener", async () => {
    writeFileSync(
      join(stranger, "import.mjs"),
      [
        // Globals and listeners that the dependencies add are not counted.
        'for (const name of ["undici", "zod", "ws", "rxjs"]) await import(name);',
        "const events = () => process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`).join();",
        "const before = [Object.getOwnPropertyNames(globalThis).join(), events()];",
        'const entry = await import("marketwright/exchange");',
        "const after = [Object.getOwnPropertyNames(globalThis).join(), events()];",
        "console.log(JSON.stringify({ same: before.join() === after.join(), connect: typeof entry.connect }));",
      ].join("\n"),
    );
    const { code, out, err } = await run(["import.mjs"]);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toEqual({ same: true, connect: "function" });
  });

  it("can be shaken: who takes a decimal from it gets neither HTTP nor websockets nor signatures", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents:
          'import { toDecimal } from "marketwright/exchange"; console.log(String(toDecimal("1.50")));',
        resolveDir: stranger,
      },
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      target: "node20",
    });
    const code = outputFiles[0]?.text ?? "";
    writeFileSync(join(stranger, "shaken.mjs"), code);
    expect(await run(["shaken.mjs"])).toMatchObject({ code: 0, out: "1.5\n" });
    for (const word of ["undici", "WebSocket", "secp256k1", "Subscriber"])
      expect(code).not.toContain(word);
    expect(code.length).toBeLessThan(250_000);
  });

  it("can be bundled into one file as its page says, which signs and asks the exchange without the package beside it", async () => {
    const page = readFileSync(join(PROJECT_ROOT, "docs/reference/exchange-client.md"), "utf8");
    const [, banner] = /--banner:js="([^"]+)"/.exec(page) ?? [];
    const alone = join(stranger, "..", `${relative(join(stranger, ".."), stranger)}-bundle.mjs`);
    await build({
      stdin: {
        contents: `import { connect, ecdsaScheme } from "marketwright/exchange";
          const { client, close } = await connect({ baseUrl: process.env.EXCHANGE_URL, key: process.env.MARKETWRIGHT_KEY });
          const { address } = await client.registerAccount();
          console.log(ecdsaScheme.name, address, (await client.openOrders()).length);
          close();`,
        resolveDir: stranger,
      },
      bundle: true,
      outfile: alone,
      format: "esm",
      platform: "node",
      banner: { js: banner ?? "" },
    });
    const embedded = await startEmbedded();
    try {
      const { code, out, err } = await run([alone], {
        EXCHANGE_URL: embedded.server.restUrl,
        MARKETWRIGHT_KEY: KEYS[0],
      });
      expect([code, err]).toEqual([0, ""]);
      expect(out).toMatch(/^ecdsa-secp256k1 \(noble\) 0x[0-9a-fA-F]{40} 0\n$/);
    } finally {
      await embedded.close();
      rmSync(alone, { force: true });
    }
  });
});

describe("the example of the client's page", () => {
  it("does all that it says, against the embedded exchange over HTTP and websockets, and ends by itself", async () => {
    expect(
      existsSync(join(stranger, "node_modules/marketwright/docs/examples/place-and-cancel.mjs")),
    ).toBe(true);
    cpSync(
      join(PROJECT_ROOT, "docs/examples/place-and-cancel.mjs"),
      join(stranger, "place-and-cancel.mjs"),
    );
    const embedded = await startEmbedded();
    try {
      const [trader, other] = await Promise.all([
        embedded.trader(KEYS[0]),
        embedded.trader(KEYS[1]),
      ]);
      await other.client.place({ marketId: MARKET, side: "SELL", amount: "0.01", price: "30000" });
      await trader.client.place({ marketId: MARKET, side: "BUY", amount: "0.01", price: "30000" });
      await other.client.place({ marketId: MARKET, side: "BUY", amount: "0.5", price: "29000" });
      const { code, out, err } = await run(["place-and-cancel.mjs"], {
        EXCHANGE_URL: embedded.server.restUrl,
        MARKETWRIGHT_KEY: KEYS[0],
      });
      expect([code, err]).toEqual([0, ""]);
      const said = out.trim().split("\n");
      expect(said[0]).toBe("market btcusdc: tick 0.1, step 0.001, maker fee -0.0001");
      expect(said[1]).toMatch(/^book \d+: 29000 \/ no ask$/);
      expect(said[2]).toMatch(/^placed \d+ at 21750, built here, hash as prepared$/);
      expect(said[3]).toMatch(/^placed \d+ at 21750, built by the exchange$/);
      expect(said[4]).toMatch(/^trade \d+: bought 0.01 at 30000$/);
      expect(said.slice(5)).toEqual([
        "1 trades of the account",
        "cancelled: 0 orders left; the stream told of 2 orders",
      ]);
      expect(await trader.client.openOrders()).toEqual([]);
    } finally {
      await embedded.close();
    }
  });
});
