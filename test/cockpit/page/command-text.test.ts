import { describe, expect, it } from "vitest";
import {
  flattenSentence,
  outcomeSentence,
  previewSentences,
  refusalSentence,
} from "../../../assets/cockpit/command-text.js";
import type { CommandPreview, FlattenPreview } from "../../../assets/cockpit/frame.js";
import { SampleBot } from "./sample-bot.js";

const { status } = new SampleBot().next();
const plain = (text: string): string => text.replaceAll("\u202f", "").replaceAll("−", "-");

const preview: CommandPreview = {
  command: "halt",
  markets: [
    { marketId: "btcusdc", ordersCancelled: 2, positionBase: "-0.12" },
    { marketId: "ethusdc", ordersCancelled: 1, positionBase: "0" },
  ],
  haltsEnded: [],
  haltsKept: [],
  flattenStopped: [],
};

const flatten: FlattenPreview = {
  side: "BUY",
  amountBase: "0.12",
  touchPrice: "60004.2",
  expectedPrice: "60005.3417",
  worstPrice: "60304.2",
  slippageBps: 0.19,
  slippageQuote: "0.137004",
  takerFeeQuote: "3.600188",
  unfilledBase: "0",
  sliceBase: "0.1",
  slices: 2,
};

describe("a command before it is sent", () => {
  it("says which orders a halt cancels, and that the position stays", () => {
    expect(previewSentences(preview, status).map(plain)).toEqual([
      "3 orders will be cancelled, and none is placed until you resume.",
      "The position -0.12 BTC stays open.",
    ]);
  });

  it("says of several positions that they stay open, or are traded", () => {
    const markets = preview.markets.map((market) => ({ ...market, positionBase: "2" }));
    expect(previewSentences({ ...preview, markets }, status)[1]).toBe(
      "The positions 2 BTC and 2 ETH stay open.",
    );
    expect(previewSentences({ ...preview, command: "flatten", markets }, status)[1]).toBe(
      "The positions 2 BTC and 2 ETH are traded to zero:",
    );
  });

  it("says what a flatten trades: price, bound, slippage and fee with every digit", () => {
    expect(plain(flattenSentence(flatten, "BTC", "USDC"))).toBe(
      "Buys 0.12 BTC at about 60005.3417, no worse than 60304.2. Slippage 0.19 bps (0.137004 USDC), taker fee 3.600188 USDC.",
    );
  });

  it("says what a flatten leaves open, or that it can trade nothing", () => {
    const short = { ...flatten, unfilledBase: "0.02", why: "the book ends before" };
    expect(plain(flattenSentence(short, "BTC", "USDC"))).toMatch(
      /0\.02 BTC stays open: the book ends before\.$/,
    );
    const none = { ...flatten, expectedPrice: null, why: "the book has no price" };
    expect(flattenSentence(none, "BTC", "USDC")).toBe(
      "Nothing can be traded now: the book has no price.",
    );
  });

  it("says which halts a resume ends, and which stay", () => {
    const halt = { name: "manual", marketId: null, why: "news at eight", endsByItself: false };
    const kept = { name: "stale-book", marketId: "btcusdc", why: "2.4 s old", endsByItself: true };
    const resume = {
      ...preview,
      command: "resume" as const,
      haltsEnded: [halt],
      haltsKept: [kept],
    };
    expect(previewSentences(resume, status)).toEqual([
      "1 halt will end: manual (news at eight).",
      "1 halt stays in force: stale-book (2.4 s old).",
    ]);
  });
});

describe("a command after it was sent", () => {
  it("says what it did", () => {
    const market = { ...status.markets.btcusdc, openBids: 1, openAsks: 1, positionBase: "0.02" };
    const data = { ...status, markets: { btcusdc: market } };
    expect(plain(outcomeSentence("halt", data, "btcusdc"))).toBe(
      "Halted in btcusdc: 2 orders are being cancelled, position 0.02 BTC stays open.",
    );
    const flattening = { ...data, markets: { btcusdc: { ...market, isFlattening: true } } };
    expect(plain(outcomeSentence("flatten", flattening, "btcusdc"))).toBe(
      "Flattening btcusdc: position 0.02 BTC is being closed, and 2 orders are being cancelled.",
    );
    const resumed = {
      ...data,
      activeHalts: [],
      outcome: { endedHalts: [{ name: "manual" }], abandonedFlattening: [] },
    };
    expect(outcomeSentence("resume", resumed, undefined)).toBe(
      "Resumed in all markets: manual ended, and the bot may quote.",
    );
  });

  it("gives the reason of a refusal", () => {
    expect(refusalSentence({ name: "RunError", message: "the bot is stopping" })).toBe(
      "Refused: the bot is stopping.",
    );
  });
});
