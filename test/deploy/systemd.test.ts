import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../project/checkout.js";

const FOLDER = join(PROJECT_ROOT, "deploy/systemd");
/** Exposure that systemd calls OK; an unrestricted service has 9.6. */
const MOST_EXPOSURE = 2;

const units = readdirSync(FOLDER);
const textOf = (unit: string): string => readFileSync(join(FOLDER, unit), "utf8");
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).error === undefined;

/** The values of a key, in the order of the file. */
function valuesOf(unit: string, key: string): readonly string[] {
  return [...textOf(unit).matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(
    ([, value = ""]) => value,
  );
}

/** Runs systemd-analyze on a unit whose programs are this machine's. */
function analyze(unit: string, ...args: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "mw-units-"));
  try {
    // A unit names the others: systemd looks for them beside it.
    for (const name of units)
      writeFileSync(
        join(folder, name.replace("@", "@desk")),
        textOf(name).replaceAll("/usr/bin/node", process.execPath).replaceAll("%i", "desk"),
      );
    const { stdout, stderr, status } = spawnSync(
      "systemd-analyze",
      [...args, join(folder, unit.replace("@", "@desk"))],
      { encoding: "utf8", env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` } },
    );
    return `${stdout}${stderr}exit code ${status}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("deploy/systemd", () => {
  it("has a bot, its guard and an exchange", () => {
    expect(units).toEqual([
      "marketwright-bot@.service",
      "marketwright-exchange.service",
      "marketwright-guard@.service",
    ]);
  });

  it.skipIf(!hasSystemd).each(units)("%s passes systemd-analyze verify", (unit) => {
    const own = analyze(unit, "verify")
      .split("\n")
      .filter((line) => line.includes("marketwright") || line.startsWith("exit code"));
    expect(own).toEqual(["exit code 0"]);
  });

  it.skipIf(!hasSystemd)("verify would refuse a misspelt key", () => {
    const [unit = ""] = units;
    const broken = textOf(unit).replace("NoNewPrivileges=", "NoNewPriviledges=");
    const folder = mkdtempSync(join(tmpdir(), "mw-units-"));
    const path = join(folder, "broken.service");
    writeFileSync(path, broken);
    const { stderr } = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    expect(stderr).toContain("NoNewPriviledges");
  });

  it.skipIf(!hasSystemd).each(units)("%s leaves little open to whoever breaks in", (unit) => {
    const said = analyze(unit, "security", "--offline=true", "--no-pager");
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(said) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(MOST_EXPOSURE);
  });

  it("lets a bot finish its shutdown: killed before, it leaves orders", () => {
    // docs/guides/run-a-bot.md: at most 30 s, or the signature window and 10 s, for each step.
    expect(valuesOf("marketwright-bot@.service", "TimeoutStopSec").map(Number)).toEqual([90]);
    for (const unit of units) expect(valuesOf(unit, "KillSignal")).toEqual(["SIGTERM"]);
  });

  it("does not start a wrong configuration again and again", () => {
    for (const unit of units) {
      expect(valuesOf(unit, "Restart")).toEqual(["on-failure"]);
      expect(valuesOf(unit, "RestartPreventExitStatus")).toEqual(["2"]);
    }
  });

  it("gives bot and guard one state and one runtime folder: else the guard sees no heartbeat", () => {
    for (const key of [
      "User",
      "StateDirectory",
      "RuntimeDirectory",
      "Environment",
      "EnvironmentFile",
    ])
      expect(valuesOf("marketwright-bot@.service", key)).toEqual(
        valuesOf("marketwright-guard@.service", key),
      );
  });

  it("does not stop the guard with the bot", () => {
    expect(textOf("marketwright-guard@.service")).not.toMatch(/^(BindsTo|PartOf|Requires)=/m);
    expect(textOf("marketwright-bot@.service")).not.toMatch(/^(BindsTo|PartOf|Requires)=/m);
  });
});
