import { describe, expect, it } from "vitest";
import { marked } from "./marked-market.js";

type Risky = {
  account: string;
  isSafe: boolean;
  risk: string;
  positions: { marketId: string; side: string; size: string; lastUpdatedAt: number }[];
};

/** Alice and Carol are long, Bob is short. Every read is uncached. */
function world() {
  const made = marked({ creditOnRegistration: "2000", choices: { riskyAccountsCacheMs: 0 } });
  const { alice, bob, carol } = made;
  made.exchange.deposit(bob.address, "100000");
  const risky = (): Risky[] => alice.raw("GET", "/v1/riskyAccounts").json;
  return { ...made, alice, bob, carol, risky };
}

describe("the list of high-risk accounts", () => {
  it("is sorted by maintenance margin over net value, whatever the order of registration", () => {
    const { alice, bob, carol, setMark, risky } = world();
    bob.place("SELL", "30000", "1.9");
    alice.place("BUY", "30000", "0.9");
    carol.place("BUY", "30000", "1");
    setMark(29_000);
    // Alice: 0.03 x 26,100 / (2,000 - 900); Carol: 0.03 x 29,000 / (2,000 - 1,000).
    expect(risky().map(({ account, risk }) => [account, risk])).toEqual([[carol.address, "0.87"]]);
    setMark(28_860);
    expect(risky()).toMatchObject([
      {
        account: carol.address,
        isSafe: false,
        risk: "1.00674418",
        positions: [{ marketId: "btcusdc", side: "LONG", size: "1" }],
      },
      { account: alice.address, isSafe: true, risk: "0.80002053" },
    ]);
  });

  it("begins with accounts without net value, the deepest in debt first, shown far above any bound", () => {
    const { alice, bob, carol, setMark, risky } = world();
    bob.place("SELL", "30000", "1.9");
    alice.place("BUY", "30000", "0.9");
    carol.place("BUY", "30000", "1");
    setMark(27_000);
    expect(risky().map(({ account, risk, isSafe }) => [account, risk, isSafe])).toEqual([
      [carol.address, "999", false],
      [alice.address, "999", false],
    ]);
  });

  it("drops an account that closes its position, and never lists one without a position", () => {
    const { alice, bob, setMark, risky } = world();
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    setMark(28_900);
    expect(risky().map(({ account }) => account)).toEqual([alice.address]);
    bob.place("BUY", "28900", "1");
    alice.place("SELL", "28900", "1");
    expect(risky()).toEqual([]);
  });
});
