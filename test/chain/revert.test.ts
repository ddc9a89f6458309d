import { AbiCoder, concat, Interface } from "ethers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyRevertData, classifyRevertText } from "#chain/revert.js";
import { codesOf, readPage } from "../project/pages.js";

const errorData = (text: string): string =>
  concat(["0x08c379a0", AbiCoder.defaultAbiCoder().encode(["string"], [text])]);

describe("why a call was undone", () => {
  it.each([
    ["JOJO_ACCOUNT_IS_SAFE", "lost-race"],
    ["JOJO_TRADER_HAS_NO_POSITION", "lost-race"],
    ["LIQUIDATOR_NOT_SAFE", "unsafe-liquidator"],
    ["ORACLE_HEARTBEAT_FAILED", "stale-price"],
    ["USDC_ORACLE_HEARTBEAT_FAILED", "stale-price"],
    ["NO_VALID_DATA", "stale-price"],
    ["deviation is too big", "stale-price"],
    ["LIQUIDATION_PRICE_PROTECTION", "price-protection"],
    ["JOJO_POSITION_AMOUNT_REACH_UPPER_LIMIT", "too-many-positions"],
    ["JOJO_INVALID_LIQUIDATION_EXECUTOR", "not-operator"],
    ["JOJO_LIQUIDATION_REQUEST_AMOUNT_WRONG", "wrong-amount"],
    ["LENS_OUT_OF_GAS", "out-of-gas"],
    ["ERC20: something new", "unknown"],
  ])("%s is %s, as data and as words", (text, kind) => {
    expect(classifyRevertData(errorData(text))).toEqual({ kind, text });
    expect(classifyRevertText(text)).toEqual({ kind, text });
  });

  it("is known for every refusal that docs/reference/contracts.md lists", () => {
    const { text } = readPage("docs/reference/contracts.md");
    const list = text.slice(text.indexOf("- `Perpetual.trade`"), text.indexOf("- Withdrawals:"));
    const names = [...new Set(list.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g))];
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => classifyRevertText(name).kind === "unknown")).toEqual([]);
    expect(codesOf(text)).toContain("Perpetual.liquidate");
  });

  it("is an overflow's panic, an error of another kind, or nothing", () => {
    const panic = concat(["0x4e487b71", AbiCoder.defaultAbiCoder().encode(["uint256"], [0x11])]);
    expect(classifyRevertData(panic)).toEqual({ kind: "panic", code: 0x11n, text: "panic 0x11" });
    const custom = new Interface(["error InsufficientBalance(uint256)"]).encodeErrorResult(
      "InsufficientBalance",
      [1],
    );
    expect(classifyRevertData(custom)).toEqual({
      kind: "custom-error",
      selector: custom.slice(0, 10),
      text: `custom error ${custom.slice(0, 10)}`,
    });
    expect(classifyRevertData("0x")).toEqual({ kind: "unknown", text: "no reason" });
  });

  it("is never a failure of our own, whatever a contract returns", () => {
    const prefix = fc.constantFrom("0x08c379a0", "0x4e487b71", "0x");
    fc.assert(
      fc.property(prefix, fc.uint8Array({ maxLength: 140 }), (selector, bytes) => {
        expect(classifyRevertData(selector + Buffer.from(bytes).toString("hex")).text).toBeTypeOf(
          "string",
        );
      }),
    );
    fc.assert(
      fc.property(
        fc.string(),
        (text) => void expect(classifyRevertData(text).text).toBeTypeOf("string"),
      ),
    );
  });
});
