import { describe, expect, it } from "vitest";
import { checkShape } from "#core/config-shape.js";
import { ConfigError } from "#core/errors.js";
import { chainConfigShape } from "#simulator/chain-config.js";
import { chainKeys } from "#simulator/chain-keys.js";

const PHRASE = "test test test test test test test test test test test junk";

function messageOf(written: unknown): string {
  try {
    checkShape(chainConfigShape, written, { at: ["chain"] });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

describe("the configuration of the chain", () => {
  it("may be left out whole", () => {
    expect(checkShape(chainConfigShape, {})).toMatchObject({
      mnemonic: PHRASE,
      accounts: { count: 10, balanceEth: "10000", unlocked: true },
      blocks: { intervalMs: 0, order: "tip" },
      rpc: { host: "127.0.0.1", port: 8545, devMethods: false, deployments: false },
    });
    expect(checkShape(chainConfigShape, { rpc: null }).rpc).toBeNull();
  });

  it.each([
    [{ blocks: { intervalMs: -1 } }, /^chain\.blocks\.intervalMs: is too low \(got -1\)/],
    [
      { blocks: { order: "fee" } },
      /^chain\.blocks\.order: is not one of the allowed values \(got "fee"\); expected .*tip.*arrival/,
    ],
    [{ blocks: { interval: 5 } }, /^chain\.blocks\.interval: unknown key/],
    [
      { accounts: { balanceEth: "1.0000000000000000001" } },
      /^chain\.accounts\.balanceEth: has the wrong form .*at most 18 decimals/,
    ],
    [
      { accounts: { tokenQuote: "0.0000001" } },
      /^chain\.accounts\.tokenQuote: has the wrong form .*at most 6 decimals/,
    ],
    [
      { contracts: { priceHeartbeatMs: 1500 } },
      /^chain\.contracts\.priceHeartbeatMs: is not a multiple of its step/,
    ],
    [{ rpc: { port: 70_000 } }, /^chain\.rpc\.port: is too high/],
  ])("says of %j what would be right", (written, message) => {
    expect(messageOf(written)).toMatch(message);
  });

  it("never shows an invalid mnemonic in its error", () => {
    const message = messageOf({ mnemonic: `${PHRASE} 1` });
    expect(message).toMatch(
      /^chain\.mnemonic: has the wrong form .*not shown.* 12 to 24 English words/,
    );
    expect(message).not.toContain("junk");
    expect(() => chainKeys(PHRASE.replace("junk", "test"), 1)).toThrow(
      /^mnemonic: is not a valid BIP-39 phrase; expected/,
    );
  });
});

describe("the accounts of a mnemonic", () => {
  it("are the accounts of every development chain", () => {
    expect(chainKeys(PHRASE, 2).accounts.map(({ signer }) => signer.address)).toEqual([
      "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
      "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    ]);
  });

  it("differ from the exchange's own, which all differ from each other", () => {
    const keys = chainKeys(PHRASE, 20);
    const all = [
      keys.owner,
      keys.orderSender,
      keys.insurance,
      keys.fundingKeeper,
      keys.market("btcusdc"),
      keys.market("ethusdc"),
      ...keys.accounts,
    ];
    expect(new Set(all.map(({ signer }) => signer.address)).size).toBe(26);
  });
});
