import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  COMMAND,
  folderOf,
  installFlags,
  packCheckout,
  type Started,
  startIn,
  writeBot,
} from "./alone-package.js";
import type { Checkout } from "./checkout.js";

/** Most that the folder of packages of a bot alone takes: `du -sm`. */
const MOST_MEGABYTES = 120;
/** npm's messages when there is no registry to ask. */
const NO_REGISTRY =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT/;

let checkout: Checkout;
/** A folder in which npm installs the package without the optional dependencies. */
let empty: string;
let installing: Started;

beforeAll(() => {
  const packed = packCheckout();
  checkout = packed.checkout;
  empty = folderOf("mw-alone-");
  const quietly = ["--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1"];
  const args = ["install", installFlags(), "--prefix", empty, ...quietly, packed.tarball];
  installing = startIn(checkout.folder, "npm", args);
});

afterAll(async () => {
  installing.stop("SIGTERM");
  await installing.ended;
  checkout.dispose();
  rmSync(empty, { recursive: true, force: true });
});

it(`an installation without the optional packages takes at most ${MOST_MEGABYTES} MB, and reads a strategy in TypeScript`, async (context) => {
  const { code, err } = await installing.ended;
  if (code !== 0 && NO_REGISTRY.test(err)) return context.skip("npm reaches no registry");
  expect(code, err).toBe(0);
  const size = spawnSync("du", ["-sm", "node_modules"], { cwd: empty, encoding: "utf8" });
  expect(Number.parseInt(size.stdout, 10)).toBeGreaterThan(40);
  expect(Number.parseInt(size.stdout, 10)).toBeLessThanOrEqual(MOST_MEGABYTES);
  writeBot(empty, "http://127.0.0.1:1/v1", "ws://127.0.0.1:1/v1");
  const checked = await startIn(empty, process.execPath, [COMMAND, "check", "bot.yaml"]).ended;
  expect([checked.code, checked.err], checked.out).toEqual([0, ""]);
});
