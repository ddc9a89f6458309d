import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseStory, runStory, storyText } from "./shrink/story.js";
import { STORY_MODES } from "./shrink/story-modes.js";

const FOLDER = new URL("stories/", import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

describe("a short story of a failure that must not come back", () => {
  for (const name of FILES) {
    const story = parseStory(readFileSync(new URL(name, FOLDER), "utf8"));
    it(`${name}: no rule of the bot is violated`, async () => {
      expect(await runStory(story, false)).toEqual([]);
    });
    if (story.break !== undefined)
      it(`${name}: without the rule ${story.break} it violates ${story.rule} first`, async () => {
        const [first] = await runStory(story, true);
        expect(first?.rule).toBe(story.rule);
      });
  }

  it.each(STORY_MODES)("of mode $name has a plan that its file gives back to the unit", (mode) => {
    const size = { windows: 1, strikes: 1, passedMs: 1, events: 1 };
    for (const seed of [1, 2, 3]) {
      const plan = mode.draw(seed, mode.marketMs, undefined);
      const from = { seed, size };
      const story = { mode: mode.name, break: undefined, rule: "price", from, size, plan };
      expect(parseStory(storyText(story))).toEqual(story);
    }
  });

  it("is refused with the name of its field if its file is wrong", () => {
    const text = readFileSync(new URL(FILES[0] as string, FOLDER), "utf8");
    expect(() => parseStory(text.replace('"story": 1', '"story": 2'))).toThrow("story");
    expect(() => parseStory(text.replace(/"break": "[^"]*"/, '"break": "none"'))).toThrow(
      "break is none: expected one of",
    );
    expect(() => parseStory(text.replace('"plan": {', '"plan": {"unknownKey": 1,'))).toThrow(
      "unknownKey",
    );
  });
});
