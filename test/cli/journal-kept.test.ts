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
      expect((await captureCli(["run", file, "--for", "200ms", "--json", "--journal", journal], env)).code).toBe(0);
      ran.push(readFileSync(journal, "utf8"));
    }
    expect(new Set(ran).size).toBe(3);
    expect([`${journal}.1`, `${journal}.2`, journal].map((path) => readFileSync(path, "utf8"))).toEqual(ran);
    expect(await captureCli(["replay", `${journal}.1`, "--quiet"])).toMatchObject({ code: 0 });
  });

  it("goes on writing where a link leads", async () => {
    const { file, env } = exchange.bot();
    const [link, journal] = [join(exchange.folder, "link.journal"), join(exchange.folder, "linked.journal")];
    writeFileSync(journal, "");
    symlinkSync(journal, link);
    for (let run = 0; run < 2; run++)
      expect((await captureCli(["run", file, "--for", "200ms", "--json", "--journal", link], env)).code).toBe(0);
    expect([journal, `${journal}.1`].map((path) => readFileSync(path, "utf8").slice(0, 11))).toEqual(['{"journal":', '{"journal":']);
  });

  it("refuses a file that is no journal, and leaves it: a slip of the keyboard may name a keystore", async () => {
    const { file, env } = exchange.bot();
    const keystore = join(exchange.folder, "bot.key.json");
    writeFileSync(keystore, '{"address":"0x","version":3}\n');
    expect(await captureCli(["run", file, "--for", "200ms", "--json", "--journal", keystore], env)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("--journal: is there already, and no journal"),
    });
    expect(readFileSync(keystore, "utf8")).toBe('{"address":"0x","version":3}\n');
  });
});
