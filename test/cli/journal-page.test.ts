import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ask } from "../cockpit/opened-cockpit.js";
import { recordVirtualRun, writeJournal } from "../viewer/recorded-journals.js";
import { captureCli, startCli } from "./captured-cli.js";
import { until } from "./until.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-journal-page-"));
const lines = await recordVirtualRun(1);
const run = writeJournal(folder, "run.journal", lines);
const other = writeJournal(folder, "other.journal", await recordVirtualRun(2));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the command, and uses its link. */
async function opened(...args: readonly string[]) {
  const started = startCli(["journal", ...args]);
  const link = await started.firstLine;
  const found = /^http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]{43})$/.exec(link);
  const port = Number(found?.[1]);
  const { headers } = await ask({
    port,
    method: "POST",
    path: "/session",
    headers: { "x-marketwright": "1" },
    body: JSON.stringify({ token: found?.[2] }),
  });
  const cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const read = async (path: string) =>
    JSON.parse((await ask({ port, path, headers: { cookie } })).text);
  return { started, port, read };
}

describe("marketwright journal", () => {
  it("prints a link, serves both runs and where they differ, and ends with Ctrl-C", async () => {
    const { started, port, read } = await opened(run, "--against", other, "--turn", "20");
    await until(started.said, (said) => said.includes("other.journal: turns 1 to"));
    expect(await read("/journal")).toMatchObject({
      isRead: true,
      startTurn: 20,
      runs: [{ journal: run }, { journal: other }],
    });
    const { turn } = await read("/difference?from=1&goal=next");
    expect((await read(`/turn?turn=${turn}`)).parts).not.toEqual([]);
    started.interrupt();
    expect((await started.done).code).toBe(0);
    await expect(ask({ port, path: "/" })).rejects.toThrow(/ECONNREFUSED/);
  }, 60_000);

  it("says which turns there are for a turn beyond the end and for a range without one, and shows the page", async () => {
    const last = lines.length - 1;
    const beyond = await opened(run, "--turn", "9999");
    await until(beyond.started.said, (said) => said.includes("turn: does not exist (got 9999)"));
    expect(beyond.started.said()).toContain(`turns 1 to ${last}`);
    expect((await beyond.read(`/turn?turn=${last}`)).turn).toBe(last);
    beyond.started.interrupt();
    const none = await opened(run, "--from", "9999");
    await until(none.started.said, (said) => said.includes("no turn to show"));
    none.started.interrupt();
    await Promise.all([beyond.started.done, none.started.done]);
  }, 60_000);

  it("refuses wrong options and journals before it opens a port, with what would be right", async () => {
    const empty = join(folder, "empty.journal");
    writeFileSync(empty, "");
    const lost = writeJournal(folder, "lost.journal", [
      lines[0]?.replace('"strategy":"ladder"', '"strategy":"./gone.mjs"') ?? "",
    ]);
    const wrong = [
      [[run, "--from", "20", "--to", "10"], "--from: is after --to"],
      [[run, "--from", "noon"], "--from: "],
      [[run, "--turn", "0"], "--turn: is not a number of turns"],
      [[run, "--port", "70000"], "--port: is not a port"],
      [[join(folder, "no.journal")], "journal: does not exist"],
      [[empty], "the journal is empty"],
      [[run, "--against", empty], "journal, --against: cannot be replayed"],
      [[lost], "gone.mjs"],
    ] as const;
    for (const [args, message] of wrong) {
      const { code, out, err } = await captureCli(["journal", ...args]);
      expect({ args, code, out }).toEqual({ args, code: 2, out: "" });
      expect(err).toContain(message);
    }
  }, 60_000);

  it("names a port that another program has", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { code, err } = await captureCli(["journal", run, "--port", String(port)]);
    taken.close();
    expect(code).toBe(1);
    expect(err).toContain(`--port: is in use (got ${port})`);
  }, 60_000);
});
