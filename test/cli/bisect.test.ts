import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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

  describe("--shrink", () => {
    const WHEN = "counts.placed > 1";
    const slice = join(folder, "slice.journal");

    it("writes a journal that replay accepts, and in whose last turn bisect finds the condition", async () => {
      const { code, out, err } = await bisect(one, "--when", WHEN, "--shrink", slice, "--json");
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const sizes = JSON.parse(out);
      expect(sizes).toMatchObject({
        journal: one,
        when: WHEN,
        found: true,
        slice,
        isComplete: true,
      });
      expect(sizes.sliceTurns).toBeLessThan(sizes.prefixTurns);
      expect(sizes.sliceCharacters).toBeLessThan(sizes.prefixCharacters);
      const replayed = await captureCli(["replay", slice]);
      expect({ code: replayed.code, err: replayed.err }).toEqual({ code: 0, err: "" });
      expect(replayed.out).toContain(`${sizes.sliceTurns} turns`);
      const found = await bisect(slice, "--when", WHEN, "--json");
      expect(found.code).toBe(0);
      expect(JSON.parse(found.out)).toMatchObject({ turn: sizes.sliceTurns, heldBefore: false });
    });

    it("writes over no file, neither its own journal nor another one", async () => {
      const other = join(folder, "kept.journal");
      writeFileSync(other, "kept");
      for (const file of [other, one]) {
        const before = readFileSync(file, "utf8");
        const { code, out, err } = await bisect(one, "--when", WHEN, "--shrink", file);
        expect({ code, out }).toEqual({ code: 2, out: "" });
        expect(err).toContain(`marketwright: --shrink: already exists (got "${file}")`);
        expect(err).toContain("expected the path of a new file");
        expect(readFileSync(file, "utf8")).toBe(before);
      }
    });

    it("writes nothing for a condition that never held, or that cannot be read", async () => {
      const none = join(folder, "none.journal");
      const never = await bisect(one, "--when", "counts.placed > 10000", "--shrink", none);
      expect(never.code).toBe(1);
      expect(never.out).toContain("never: counts.placed > 10000");
      const wrong = await bisect(one, "--when", "counts.plcaed > 1", "--shrink", none);
      expect(wrong).toMatchObject({ code: 2, out: "" });
      expect(wrong.err).toContain("expected counts.placed");
      expect(existsSync(none)).toBe(false);
    });

    it("says where the replay differs: a condition that comes later would be called never true", async () => {
      const edited = join(folder, "edited.journal");
      const lines = readFileSync(one, "utf8").split("\n");
      const at = lines.findIndex((line) => line.includes('"place"'));
      lines[at] = (lines[at] as string).replace('"BUY"', '"SELL"');
      writeFileSync(edited, lines.join("\n"));
      const none = join(folder, "none.journal");
      const { code, out } = await bisect(edited, "--when", "counts.placed > 99", "--shrink", none);
      expect(code).toBe(1);
      expect(out).toMatch(new RegExp(`^turn ${at} \\(line ${at + 1}\\) differs`));
      expect(out).toContain("never: counts.placed > 99");
    });

    it("is refused before the search if its folder does not exist", async () => {
      const nowhere = join(folder, "nowhere", "slice.journal");
      const { code, err } = await bisect(one, "--when", WHEN, "--shrink", nowhere);
      expect(code).toBe(2);
      expect(err).toContain(`--shrink: is in a folder that does not exist (got "${nowhere}")`);
    });

    it.each([
      [[], "--when: is missing", "--when 'position.btcusdc > 0.4'"],
      [["--turn", "3"], "--shrink: needs --when", "expected --when CONDITION"],
      [["--against", "x.journal"], "--shrink: needs --when", "expected --when CONDITION"],
      [["--when", WHEN, "--from", "2"], "--shrink: cannot be given with a range", "whole journal"],
      [["--when", WHEN, "--shrink-runs", "0"], "--shrink-runs: is not a number", "1 to 100000"],
    ])("is refused with what would be right: %j", async (args, problem, right) => {
      const out = join(folder, "refused.journal");
      const { code, err } = await bisect(one, ...args, "--shrink", out);
      expect(code).toBe(2);
      expect(err).toContain(`marketwright: ${problem}`);
      expect(err).toContain(right);
      expect(existsSync(out)).toBe(false);
    });
  });

  it.each([
    [[], "--when"],
    [["--when", "turn > 1", "--turn", "3"], "--when, --turn"],
    [["--turn", "0"], "--turn"],
    [["--turn", "3", "--from", "2"], "--turn"],
    [["--when", "turn > 1", "--from", "yesterday"], "--from"],
    [["--when", "turn > 1", "--turns", "3"], "--turns"],
    [["--when", "turn > 1", "--shrink-runs", "3"], "--shrink-runs"],
    [["--against", "x.journal", "--turns", "many"], "--turns"],
  ])("refuses options that do not go together, naming them: %j", async (args, field) => {
    const { code, out, err } = await bisect(older, ...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`marketwright: ${field}: `);
  });
});
