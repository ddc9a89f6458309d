import { describe, expect, it } from "vitest";
import { processContext } from "#cli/cli-context.js";
import { buildProgram } from "#cli/program.js";
import { captureCli } from "./captured-cli.js";

const commands = (
  await buildProgram(
    processContext({
      signal: () => new Promise(() => {}),
      endOnSignal: () => {},
      handleSignals: () => {},
      now: () => process.exit(),
    }),
  )
).commands.map((command) => command.name());

describe("every command", () => {
  it.each(commands)(
    "%s --help prints its arguments and options on stdout, and succeeds",
    async (command) => {
      const { code, out, err } = await captureCli([command, "--help"]);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: marketwright ${command}`);
      expect(err).toBe("");
    },
  );

  it.each(commands)(
    "%s refuses an option that it does not know with exit code 2, and nothing on stdout",
    async (command) => {
      const { code, out, err } = await captureCli([command, "--no-such-option"]);
      expect(code).toBe(2);
      expect(out).toBe("");
      expect(err).toContain(`marketwright ${command} --help shows the arguments and options`);
    },
  );

  it.each(commands)("%s answers machines with --json", async (command) => {
    expect((await captureCli([command, "--help"])).out).toContain("--json");
  });
});

describe("the command line", () => {
  it("prints its version", async () => {
    expect(await captureCli(["--version"])).toEqual({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      err: "",
    });
  });

  it("has its help on stdout when it was asked for, and on stderr with exit code 2 when nothing was", async () => {
    expect((await captureCli(["--help"])).code).toBe(0);
    const nothing = await captureCli([]);
    expect(nothing.code).toBe(2);
    expect(nothing.out).toBe("");
    expect(nothing.err).toContain("Usage: marketwright");
  });

  it("names the command that was probably meant", async () => {
    const { code, err } = await captureCli(["statsu"]);
    expect(code).toBe(2);
    expect(err).toContain("Did you mean status?");
  });

  it("names it below data too, whose own help is on stderr with exit code 2 when nothing was asked for", async () => {
    const wrong = await captureCli(["data", "lsit"]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toMatch(
      /unknown command 'lsit'\n\(Did you mean list\?\)\n\(marketwright data --help shows the arguments and options\)/,
    );
    const nothing = await captureCli(["data"]);
    expect([nothing.code, nothing.out]).toEqual([2, ""]);
    expect(nothing.err).toContain("Usage: marketwright data");
  });

  it("says which argument is missing", async () => {
    const { code, err } = await captureCli(["check"]);
    expect(code).toBe(2);
    expect(err).toContain("missing required argument 'file'");
  });

  it.each([
    ["halt", "bot.yaml", "--market", "btcusdc", "--market", "ethusdc"],
    ["resume", "bot.yaml", "--market=btcusdc", "--market=ethusdc"],
    ["flatten", "bot.yaml", "--market", "btcusdc", "--market", "ethusdc"],
    ["cancel-all", "bot.yaml", "--market", "btcusdc", "--market", "ethusdc"],
    [
      "data",
      "record",
      "--exchange",
      "http://127.0.0.1:1/v1",
      "--market",
      "btcusdc",
      "--market",
      "ethusdc",
    ],
  ])(
    "does not take the last of two values: %s of two markets would leave one of them as it is",
    async (...args) => {
      const { code, out, err } = await captureCli(args);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toBe(
        'marketwright: --market: is given twice (got "ethusdc"); expected each option once\n',
      );
    },
  );

  it("lets a switch be said twice, since it means the same", async () => {
    const { code, err } = await captureCli([
      "run",
      "no-such.yaml",
      "--json",
      "--json",
      "--no-screen",
      "--no-screen",
    ]);
    expect(code).toBe(2);
    expect(err).toContain("no-such.yaml");
  });
});
