import { Signature } from "ethers";
import { describe, expect, it } from "vitest";
import type { FlowMarket } from "#simulator/flow-market.js";
import { ReferenceClient, traders, virtualExchange } from "./reference-client.js";

/** Three traders without fees, and a mark that the test sets, in whole quote. */
function marked(config: Parameters<typeof traders>[0] = {}) {
  let market: FlowMarket | undefined;
  const world = traders(
    { markets: { btcusdc: { takerFeeRate: "0", makerFeeRate: "0", maxLeverage: 20 } }, ...config },
    {
      createFlow: () => ({
        start: (given) => {
          market = given;
        },
        stop: () => {},
      }),
    },
  );
  const setMark = (quote: number) => market?.setReference(quote * 10, quote * 10);
  setMark(30_000);
  const withdraw = (amount: string) => world.alice.call("POST", "/withdraw", { amount });
  const incomes = () =>
    world.alice.call("GET", "/v1/incomes", { marketId: "btcusdc" }).json as {
      type: string;
      amount: string;
    }[];
  return { ...world, setMark, withdraw, incomes };
}

describe("a withdrawal", () => {
  it("moves credit out of the account and the exchange, and is listed as an income", () => {
    const { alice, exchange, withdraw, incomes, clock } = marked();
    expect(withdraw("250.5")).toMatchObject({
      status: 200,
      json: { account: alice.address, amount: "250.5", executesAt: clock.nowMs() },
    });
    expect(alice.balances().balances).toMatchObject({
      netValue: "99749.5",
      primaryCreditAmount: "99749.5",
    });
    expect(incomes().at(-1)).toMatchObject({ type: "WITHDRAWAL", amount: "-250.5", marketId: "" });
    expect(exchange.audit()).toMatchObject({ withdrawnCredit: 250_500_000n, isConserved: true });
  });

  it("must leave the initial margin of positions and the credit frozen by open orders, to the unit", async () => {
    const { alice, bob, clock, withdraw } = marked();
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    alice.place("BUY", "29000", "1");
    await clock.runFor(2000);
    // A twentieth of 30,000 held and of 29,000 ordered.
    expect(withdraw("97050.000001").json).toMatchObject({ code: 2012 });
    expect(withdraw("97050").status).toBe(200);
    expect(withdraw("0.000001").json).toMatchObject({ code: 2012 });
    expect(alice.balances().balances.availableMargin).toBe("0");
  });

  it("is paid once for each signed request, however often that is sent", async () => {
    const { alice, clock } = marked();
    const signed = alice.signed({ amount: "250.5" });
    const send = (
      where: "form" | "json" | "query",
      change: Readonly<Record<string, string>> = {},
    ) => alice.raw("POST", "/withdraw", { ...signed, ...change }, where);
    expect(send("form").status).toBe(200);
    for (const where of ["form", "json", "query"] as const) {
      expect(send(where), where).toMatchObject({
        status: 400,
        json: { code: 1012, message: expect.stringContaining("already used") },
      });
    }
    expect(
      send("form", { signature: (signed.signature ?? "").toUpperCase().replace("0X", "0x") }).json,
    ).toMatchObject({ code: 1012 });
    await clock.runFor(4_999);
    expect(send("form").json).toMatchObject({ code: 1012 });
    await clock.runFor(2);
    expect(send("form").json, "its timestamp is over").toMatchObject({ code: 1011 });
    expect(alice.balances().balances.netValue).toBe("99749.5");
    expect(alice.call("POST", "/withdraw", { amount: "250.5" }).status).toBe(200);
    expect(alice.balances().balances.netValue).toBe("99499");
  });

  it("is paid once for all forms of an ECDSA signature of the same request", () => {
    const { exchange, clock } = virtualExchange();
    const alice = new ReferenceClient(exchange, () => clock.nowMs()).register();
    const signed = alice.signed({ amount: "1" });
    const signature = Signature.from(signed.signature);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const otherS = (order - BigInt(signature.s)).toString(16).padStart(64, "0");
    const forms = [
      signed.signature,
      signed.signature?.slice(2),
      `${signature.r}${signature.s.slice(2)}${signature.yParity.toString(16).padStart(2, "0")}`,
      `${signature.r}${otherS}${(28 - signature.yParity).toString(16)}`,
    ];
    const fates = forms.map((form) =>
      alice.raw("POST", "/withdraw", { ...signed, signature: form ?? "" }, "form"),
    );
    expect(fates[0]?.status).toBe(200);
    for (const fate of fates.slice(1)) expect(fate.json).toMatchObject({ code: 1012 });
    expect(alice.balances().balances.netValue).toBe("99999");
  });

  it("that was refused cannot be sent again with the same signature", () => {
    const { alice, bob } = marked();
    const signed = alice.signed({ amount: "100001" });
    expect(alice.raw("POST", "/withdraw", signed, "form").json).toMatchObject({ code: 2012 });
    alice.raw("POST", "/faucet", { account: alice.address, amount: "500" });
    expect(alice.raw("POST", "/withdraw", signed, "form").json).toMatchObject({ code: 1012 });
    expect(bob.raw("POST", "/withdraw", signed, "form").json).toMatchObject({ code: 1012 });
    expect(alice.balances().balances.netValue).toBe("100500");
  });

  it("is refused to an account below maintenance, whatever the amount", () => {
    const { alice, bob, setMark, withdraw } = marked({ creditOnRegistration: "2000" });
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    setMark(28_860);
    expect(alice.balances().balances.isSafe).toBe(false);
    expect(withdraw("0.01").json).toMatchObject({ code: 2012, codeText: "Margin insufficient" });
  });

  it("of a profit is refused until the trades that made it are settled", async () => {
    const { alice, bob, clock, withdraw } = marked({ creditOnRegistration: "5000" });
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    bob.place("BUY", "31000", "1");
    alice.place("SELL", "31000", "1");
    expect(alice.balances().balances.netValue).toBe("6000");
    expect(withdraw("6000").json).toMatchObject({ code: 2012 });
    await clock.runFor(2000);
    expect(withdraw("6000").status).toBe(200);
    expect(alice.balances().balances.netValue).toBe("0");
  });

  it("needs a positive amount on the credit's grid, and the account's own signature", () => {
    const { alice, bob, withdraw } = marked();
    for (const amount of ["0", "-1", "x", "0.0000001", ""]) {
      expect(withdraw(amount).json).toMatchObject({ code: 1111 });
    }
    expect(
      alice.raw("POST", "/withdraw", { account: alice.address, amount: "1" }).json,
    ).toMatchObject({ code: 1010 });
    expect(
      bob.raw("POST", "/withdraw", { ...bob.signed({ amount: "1" }), account: alice.address }).json,
    ).toMatchObject({ code: 1012 });
    expect(alice.balances().balances.netValue).toBe("100000");
  });

  it("is pending for the venue's delay, one at a time, and then paid", async () => {
    const { alice, clock, exchange, withdraw } = marked({ withdrawals: { delayMs: 60_000 } });
    withdraw("100");
    withdraw("200");
    expect(alice.balances().balances).toMatchObject({
      netValue: "100000",
      pendingWithdrawPrimaryCreditAmount: "200",
    });
    await clock.runFor(60_000);
    expect(alice.balances().balances).toMatchObject({
      netValue: "99800",
      pendingWithdrawPrimaryCreditAmount: "0",
    });
    expect(exchange.audit().isConserved).toBe(true);
  });

  it("is dropped if it is no longer allowed when it is due", async () => {
    const { alice, bob, clock, withdraw } = marked({ withdrawals: { delayMs: 60_000 } });
    withdraw("99000");
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    await clock.runFor(60_000);
    expect(alice.balances().balances).toMatchObject({
      netValue: "100000",
      pendingWithdrawPrimaryCreditAmount: "0",
    });
  });

  it("survives a stop and a start of the exchange", async () => {
    const { alice, clock, exchange, withdraw } = marked({ withdrawals: { delayMs: 60_000 } });
    withdraw("100");
    exchange.stop();
    await clock.runFor(120_000);
    exchange.start();
    await clock.runFor(1);
    expect(alice.balances().balances.netValue).toBe("99900");
  });

  it("is not offered if it is switched off, and neither is the faucet", () => {
    const { alice, withdraw } = marked({
      withdrawals: { enabled: false },
      faucet: { enabled: false },
    });
    expect(withdraw("1").status).toBe(404);
    expect(alice.raw("POST", "/faucet", { account: alice.address, amount: "1" }).status).toBe(404);
  });
});

