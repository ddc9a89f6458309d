import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "#core/hex.js";
import { ecdsaScheme } from "#core/signing.js";
import {
  formatCanonicalParams,
  formEncode,
  requestDigest,
  signParams,
} from "#exchange/request-signing.js";

const K1 = ecdsaScheme.signer(`0x${"0".repeat(63)}1`);
const K0 = ecdsaScheme.signer("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

describe("a private request is signed as the exchange recomputes it", () => {
  it("V-A, published by the exchange: proves that the scheme is personal_sign", () => {
    const text = `account=${K1.address}&timestamp=1`;
    expect(text).toBe("account=0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf&timestamp=1");
    expect(bytesToHex(requestDigest(text))).toBe(
      "0x85d676ee821d5c20716fbeb15d13d746aed151347de335fd9c8ab06497f54802",
    );
    // The publication ends in the raw recovery id 01; 1c is the same signature as it is sent.
    expect(signParams({}, K1.address, 1, K1)).toBe(
      `${text}&signature=0x242e3704e2cbe5a242c604f312448626029480c2cb9403883834c58fd2a2e7e21f60c100bc74d13554e1c722f403ece645d344347a875cf08618de3acf5b76bb1c`,
    );
  });

  it.each([
    [
      "V-B, balances",
      {},
      "0x1b1b56030597f66026a7a5102396980d7920425468b3807f09751a4541a003a5",
      "0xe9517b998c437687b46260837b28036727823eb89a010fce2a3dc48adedb90295d19a70f252a46abe1d2220c52a0f25fbd23be33373ba35fc9f10ba58bdfad4c1c",
    ],
    [
      "V-C, build",
      {
        marketId: "btcusdc",
        side: "BUY",
        orderType: "LIMIT",
        amount: "0.02",
        price: "2000",
        timeInForce: "GTC",
      },
      "0x49d3dbc9fa58daa186788566f958b5fad519a88806062b33d2196770f822bed8",
      "0xd46ff706e37938545676de5d43bfd9e1d9bdfebd8b83ceb1220e5552ceed609a2990e0731e978b28294a315e409626c5170f43c4325540b97a7ea236db266e4d1c",
    ],
    [
      "V-D, cancel",
      { orderId: "275287091667264", marketId: "btcusdc" },
      "0x5247e2432a4b50737ab274321f228e19cec30edae90019c5e8c21437065b3611",
      "0x3f47c9561619766f95db4d856f97f06e685ba2f00d3e70bea0778beabe00120463b69698b4ef8f06713b027574d0688270820d3f758ee34b09f1993df03bf18c1b",
    ],
  ])("%s", (_, params, hash, signature) => {
    const canonical = formatCanonicalParams({
      ...params,
      account: ADDRESS,
      timestamp: "1700000000000",
    });
    expect(bytesToHex(requestDigest(canonical))).toBe(hash);
    expect(signParams(params, ADDRESS, 1_700_000_000_000, K0)).toBe(
      `${canonical}&signature=${signature}`,
    );
  });

  it("an operator signs for another account", () => {
    expect(signParams({}, K1.address, 5, K0)).toContain(
      `account=${K1.address}&timestamp=5&signature=0x`,
    );
  });
});

describe("parameters are encoded as Go and Python do, where URLSearchParams would break the signature", () => {
  it.each([
    ["a b", "a+b"],
    ["a+b/c==", "a%2Bb%2Fc%3D%3D"],
    ["*", "%2A"],
    ["~-_.", "~-_."],
    ["(!')", "%28%21%27%29"],
    ["é", "%C3%A9"],
    ["%20", "%2520"],
  ])("%s is written %s", (text, encoded) => {
    expect(formEncode(text)).toBe(encoded);
  });

  it("sorts by key in ASCII order, capitals first", () => {
    expect(formatCanonicalParams({ b: "1", a: "2", B: "3", a_: "4" })).toBe("B=3&a=2&a_=4&b=1");
  });

  it("a lone surrogate is refused instead of being sent as something else", () => {
    expect(() => formEncode("\ud800")).toThrow(/lone surrogates/);
  });

  it("whatever is encoded, a form decoder reads it back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(formEncode(text)).toMatch(/^[A-Za-z0-9\-_.~+%]*$/);
        expect(new URLSearchParams(`k=${formEncode(text)}`).get("k")).toBe(text);
      }),
    );
  });
});
