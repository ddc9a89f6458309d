import { describe, expect, it } from "vitest";
import { haltNames } from "#cli/halt-lines.js";

describe("the names of halts in a sentence", () => {
  it("say in full which user of a chat has halted the bot", () => {
    const why = "requested in a chat by user 1234567890";
    expect(haltNames([{ name: "manual", marketId: "ethusdc", why }])).toBe(
      `manual of ethusdc (${why})`,
    );
  });
});
