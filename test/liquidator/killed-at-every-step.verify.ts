import { describe, it } from "vitest";
import { killAtEveryStep, STORIES } from "./killed-at-every-step.js";

describe("killed before and after each write and each hand-over, at each thing that the lanes tell, and started again", () => {
  for (const story of STORIES) {
    it(`a takeover ${story.name} is ours once and sold once, and nothing is left open`, async ({
      annotate,
    }) => {
      await annotate(`${await killAtEveryStep(story, false)} kills`);
    });
  }
});

describe("killed before and after each question to an RPC too", () => {
  for (const story of STORIES.filter(({ isWhole }) => isWhole)) {
    it(`a takeover ${story.name} is ours once and sold once, and nothing is left open`, async ({
      annotate,
    }) => {
      await annotate(`${await killAtEveryStep(story, true)} kills`);
    });
  }
});
