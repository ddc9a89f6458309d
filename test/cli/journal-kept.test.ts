import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { captureCli } from "./captured-cli.js";
import { CommandedExchange } from "./commanded-exchange.js";

const exchange = new CommandedExchange();

describe("run --journal, where a file is already", () => {
  it("keeps the journal of the run before, which may have crashed, whoever starts the bot again by the same command", async () => {
    const { file, env } = exchange.bot();
    const journal = join(exchange.folder, "run.journal");
    const ran: string[] = [];
    for (let run = 0; run < 3; run++) {
      expect(
        (await captureCli(["run", file, "--for", "200ms", "--json", "--journal", journal], env))
          .code,
      ).toBe(0);
      ran.push(readFileSync(journal, "utf8"));
    }
    expect(new Set(ran).size).toBe(3);
    expect(
      [`${journal}.1`, `${journal}.2`, journal].map((path) => readFileSync(path, "utf8")),
    ).toEqual(ran);
    expect(await captureCli(["replay", `${journal}.1`, "--quiet"])).toMatchObject({ code: 0 });
  });

  it("goes on writing where a link leads", async () => {
    const { file, env } = exchange.bot();
    const [link, journal] = [
      join(exchange.folder, "link.journal"),
      join(exchange.folder, "linked.journal"),
    ];
    writeFileSync(journal, "");
    symlinkSync(journal, link);
    for (let run = 0; run < 2; run++)
      expect(
        (await captureCli(["run", file, "--for", "200ms", "--json", "--journal", link], env)).code,
      ).toBe(0);
    expect(
      [journal, `${journal}.1`].map((path) => readFileSync(path, "utf8").slice(0, 11)),
    ).toEqual(['{"journal":', '{"journal":']);
  });

  it("is started again with a journal that is mounted by itself, as into a container, and keeps a copy of it", async ({
    skip,
  }) => {
    const { file, env } = exchange.bot();
    const [journal, mounted] = [
      join(exchange.folder, "mounted.journal"),
      join(exchange.folder, "outside.journal"),
    ];
    for (const path of [journal, mounted]) writeFileSync(path, '{"journal":"of the run before"}\n');
    if (spawnSync("mount", ["--bind", mounted, journal]).status !== 0)
      return skip("this user may mount nothing");
    try {
      expect(
        (await captureCli(["run", file, "--for", "200ms", "--json", "--journal", journal], env))
          .code,
      ).toBe(0);
      expect(readFileSync(`${journal}.1`, "utf8")).toBe('{"journal":"of the run before"}\n');
      expect(readFileSync(mounted, "utf8").split("\n").length).toBeGreaterThan(2);
    } finally {
      spawnSync("umount", [journal]);
    }
  });

  it("says of an earlier journal that nothing can be kept beside that it is this one", async () => {
    const { file, env } = exchange.bot();
    const journal = join(exchange.folder, "j".repeat(255));
    writeFileSync(journal, '{"journal":"of the run before"}\n');
    expect(
      await captureCli(["run", file, "--for", "200ms", "--json", "--journal", journal], env),
    ).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /--journal: is a journal of an earlier run, and cannot be renamed to .*\.1 \(ENAMETOOLONG\)/,
      ),
    });
    expect(readFileSync(journal, "utf8")).toBe('{"journal":"of the run before"}\n');
  });

  it("refuses a file that is no journal, and leaves it: a slip of the keyboard may name a keystore", async () => {
    const { file, env } = exchange.bot();
    const keystore = join(exchange.folder, "bot.key.json");
    writeFileSync(keystore, '{"address":"0x","version":3}\n');
    expect(
      await captureCli(["run", file, "--for", "200ms", "--json", "--journal", keystore], env),
    ).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("--journal: already exists, and is not a journal"),
    });
    expect(readFileSync(keystore, "utf8")).toBe('{"address":"0x","version":3}\n');
  });
});
