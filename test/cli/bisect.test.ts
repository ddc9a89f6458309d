import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { botConfigOf, MemoryJournal, startVirtualRun } from "../bot/recorded-run.js";
import { blocksOf, readPage, tableOf } from "../project/pages.js";
import { captureCli } from "./captured-cli.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-bisect-"));
const older = join(folder, "run.journal");
const [one, two] = [join(folder, "one.journal"), join(folder, "two.journal")];

/** A run in virtual time, which is the same each time. */
async function record(path: string, halfSpreadBps: number): Promise<void> {
  const journal = new MemoryJournal();
  const config = botConfigOf({
    markets: {
      ethusdc: {
        strategy: "ladder",
        params: { levels: 1, halfSpreadBps, levelSpacingBps: 1, sizeBase: 0.2 },
        limits: { maxPositionBase: "5", maxOrderBase: "1" },
      },
    },
  });
  const run = await startVirtualRun({ journal, config });
  await run.clock.runFor(1_000);
  await run.stop();
  writeFileSync(path, `${journal.lines.join("\n")}\n`);
}

beforeAll(async () => {
  const fixture = new URL("../fixtures/made-by-0.1.0/live/run.journal.gz", import.meta.url);
  writeFileSync(older, gunzipSync(readFileSync(fileURLToPath(fixture))));
  await record(one, 1);
  await record(two, 2);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bisect = (journal: string, ...args: readonly string[]) =>
  captureCli(["bisect", journal, ...args]);

describe("marketwright bisect", () => {
  it("prints what docs/reference/bisect.md shows, from the journal of an earlier version and from two runs", async () => {
    const shown = blocksOf(readPage("docs/reference/bisect.md")).filter(({ text }) =>
      text.startsWith("$ marketwright bisect"),
    );
    expect(shown.length).toBeGreaterThanOrEqual(3);
    for (const { text } of shown) {
      const [command = "", ...lines] = text.split("\n");
      const args = command
        .split(/ (?=(?:[^']*'[^']*')*[^']*$)/)
        .slice(3)
        .map((word) => (word.endsWith(".journal") ? join(folder, word) : word.replaceAll("'", "")));
      const { out, err } = await captureCli(["bisect", ...args]);
      expect(`${out}${err}`.replaceAll(`${folder}/`, "")).toBe(lines.join("\n"));
    }
  }, 60_000);

  it("takes every condition that the page explains", async () => {
    const conditions = tableOf(readPage("docs/reference/bisect.md"), "condition").map(
      ([cell = ""]) => cell.replaceAll("`", ""),
    );
    expect(conditions.length).toBeGreaterThan(7);
    for (const when of conditions) {
      const { code, err } = await bisect(older, "--when", when, "--to", "1");
      expect({ when, code: code === 2 ? code : "read", err }).toEqual({
        when,
        code: "read",
        err: "",
      });
    }
  });

  it("exits with 0 if it found a turn, with 1 if the condition never held, with 2 for a wrong one", async () => {
    const found = await bisect(older, "--when", "position.btcusdc < -0.03", "--json");
    expect(found.code).toBe(0);
    const document = JSON.parse(found.out);
    expect(document).toMatchObject({ found: true, turn: 107, line: 108, heldBefore: false });
    expect(document.chain.map(({ step }: { step: string }) => step)).toEqual(
      expect.arrayContaining(["frame", "view", "intent", "plan", "action", "answer", "fill"]),
    );
    const never = await bisect(older, "--when", "position.btcusdc < -3", "--json");
    expect(never.code).toBe(1);
    expect(JSON.parse(never.out)).toMatchObject({
      found: false,
      searched: 980,
      ranges: [{ lowest: { value: -0.04, turn: 107 } }],
    });
    const wrong = await bisect(older, "--when", "positon.btcusdc < -3");
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toContain("expected position.btcusdc");
  }, 60_000);

  it("names the halt that began, and the command that made it", async () => {
    const { code, out } = await bisect(older, "--when", 'activeHalts.name == "manual"');
    expect(code).toBe(0);
    expect(out).toMatch(/^> 144 .* frame {2}command halt btcusdc: by hand, before the news$/m);
    expect(out).toMatch(/^> 144 .* event {2}btcusdc halted: manual: by hand, before the news$/m);
  });

  it("says that two equal runs are equal, and exits with 1", async () => {
    const copy = join(folder, "copy.journal");
    copyFileSync(one, copy);
    const { code, out } = await bisect(one, "--against", copy);
    expect(code).toBe(1);
    expect(out).toMatch(/^equal in \d+ turns: inputs, intents, actions and status\n$/);
    const differing = await bisect(one, "--against", two, "--json");
    expect(differing.code).toBe(0);
    expect(JSON.parse(differing.out)).toMatchObject({
      equal: false,
      settings: [{ path: ["markets", "ethusdc", "params", "halfSpreadBps"], before: 1, after: 2 }],
    });
  }, 60_000);

  it("reads a journal that was cut short, and refuses a damaged or foreign one by its line", async () => {
    const text = readFileSync(one, "utf8");
    const torn = join(folder, "torn.journal");
    writeFileSync(torn, text.slice(0, -30));
    const cut = await bisect(torn, "--when", "counts.fills > 1000");
    expect(cut.code).toBe(1);
    expect(cut.out).toMatch(/^line \d+ was cut short when the process that wrote it ended/);
    const lines = text.split("\n");
    const damaged = join(folder, "damaged.journal");
    writeFileSync(damaged, lines.with(20, `{"secret":"${"x".repeat(9)}`).join("\n"));
    const corrupt = await bisect(damaged, "--when", "counts.fills > 1000");
    expect(corrupt.code).toBe(2);
    expect(corrupt.err).toContain("line 21: corrupt journal line");
    expect(corrupt.err).not.toContain("secret");
    const newer = join(folder, "newer.journal");
    writeFileSync(
      newer,
      lines.with(0, (lines[0] ?? "").replace('"journal":1', '"journal":2')).join("\n"),
    );
    const other = await bisect(newer, "--when", "counts.fills > 1000");
    expect(other.code).toBe(2);
    expect(other.err).toContain("not a journal of this version");
    expect((await bisect(join(folder, "no.journal"), "--turn", "1")).code).toBe(2);
  });

  it("says where a replay differs from its journal, and finds nothing past it", async () => {
    const lines = readFileSync(one, "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes('"kind":"place"'));
    const other = join(folder, "other.journal");
    writeFileSync(
      other,
      lines.with(at, (lines[at] ?? "").replace('"kind":"place"', '"kind":"build"')).join("\n"),
    );
    const { code, out } = await bisect(other, "--when", "counts.placed > 0");
    expect(code).toBe(1);
    expect(out).toContain(`turn ${at} (line ${at + 1}) differs: the dispatched actions differ`);
  });

  it.each([
    [[], "--when"],
    [["--when", "turn > 1", "--turn", "3"], "--when, --turn"],
    [["--turn", "0"], "--turn"],
    [["--turn", "3", "--from", "2"], "--turn"],
    [["--when", "turn > 1", "--from", "yesterday"], "--from"],
    [["--when", "turn > 1", "--turns", "3"], "--turns"],
    [["--against", "x.journal", "--turns", "many"], "--turns"],
  ])("refuses options that do not go together, naming them: %j", async (args, field) => {
    const { code, out, err } = await bisect(older, ...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`marketwright: ${field}: `);
  });
});
