import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOT_TEMPLATES } from "#cli/bot-templates.js";
import { MINUTE_MS } from "#core/units.js";
import { captureCli, type StartedRun, startCli } from "../cli/captured-cli.js";
import { rehearseSetup, SOUND_SETUPS, WEAK_SETUPS } from "./setups.js";

const MARKET_MS = 5 * MINUTE_MS;
const seedsTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

describe("a hundred seeds of the demo's bot", () => {
  it("strike it with every kind of fault, and find no weakness", async () => {
    const demo = SOUND_SETUPS.find(({ file }) => file === "config/bot.yaml");
    if (demo === undefined) throw new Error("the demo is no setup");
    const { findings, faults } = await rehearseSetup(demo, {
      seeds: seedsTo(100),
      faults: [],
      marketMs: MARKET_MS,
      threads: 2,
    });
    expect(findings).toEqual([]);
    for (const { fault, struckRuns, runs } of faults.slice(1))
      expect([fault, struckRuns > 0.9 * runs]).toEqual([fault, true]);
  });
});

describe("every fault on twenty seeds", () => {
  const options = { seeds: seedsTo(20), faults: [], marketMs: MARKET_MS, threads: 2 };

  it.each(WEAK_SETUPS)("finds $weakness of $file, by $fault", async (setup) => {
    const { findings } = await rehearseSetup(setup, options);
    const found = findings.find(({ id }) => id === setup.weakness);
    expect(found?.fault).toBe(setup.fault);
  });

  it.each(SOUND_SETUPS)("finds nothing in $file", async (setup) => {
    expect((await rehearseSetup(setup, options)).findings).toEqual([]);
  });
});

describe("the files that init writes", () => {
  const folder = mkdtempSync(join(tmpdir(), "mw-rehearse-init-"));
  let exchange: StartedRun;
  let rest: string;

  beforeAll(async () => {
    exchange = startCli(["exchange", "--port", "0", "--rpc-port", "0", "--json"]);
    rest = JSON.parse(await exchange.firstLine).restUrl;
  });
  afterAll(async () => {
    exchange.interrupt();
    expect(await exchange.done).toMatchObject({ code: 0 });
  });

  const makers = Object.entries(BOT_TEMPLATES).filter(([, { makesMarkets }]) => makesMarkets);
  it.each(makers.map(([name]) => name))("have no weakness as %s", async (template) => {
    const file = join(folder, `${template}.yaml`);
    const chosen = ["--template", template, "--market", "btcusdc", "--yes"];
    const written = await captureCli(["init", file, "--exchange", rest, ...chosen]);
    expect(written).toMatchObject({ code: 0 });
    const rehearsed = await captureCli(["rehearse", file, "--seeds", "5", "--threads", "2"]);
    expect(rehearsed.out).toContain("no weakness found");
    expect(rehearsed.code).toBe(0);
  });
});
