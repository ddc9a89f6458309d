import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";
import { PROJECT_ROOT } from "./checkout.js";

const page = readFileSync(join(PROJECT_ROOT, "SECURITY.md"), "utf8");
const lock = JSON.parse(readFileSync(join(PROJECT_ROOT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
};

describe("SECURITY.md", () => {
  it("names the installed versions of every package in its table of advisories", () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` (\S+) \| `([^`]+)` (\S+) \|/gm)];
    expect(rows.map(([, name]) => name)).toEqual(["elliptic"]);
    for (const [, name, version, parent, parentVersion] of rows) {
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version);
      expect(lock.packages[`node_modules/${parent}`]?.version, parent).toBe(parentVersion);
    }
  });
});

describe("elliptic, whose signatures may show the key", () => {
  let folder: string;
  beforeAll(() => {
    builtCommand();
    folder = mkdtempSync(join(tmpdir(), "marketwright-advisories-"));
    // Every file that Node loads for require goes through here, as does what ECMAScript modules
    // import of them.
    writeFileSync(
      join(folder, "watch.cjs"),
      `const Module = require("node:module");
       const load = Module._load;
       Module._load = function (request, ...rest) {
         if (process.env.WITHOUT_NATIVE && request === "secp256k1/bindings") throw new Error("no native code");
         return load.call(this, request, ...rest);
       };
       process.on("exit", () => {
         const loaded = Object.keys(require.cache).map((file) => file.replaceAll("\\\\", "/"));
         process.stderr.write("loaded " + JSON.stringify(loaded.filter((file) => /elliptic|secp256k1/.test(file))) + "\\n");
       });`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * Runs a program of its own and returns what it printed, and the files of `secp256k1` and
   * `elliptic` that it loaded.
   */
  function run(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): { out: string; loaded: string[] } {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--require", join(folder, "watch.cjs"), ...args],
      {
        cwd: PROJECT_ROOT,
        encoding: "utf8",
        env: { PATH: process.env.PATH ?? "", ...env },
      },
    );
    expect(status, stderr).toBe(0);
    return {
      out: stdout,
      loaded: JSON.parse(/^loaded (.*)$/m.exec(stderr)?.[1] ?? "null") as string[],
    };
  }

  const entry = (path: string) =>
    JSON.stringify(pathToFileURL(join(PROJECT_ROOT, "dist", path)).href);
  const signs = () => `
    const { ecdsaScheme: scheme } = await import(${entry("exchange/index.js")});
    await import(${entry("index.js")});
    const signer = scheme.signer("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
    console.log(scheme.name, scheme.recover(new Uint8Array(32).fill(7), signer.sign(new Uint8Array(32).fill(7))) ?.toLowerCase() === signer.address.toLowerCase());`;

  it.each([
    ["with the native code", {}, "native"],
    ["without it", { WITHOUT_NATIVE: "1" }, "noble"],
  ])("is not loaded where both entries of the package sign, %s", (_what, env, backend) => {
    const { out, loaded } = run(["--input-type=module", "-e", signs()], env);
    expect(out.trim()).toBe(`ecdsa-secp256k1 (${backend}) true`);
    expect(
      loaded.filter((file) =>
        /node_modules\/elliptic\/|secp256k1\/(elliptic|index)\.js/.test(file),
      ),
    ).toEqual([]);
    expect(loaded.some((file) => file.endsWith("secp256k1/bindings.js"))).toBe(
      backend === "native",
    );
  });

  it.each<Readonly<Record<string, string>>>([{}, { WITHOUT_NATIVE: "1" }])(
    "is not loaded by the command either: %j",
    (env) => {
      const { out, loaded } = run([join(PROJECT_ROOT, "bin/marketwright.js"), "--help"], env);
      expect(out).toContain("Usage");
      expect(loaded.filter((file) => file.includes("elliptic"))).toEqual([]);
    },
  );

  it("would be seen if it were", () => {
    expect(
      run(["-e", `require("secp256k1")`], {}).loaded.some((file) =>
        file.endsWith("secp256k1/index.js"),
      ),
    ).toBe(true);
    expect(
      run(["-e", `require("secp256k1/elliptic")`], {}).loaded.some((file) =>
        file.includes("node_modules/elliptic/"),
      ),
    ).toBe(true);
  });
});
