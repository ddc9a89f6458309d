import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellWord } from "#core/shell-word.js";

/** The words that a command receives from a shell. */
function readByShell(words: readonly string[]): readonly string[] {
  const script = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

describe("a path within a command that a person copies", () => {
  it("stays as it is if it is plain", () => {
    expect(shellWord("config/bot-1.yaml")).toBe("config/bot-1.yaml");
  });

  it("reaches the command whole, whatever is in it: an emergency's cancel-all names the right bot", () => {
    const characters = fc.constantFrom(..."ab/ .'\"$`\\!*?~#&;|<>()[]{}\n\té-");
    const path = fc
      .string({ unit: characters, minLength: 1, maxLength: 12 })
      .map((text) => `/${text}`);
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 40 }), (paths) => {
        expect(readByShell(paths)).toEqual(paths);
      }),
      { numRuns: 20 },
    );
  });

  it("is no option, though its name begins like one", () => {
    expect(readByShell(["--bot.yaml"])).toEqual(["./--bot.yaml"]);
  });
});
