import { expect, it } from "vitest";
import { BOTH } from "./quoting-stage.js";
import { Stage } from "./stage.js";

it("a market whose every snapshot is crossed is asked for a new one every few seconds, not as fast as they come, and quoted once it is right", async () => {
  const stage = new Stage();
  await stage.botStarts();

  let snapshots = 0;
  stage.network.rewriteFrames((text) => {
    if (!text.includes('"event":"snapshot"')) return text;
    snapshots += 1;
    return text.replace('"bids":[[', '"bids":[["70000.0","1"],[');
  });
  stage.network.drop("market");
  await stage.passes(30_000);
  expect(stage.quotes()).toEqual([]);
  expect(snapshots, "each is the whole book, and a line in the log").toBeLessThanOrEqual(7);

  stage.network.rewriteFrames((text) => text);
  await stage.passes(10_000);
  expect(stage.quotes()).toEqual(BOTH);
  stage.expectAgreement();
});
