import { expect, it } from "vitest";
import { ASK, BID, Stage } from "./stage.js";

const TEN_MINUTES_MS = 600_000;

/**
 * A bot whose exchange answers slower than when its clock was measured best: a slow answer must not
 * lose against an outdated one.
 */
async function stageThatSleeps(
  script: (stage: Stage) => void = () => {},
): Promise<{ readonly stage: Stage; readonly sent: () => readonly string[] }> {
  const stage = new Stage();
  await stage.botStarts(40_000);
  stage.network.every("time", { is: "answer late", byMs: 150 });
  for (const kind of ["market", "account"] as const) stage.network.stall(kind);
  stage.machine.sleeps();
  await stage.passes(TEN_MINUTES_MS);
  expect(stage.quotes()).toHaveLength(2);
  const before = stage.network.sent.length;
  stage.machine.wakes();
  script(stage);
  for (const kind of ["market", "account"] as const) {
    stage.network.drop(kind);
    stage.network.restore(kind);
  }
  const actions = () =>
    stage.network.sent
      .slice(before)
      .filter(({ what }) => what === "placeOrder" || what === "cancelOrder");
  return { stage, sent: () => actions().map(({ what, status }) => `${what} ${status}`) };
}

it("the machine was suspended for ten minutes and its streams are dead without a word: nothing is quoted by the book of before", async () => {
  const stage = new Stage();
  await stage.botStarts(40_000);
  for (const kind of ["market", "account"] as const) stage.network.stall(kind);
  stage.machine.sleeps();
  await stage.passes(TEN_MINUTES_MS);
  const before = stage.network.sent.length;
  stage.machine.wakes();
  await stage.passes(10_000);

  const sent = stage.network.sent.slice(before);
  expect(sent.filter(({ what, status }) => what === "cancelOrder" && status === 204)).toHaveLength(
    2,
  );
  expect(
    sent.filter(({ what }) => what === "placeOrder"),
    "by its steady clock the book is not a second old",
  ).toEqual([]);

  for (const kind of ["market", "account"] as const) stage.network.restore(kind);
  await stage.passes(10_000);
  expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  stage.expectAgreement();
});

it.each([
  ["its wall clock is right again", () => {}],
  [
    "its wall clock stood still too",
    (stage: Stage) => {
      stage.machine.skewMs = -TEN_MINUTES_MS;
    },
  ],
])(
  "the machine was suspended for ten minutes and %s: what rests from before comes down within seconds, before anything is placed",
  async (_, script) => {
    const { stage, sent } = await stageThatSleeps(script);
    await stage.passes(2_500);

    const taken = sent().filter((one) => one === "cancelOrder 204");
    expect(taken, "a timestamp of ten minutes ago is refused, a cancel's too").toHaveLength(2);
    expect(
      sent()
        .slice(0, sent().lastIndexOf("cancelOrder 204"))
        .filter((one) => one.startsWith("placeOrder")),
    ).toEqual([]);

    stage.machine.skewMs = 0;
    await stage.passes(10_000);
    expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
    stage.expectAgreement();
  },
);
