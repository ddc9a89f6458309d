import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { KEYS } from "../exchange/client/embedded.js";
import { Checkout, PROJECT_ROOT } from "./checkout.js";

/** The packages of this checkout. */
export const MODULES = join(PROJECT_ROOT, "node_modules");
const README = readFileSync(join(PROJECT_ROOT, "README.md"), "utf8");
/** The command, as seen from a folder with the package. */
export const COMMAND = "node_modules/marketwright/bin/marketwright.js";
/** A finished process. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A process under way. */
export interface Started {
  /** Waits for a match in its output; rejects if it ends before. */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly stop: (signal: "SIGINT" | "SIGTERM") => void;
  readonly ended: Promise<Ended>;
}

/** A checkout whose package is packed as a user packs it. */
export function packCheckout(): { readonly checkout: Checkout; readonly tarball: string } {
  const checkout = new Checkout("the project's own");
  for (const name of ["assets", "config", "docs", "README.md", "LICENSE"])
    cpSync(join(PROJECT_ROOT, name), join(checkout.folder, name), { recursive: true });
  checkout.takeBuild();
  const packed = checkout.run("npm", ["pack", "--ignore-scripts", "--json"]);
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  return { checkout, tarball: join(checkout.folder, filename) };
}

/** The flags with which the README installs a bot alone. */
export function installFlags(): string {
  const [, flags = ""] =
    /^npm pack && npm install (\S+) --prefix ~\/bots \.\/marketwright/m.exec(README) ?? [];
  return flags;
}

/** A folder with the package and its dependencies, without the optional ones. */
export function linkedFolder(tarball: string): string {
  const linked = folderOf("mw-linked-");
  linkModules(join(linked, "node_modules"));
  const installed = join(linked, "node_modules", "marketwright");
  mkdirSync(installed);
  const { status } = spawnSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  expect(status).toBe(0);
  return linked;
}

/** A folder of its own for the packages of a bot. */
export function folderOf(prefix: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}

/** Links every package of the project, except the optional ones. */
function linkModules(modules: string): void {
  mkdirSync(modules);
  const { optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(PROJECT_ROOT, "package.json"), "utf8"),
  ) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  const optional = [...Object.keys(optionalDependencies), ...Object.keys(peerDependencies)];
  const left = new Set(optional.map((name) => name.split("/")[0]));
  for (const name of readdirSync(MODULES))
    if (!name.startsWith(".") && name !== "marketwright" && !left.has(name))
      symlinkSync(join(MODULES, name), join(modules, name));
}

/** Starts a program in a folder, with the key of an account. */
export function startIn(folder: string, program: string, args: readonly string[]): Started {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH, HOME, MARKETWRIGHT_KEY: KEYS[0], XDG_RUNTIME_DIR: folder },
  });
  let [out, err] = ["", ""];
  const ended = new Promise<Ended>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      out += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      err += String(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
  const said = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(out);
        if (match !== null) resolve(match);
      };
      child.stdout.on("data", look);
      ended.then(() => reject(new Error(`ended without ${pattern}: ${out}${err}`)), reject);
      look();
    });
  return { said, stop: (signal) => child.kill(signal), ended };
}

/** The README's strategy in TypeScript, and a bot that runs it. */
export function writeBot(folder: string, rest: string, stream: string): void {
  const [, strategy = ""] = /```ts\n(import \{ defineStrategy[\s\S]*?)```/.exec(README) ?? [];
  writeFileSync(join(folder, "my-strategy.ts"), strategy);
  writeFileSync(
    join(folder, "bot.yaml"),
    `exchange: { rest: "${rest}", stream: "${stream}" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc:
    strategy: ./my-strategy.ts
    params: { halfSpreadBps: 4, sizeBase: 0.02 }
    limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 }
risk: { maxDrawdownQuote: 500 }
`,
  );
}
