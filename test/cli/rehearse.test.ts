import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { captureCli, startCli } from "./captured-cli.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-rehearse-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixtures = fileURLToPath(new URL("../rehearsal/setups", import.meta.url));
const sound = join(fixtures, "sound.yaml");
const SHORT = ["--minutes", "1", "--seeds", "1", "--threads", "1"];

describe("rehearse", () => {
  it("needs no key, finds nothing in a sound bot, and writes nothing beside its file", async () => {
    const before = readdirSync(fixtures);
    const { code, out, err } = await captureCli([
      "rehearse",
      sound,
      ...SHORT,
      "--fault",
      "stream-stalled",
    ]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("stream-stalled");
    expect(out).toContain("no weakness found");
    expect(readdirSync(fixtures)).toEqual(before);
  });

  it("fails for a weak setting, and names the run that shows it with the command to repeat it", async () => {
    const args = ["--minutes", "1", "--seeds", "2", "--threads", "1", "--no-guard"];
    const { code, out } = await captureCli(["rehearse", sound, ...args, "--fault", "bot-killed"]);
    expect(code).toBe(1);
    expect(out).toContain("1. guard-absent (--no-guard, ");
    expect(out).toMatch(
      /marketwright rehearse \S+sound.yaml --minutes 1 --no-guard --fault bot-killed --seeds 1 --first-seed [12]\n/,
    );
  });

  it("gives the same cell again from the command that a finding names", async () => {
    const faults = ["--fault", "request-lost", "--fault", "frame-lost"];
    const all = await captureCli([
      "rehearse",
      sound,
      ...faults,
      ...["--minutes", "1", "--seeds", "2", "--threads", "2", "--json"],
    ]);
    const report = JSON.parse(all.out);
    const { largest } = report.faults.find(
      ({ fault }: { fault: string }) => fault === "frame-lost",
    ).lossScaled;
    const first = ["--first-seed", String(largest.seed)];
    const again = await captureCli([
      "rehearse",
      sound,
      ...SHORT,
      ...first,
      ...["--fault", "frame-lost", "--json"],
    ]);
    const [, row] = JSON.parse(again.out).faults;
    expect(row.lossScaled.largest).toEqual(largest);
    const [none, lost] = JSON.parse(again.out).runs;
    expect(none.timeline.length).toBeGreaterThan(0);
    expect(lost.timeline.some(({ kind }: { kind: string }) => kind === "fault")).toBe(true);
  });

  it("prints one run in detail: when its fault struck, and what the bot did", async () => {
    const { out } = await captureCli(["rehearse", sound, ...SHORT, "--fault", "bot-killed"]);
    expect(out).toMatch(/^seed 1 under bot-killed\n +\d+\.\d{3} s {2}/);
    expect(out).toMatch(/ s {2}guard /);
  });

  it("writes the page and its data, and does not replace another rehearsal unasked", async () => {
    const place = join(folder, "deep", "out");
    const args = ["rehearse", sound, ...SHORT, "--fault", "none", "--out", place];
    const { code, err } = await captureCli(args);
    expect(code).toBe(0);
    expect(err).toBe(
      `wrote ${join(place, "rehearsal.html")}\nwrote ${join(place, "rehearsal.json")}\n`,
    );
    const json = readFileSync(join(place, "rehearsal.json"), "utf8");
    expect(JSON.parse(json).format).toBe("marketwright-rehearsal/1");
    const refused = await captureCli(args);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("--out: already holds a rehearsal");
    expect((await captureCli([...args, "--replace"])).code).toBe(0);
    expect(readFileSync(join(place, "rehearsal.json"), "utf8")).toBe(json);
  });

  it("prints the runs that are complete when it is interrupted, and says how many are missing", async () => {
    const run = startCli(["rehearse", sound, "--minutes", "60", "--seeds", "50", "--threads", "1"]);
    run.interrupt();
    const { code, out, err } = await run.done;
    expect(code).toBe(130);
    expect(out).toContain("INTERRUPTED: only ");
    expect(err).toMatch(/interrupted \(SIGINT\): \d+ of \d+ runs were complete\n$/);
  });

  it.each([
    [["--seeds", "0"], "--seeds: cannot be taken"],
    [["--seeds", "1e3"], "--seeds: cannot be taken"],
    [["--first-seed", "-1"], "--first-seed: cannot be taken"],
    [["--minutes", "0.5"], "--minutes: cannot be taken"],
    [["--threads", "many"], "--threads: cannot be taken"],
    [["--fault", "stream-staled"], "no such fault, did you mean stream-stalled?"],
    [["--fault", "hedge-stopped"], "no market has a hedge"],
    [["--exchange", join(fixtures, "no-such.yaml")], "no-such.yaml"],
    [["--exchange", sound], "exchange"],
  ])("refuses %j with exit code 2, before anything is run", async (options, text) => {
    const { code, out, err } = await captureCli(["rehearse", sound, ...options]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(text);
  });

  it("refuses rungs in a falling order, as check does", async () => {
    const { code, err } = await captureCli(["rehearse", join(fixtures, "falling-rungs.yaml")]);
    expect(code).toBe(2);
    expect(err).toContain("does no more than the rung before it");
  });

  it("leaves no folder for a file that it cannot read", async () => {
    const place = join(folder, "unmade");
    const missing = join(folder, "missing.yaml");
    const { code } = await captureCli(["rehearse", missing, "--out", place]);
    expect([code, readdirSync(folder).includes("unmade")]).toEqual([2, false]);
  });

  it("does not begin if its folder cannot be made", async () => {
    const place = join("/proc", "nothing");
    const { code, out, err } = await captureCli(["rehearse", sound, "--out", place]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("--out: cannot be made");
  });
});
