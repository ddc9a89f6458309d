import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../project/checkout.js";
import { blocksOf, readPage } from "../project/pages.js";
import { builtCommand } from "../support/built-command.js";

/** Programs that need a server, its root, its network or Docker. */
const NEEDS_A_SERVER =
  /^(useradd|apt-get|chronyc|ufw|systemctl|journalctl|chown|chgrp|docker|npm|install|cd deploy)\b/;

const lines = blocksOf(readPage("docs/start/deploy.md"))
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.split("\n"))
  .filter((line) => line !== "");
const root = mkdtempSync(join(tmpdir(), "mw-server-"));

/** The server's folders, below the test's. */
const here = (line: string): string =>
  line.replace(/(?<=^| )\/(opt|etc|var|usr\/local)(?=\/)/g, (path) => join(root, path));

function run(line: string): string {
  const { stdout, stderr, status } = spawnSync("sh", ["-c", here(line)], {
    cwd: root,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${join(root, "usr/local/bin")}:${process.env.PATH}`,
      MARKETWRIGHT_PASSWORD: "a password of the test",
    },
  });
  return `${stdout}${stderr}exit code ${status}`;
}

describe("docs/start/deploy.md, on a server that is a folder,", () => {
  beforeAll(() => {
    builtCommand();
    const folders = ["etc/marketwright", "etc/prometheus", "etc/systemd/system", "usr/local/bin"];
    for (const folder of [...folders, "opt", "var/backups", "var/lib/marketwright/desk"])
      mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
    // The content of the archive and its modules, with this machine's build and modules.
    const packed = join(root, "package");
    mkdirSync(packed);
    for (const name of ["bin", "dist", "deploy", "config", "package.json"])
      cpSync(join(PROJECT_ROOT, name), join(packed, name), { recursive: true });
    symlinkSync(join(PROJECT_ROOT, "node_modules"), join(packed, "node_modules"));
    expect(run("tar -czf marketwright-0.1.0.tgz package && rm -r package")).toBe("exit code 0");
    writeFileSync(join(root, "etc/marketwright/desk.password"), "a password of the test\n", {
      mode: 0o600,
    });
    writeFileSync(join(root, "etc/marketwright/desk.environment"), "");
    const [file = ""] = blocksOf(readPage("docs/start/deploy.md"))
      .filter(({ language }) => language === "yaml")
      .map(({ text }) => text);
    const minimal = readFileSync(join(PROJECT_ROOT, "config/minimal.yaml"), "utf8");
    writeFileSync(
      join(root, "etc/marketwright/desk.yaml"),
      `${minimal.replace(/^account: .*$/m, "")}\n${here(file)}\n`,
    );
    writeFileSync(join(root, "var/lib/marketwright/desk/fills.jsonl"), "a fill\n");
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it("has commands that run, in their order, but those that need a server", () => {
    const own = lines.filter((line) => !NEEDS_A_SERVER.test(line));
    expect(own.length).toBeGreaterThan(12);
    for (const line of own) {
      // The page's next version, for which the test has none but the same.
      if (line.includes("0.2.0")) run("cp -r /opt/marketwright-0.1.0 /opt/marketwright-0.2.0");
      if (line.startsWith("promtool") && spawnSync("promtool").error !== undefined) continue;
      expect(run(line), line).toMatch(/exit code 0$/);
    }
    expect(readdirSync(join(root, "etc/systemd/system")).length).toBe(3);
    expect(readFileSync(join(root, "var/lib/marketwright/desk/fills.jsonl"), "utf8")).toBe(
      "a fill\n",
    );
    expect(existsSync(join(root, "var/lib/marketwright/desk.before"))).toBe(true);
  });

  it("leaves out no command of the program itself", () => {
    for (const line of lines.filter((each) => NEEDS_A_SERVER.test(each)))
      expect(line).not.toMatch(/^(marketwright|node|tar|promtool)\b/);
  });
});