describe("the insurance account", () => {
  it("begins with its capital and covers the debt of an account that has only debt left", async () => {
    const { alice, bob, clock, exchange, incomes, setMark } = marked({
      creditOnRegistration: "2000",
      insurance: { initialQuote: "1000" },
    });
    const amount = () => alice.raw("GET", "/v1/exchangeInfo").json.dealerInfo.insuranceAmount;
    expect(amount()).toBe("1000");
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    setMark(27_700);
    bob.place("BUY", "27700", "1");
    alice.place("SELL", "27700", "1");
    expect(alice.balances().balances.netValue).toBe("-300");
    expect(amount()).toBe("1000");
    await clock.runFor(2000);
    expect(amount()).toBe("700");
    expect(alice.balances().balances).toMatchObject({
      netValue: "0",
      primaryCreditAmount: "0",
      isSafe: true,
    });
    expect(incomes().at(-1)).toMatchObject({ type: "SYSTEM", amount: "300", marketId: "" });
    expect(exchange.audit()).toMatchObject({ insuranceCredit: 700_000_000n, isConserved: true });
  });

  it("does not cover a debt while a position or a pending trade could still repay it", async () => {
    const { alice, bob, carol, clock, setMark } = marked({ creditOnRegistration: "2000" });
    bob.place("SELL", "30000", "1");
    alice.place("BUY", "30000", "1");
    await clock.runFor(2000);
    setMark(27_700);
    bob.place("BUY", "27700", "0.9");
    alice.place("SELL", "27700", "0.9");
    await clock.runFor(2000);
    expect(alice.balances().balances.netValue).toBe("-300");
    expect(carol.raw("GET", "/v1/exchangeInfo").json.dealerInfo.insuranceAmount).toBe("100000");
  });
});

describe("credit on registration", () => {
  it("is listed as a deposit, or as a bonus where the venue says so", () => {
    expect(marked().incomes()).toMatchObject([{ type: "DEPOSIT", amount: "100000" }]);
    expect(marked({ choices: { registrationIncome: "BONUS" } }).incomes()).toMatchObject([
      { type: "BONUS", amount: "100000" },
    ]);
  });
});
