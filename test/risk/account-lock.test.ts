import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { RunError } from "../../src/core/errors.js";
import { liveSeam } from "../../src/core/live-seam.js";
import { acquireAccountLock } from "../../src/risk/account-lock.js";

const { clock } = liveSeam();
const places = process.platform === "linux" ? (["abstract", "file"] as const) : (["file"] as const);

/** An account of this test process alone. */
const accountOf = (n: number) => `0x${process.pid.toString(16).padStart(38, "0")}${n.toString(16).padStart(2, "0")}` as const;

describe.each(places)("the lock of an account (%s)", (place) => {
  const exchangeHost = `127.0.0.1:${place === "file" ? 1 : 2}`;

  it("refuses a second bot, naming the first, until that one is gone", async () => {
    const account = accountOf(1);
    const lock = await acquireAccountLock({ account, exchangeHost, clock, place });
    const second = acquireAccountLock({ account: account.toUpperCase().replace("X", "x") as `0x${string}`, exchangeHost, clock, place });
    await expect(second).rejects.toThrow(new RegExp(`process ${process.pid}.*${exchangeHost}`));
    await lock.release();
    const next = await acquireAccountLock({ account, exchangeHost, clock, place });
    await next.release();
  });

  it("leaves other accounts, and the same account on another exchange, alone", async () => {
    const locks = [
      await acquireAccountLock({ account: accountOf(2), exchangeHost, clock, place }),
      await acquireAccountLock({ account: accountOf(3), exchangeHost, clock, place }),
      await acquireAccountLock({ account: accountOf(2), exchangeHost: "elsewhere:1", clock, place }),
    ];
    for (const lock of locks) await lock.release();
  });

  it("is free at once after a kill -9 of its holder", async () => {
    const account = accountOf(4);
    const module = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));
    const script = `
      const { acquireAccountLock } = await import(${module("risk/account-lock.ts")});
      const { liveSeam } = await import(${module("core/live-seam.ts")});
      await acquireAccountLock({ account: "${account}", exchangeHost: "${exchangeHost}", clock: liveSeam().clock, place: "${place}" });
      process.stdout.write("held");
      process.stdin.resume();
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
    await once(child.stdout, "data");
    await expect(acquireAccountLock({ account, exchangeHost, clock, place })).rejects.toThrow(RunError);
    child.kill("SIGKILL");
    await once(child, "exit");
    if (place === "file") {
      const digest = createHash("sha256").update(`${account}@${exchangeHost}`).digest("hex").slice(0, 40);
      expect(existsSync(join(tmpdir(), `marketwright-${digest}.lock`))).toBe(true);
    }
    const lock = await acquireAccountLock({ account, exchangeHost, clock, place });
    await lock.release();
  }, 30_000);
});
