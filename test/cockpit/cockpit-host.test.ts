import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { CockpitHost } from "#cockpit/cockpit-host.js";
import type { CockpitLink } from "#cockpit/cockpit-messages.js";
import { RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { until } from "../cli/until.js";

const { clock } = createLiveRuntime();
const hosts: CockpitHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()));
});

/** A host of a thread that does as its script says. */
function hostOf(script: string) {
  const errors: Readonly<Record<string, unknown>>[] = [];
  let opened = 0;
  const host = new CockpitHost({
    port: 4321,
    env: { XDG_RUNTIME_DIR: "/run/user/1", MARKETWRIGHT_KEY: "a secret", HOME: "/home/desk" },
    clock,
    log: { info: () => {}, warn: () => {}, error: (fields) => errors.push(fields) },
    thread: new URL(`data:text/javascript,${encodeURIComponent(THREAD + script)}`),
    onFirstOpen: () => {
      opened++;
    },
  });
  hosts.push(host);
  return { host, errors, opened: () => opened };
}

const THREAD = `
import { parentPort, workerData } from "node:worker_threads";
const opens = () => {
  parentPort.postMessage({ kind: "open", port: workerData.port });
  parentPort.on("message", ({ request }) =>
    parentPort.postMessage({ kind: "link", request, token: JSON.stringify(process.env) }));
};
`;

describe("the thread of a cockpit", () => {
  it("receives no secret of the bot's environment", async () => {
    const { host } = hostOf("opens();");
    const { port, token }: CockpitLink = await host.link();
    expect(port).toBe(4321);
    expect(JSON.parse(token)).toEqual({ XDG_RUNTIME_DIR: "/run/user/1", HOME: "/home/desk" });
  });

  it("that crashes is logged and started again with a growing pause, and this process goes on", async () => {
    const { host, errors, opened } = hostOf(
      `opens(); setTimeout(() => { throw new Error("a fault of the page") }, 50);`,
    );
    while (errors.length < 3) await sleep(50);
    expect(errors.map(({ error, againInMs }) => [error, againInMs])).toEqual([
      ["a fault of the page", 1_000],
      ["a fault of the page", 2_000],
      ["a fault of the page", 4_000],
    ]);
    expect(opened()).toBe(1);
    // A link that is asked for meanwhile comes once it is open again, or names the reason: it
    // crashes again soon.
    const links = async (): Promise<CockpitLink | undefined> => {
      try {
        return await host.link();
      } catch (error) {
        expect(error).toBeInstanceOf(RunError);
        return undefined;
      }
    };
    const link = await until(links, (given) => given !== undefined);
    expect(link).toMatchObject({ port: 4321 });
  });

  it("that uses too much memory ends alone", async () => {
    const { errors } = hostOf(
      "opens(); const held = []; for (;;) held.push(new Array(100_000).fill({}));",
    );
    while (errors.length === 0) await sleep(50);
    expect(String(errors[0]?.error)).toContain("memory");
  });

  it("that cannot open gives its reason to who asks for a link", async () => {
    const { host, errors } = hostOf(
      `parentPort.postMessage({ kind: "failed", message: "the port is taken" });
       setInterval(() => {}, 1000);`,
    );
    const asked = host.link();
    await expect(asked).rejects.toThrow(RunError);
    await expect(asked).rejects.toThrow("the cockpit is not open: the port is taken");
    expect(errors[0]).toMatchObject({ error: "the port is taken", againInMs: 1_000 });
  });
});
