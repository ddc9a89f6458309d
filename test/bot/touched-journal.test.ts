import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReplayedTurn } from "#bot/journal-replay.js";
import { replayJournal, replayLines } from "#bot/replay-journal.js";
import { ConfigError, FormatError } from "#core/errors.js";
import type { Transport } from "#exchange/transport.js";
import { asFile, MemoryJournal, PRIVATE_KEY, startVirtualRun, turnsOf } from "./recorded-run.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-journal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a journal that was changed or cut, or a file that is not a journal,", () => {
  const journal = new MemoryJournal();
  const sent: string[] = [];
  beforeAll(async () => {
    const run = await startVirtualRun({ journal, through: (network) => listening(network, sent) });
    await run.clock.runFor(4_000);
    await run.stop();
  });

  it("shows every decision again: input, intent with its reason, actions", async () => {
    const turns: ReplayedTurn[] = [];
    await replayLines(asFile(journal.lines), { onTurn: (turn) => turns.push(turn) });
    expect(turns[0]?.input).toEqual({ kind: "command", command: { command: "start" } });
    const intents = turns.flatMap(({ notices }) =>
      notices.flatMap((notice) => (notice.kind === "intent" ? [notice.intent] : [])),
    );
    expect(intents.some(({ reason }) => Number.isFinite(reason.fairTicks))).toBe(true);
    expect(turns.map(({ actions }) => actions.length)).toEqual(
      turnsOf(journal).map(({ actions }) => actions.length),
    );
    expect(turns.map(({ line }) => line)).toEqual(turns.map((_, index) => index + 2));
  });

  it("reports a changed byte of an input, and where", async () => {
    const lines = [...journal.lines];
    const at = lines.findIndex((line) => line.includes('"type":"book-snapshot"'));
    lines[at] = (lines[at] as string).replace(
      /"bids":\[(\d)/,
      (_, digit: string) => `"bids":[${(Number(digit) + 1) % 9}`,
    );
    expect(lines[at]).not.toBe(journal.lines[at]);
    const { divergence, turns } = await replayLines(asFile(lines));
    expect(divergence?.turn).toBe(turns + 1);
    expect(divergence?.line).toBeGreaterThan(at);
    expect(divergence?.expected).not.toBe(divergence?.actual);
  });

  it("reports a changed byte of an action, of a draw, and of an instant", async () => {
    const at = journal.lines.findIndex((line) => line.includes('"kind":"place"'));
    const original = journal.lines[at] as string;
    for (const [pattern, why] of [
      [/"lots":(\d)/, "the dispatched actions differ"],
      [/"draws":\[\{"\$n":"(\d)/, "the dispatched actions differ"],
      [/"monotonicMs":(\d)/, undefined],
    ] as const) {
      const changed = original.replace(
        pattern,
        (whole, digit: string) => `${whole.slice(0, -1)}${(Number(digit) % 8) + 1}`,
      );
      expect(changed).not.toBe(original);
      const { divergence } = await replayLines(asFile(journal.lines.with(at, changed)));
      expect(divergence?.line).toBe(at + 1);
      if (why !== undefined) expect(divergence?.why).toBe(why);
    }
  });

  it("reports a timer that was never set, a turn too many and a draw too many", async () => {
    const at = journal.lines.findIndex((line) => line.includes('"kind":"timer"'));
    const timer = (journal.lines[at] as string).replace(
      /"kind":"timer","id":\d+/,
      '"kind":"timer","id":999999',
    );
    const noTimer = await replayLines(asFile(journal.lines.with(at, timer)));
    expect(noTimer.divergence).toMatchObject({
      line: at + 1,
      why: "the replayed bot set no such timer",
    });
    const tooMany = await replayLines(asFile([...journal.lines, journal.lines.at(-1) as string]));
    expect(tooMany.divergence).toBeDefined();
    const drawn = (journal.lines[at] as string).replace('"draws":[', '"draws":[0.5');
    const draws = await replayLines(asFile(journal.lines.with(at, drawn)));
    expect(draws.divergence).toMatchObject({
      line: at + 1,
      why: "the number of random draws differs",
    });
  });

  it("tolerates a last line that a kill cut short, and says so", async () => {
    const path = join(folder, "torn.journal");
    const whole = `${journal.lines.join("\n")}\n`;
    writeFileSync(path, whole.slice(0, -40));
    const result = await replayJournal(path);
    expect(result.divergence).toBeUndefined();
    expect(result.tornLine).toBe(journal.lines.length);
    expect(result.turns).toBe(journal.lines.length - 2);
    writeFileSync(path, whole.slice(0, -1));
    expect((await replayJournal(path)).tornLine).toBeUndefined();
  });

  it("refuses a corrupt line before the last, and names it", async () => {
    const path = join(folder, "broken.journal");
    writeFileSync(path, `${journal.lines.with(5, "{").join("\n")}\n`);
    await expect(replayJournal(path)).rejects.toThrow(FormatError);
    await expect(replayJournal(path)).rejects.toMatchObject({ field: "line 6" });
    writeFileSync(
      path,
      `${journal.lines.with(5, '{"stamp":{"atMs":1,"monotonicMs":2},"input":{"kind":"x"},"draws":[],"actions":[]}').join("\n")}\n`,
    );
    await expect(replayJournal(path)).rejects.toMatchObject({
      field: "line 6",
      expected: "stamp, input, draws and actions",
    });
  });

  it("refuses another version, a foreign file, an empty one and a missing one", async () => {
    const path = join(folder, "foreign.journal");
    const replayOf = (text: string) => {
      writeFileSync(path, text);
      return replayJournal(path);
    };
    const other = (journal.lines[0] as string).replace('"journal":1', '"journal":2');
    await expect(replayOf(`${other}\n`)).rejects.toMatchObject({
      name: "FormatError",
      value: 2,
      expected: "journal 1",
    });
    await expect(replayOf("markets:\n  btcusdc: 1\n")).rejects.toThrow(FormatError);
    await expect(replayOf("null\n")).rejects.toThrow(FormatError);
    await expect(replayOf('{"journal":1}\n')).rejects.toMatchObject({
      name: "FormatError",
      field: "line 1",
    });
    await expect(replayOf("")).rejects.toThrow(FormatError);
    await expect(replayJournal(join(folder, "nowhere"))).rejects.toThrow(ConfigError);
    await expect(replayJournal(folder)).rejects.toThrow(ConfigError);
  });

  it("holds no key and no signature", () => {
    const text = journal.lines.join("\n").toLowerCase();
    expect(text).not.toContain(PRIVATE_KEY.slice(2).toLowerCase());
    const signatures = sent.flatMap((request) =>
      [...request.matchAll(/ignature=(0x[0-9a-f]{130})/gi)].map(
        ([, signature]) => signature as string,
      ),
    );
    expect(signatures.length).toBeGreaterThan(100);
    expect(
      signatures.filter((signature) => text.includes(signature.slice(2).toLowerCase())),
    ).toEqual([]);
  });
});

function listening(network: Transport, sent: string[]): Transport {
  return {
    request: (request, done) => {
      sent.push(request.params);
      network.request(request, done);
    },
    open: (path, handlers) => {
      sent.push(path);
      return network.open(path, handlers);
    },
    close: () => network.close(),
  };
}
