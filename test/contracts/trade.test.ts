import { AbiCoder, ZeroAddress } from "ethers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Signer } from "#core/signing.js";
import { reasonFor } from "./evm.js";
import { type MatchedOrder, match, orderInfo, tradeData } from "./signed-orders.js";
import { BTC_RATIOS, COIN, MAKER_FEE, type Side, signer, TAKER_FEE, USD, World } from "./world.js";

const [alice, bob, carol, operator] = [signer(1), signer(2), signer(3), signer(4)] as [
  Signer,
  Signer,
  Signer,
  Signer,
];
const PRICE = 30_000n;

describe("a trade", () => {
  let world: World;

  beforeAll(async () => {
    world = await World.create();
    for (const trader of [alice, bob, carol]) await world.deposit(trader, 100_000n);
    await world.evm.save();
  });
  beforeEach(() => world.evm.restore());

  const buy = (trader: Signer, rest: Partial<Side> = {}): Side => ({
    trader,
    paper: COIN,
    price: PRICE,
    ...rest,
  });
  const sell = (trader: Signer, rest: Partial<Side> = {}): Side => ({
    trader,
    paper: -COIN,
    price: PRICE,
    ...rest,
  });
  const sent = (orders: readonly MatchedOrder[]) =>
    world.btc.perp.send(world.owner, "trade", tradeData(orders));
  const refused = (orders: readonly MatchedOrder[]) => reasonFor(sent(orders));
  const pair = (taker: Side, maker: Side) => [
    world.signed(world.btc, taker),
    world.signed(world.btc, maker),
  ];

  it("tells of each order, makers before the taker, then of each balance, the taker before the makers", async () => {
    const taker = world.signed(world.btc, sell(alice, { paper: -2n * COIN }));
    const makers = [bob, carol]
      .sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
      .map((trader) => world.signed(world.btc, buy(trader)));
    const { events } = await sent([taker, ...makers]);
    const perp = world.btc.perp.address;
    const [first, second] = makers.map((maker) => maker.fields[1]);
    const makerFee = 3n * USD;
    const takerFee = 30n * USD;
    expect(events.map(({ name, args }) => [name, ...args])).toEqual([
      [
        "OrderFilled",
        makers[0]?.hash,
        first,
        expect.anything(),
        COIN,
        -30_000n * USD - makerFee,
        0n,
        makerFee,
      ],
      [
        "OrderFilled",
        makers[1]?.hash,
        second,
        expect.anything(),
        COIN,
        -30_000n * USD - makerFee,
        0n,
        makerFee,
      ],
      [
        "OrderFilled",
        taker.hash,
        alice.address,
        expect.anything(),
        -2n * COIN,
        60_000n * USD - takerFee,
        0n,
        takerFee,
      ],
      ["BalanceChange", alice.address, -2n * COIN, 60_000n * USD - takerFee],
      ["BalanceChange", first, COIN, -30_000n * USD - makerFee],
      ["BalanceChange", second, COIN, -30_000n * USD - makerFee],
    ]);
    expect(events.map(({ address }) => address.toLowerCase())).toEqual([
      ...Array<string>(3).fill(world.dealer.address.toLowerCase()),
      ...Array<string>(3).fill(perp.toLowerCase()),
    ]);
    expect(await world.credit(world.owner)).toEqual([2n * makerFee + takerFee, 0n]);
  });

  it("tells each order's credit after its fee, as the published contracts do, also where the fee is a rebate", async () => {
    // Of 1,070.903081 dollars, 0.05 % are 0.535451.
    await world.setPrice(world.btc, USD);
    const paper = 10n ** 12n * 1_070_903_081n;
    const order = (trader: Signer, signedPaper: bigint): Side => ({
      trader,
      paper: signedPaper,
      price: 1n,
    });
    const taker = { ...order(alice, paper), takerFeeRate: 5n * 10n ** 14n };
    const { events } = await world.trade(world.btc, taker, {
      ...order(bob, -paper),
      makerFeeRate: -(10n ** 14n),
    });
    const credits = events
      .filter(({ name }) => name === "OrderFilled")
      .map(({ args }) => [args[4], args[6]]);
    expect(credits).toEqual([
      [1_070_903_081n + 107_090n, -107_090n],
      [-1_071_438_532n, 535_451n],
    ]);
  });

  it("counts the positions that were closed before", async () => {
    await world.open(world.btc, alice, bob, COIN, PRICE);
    await world.open(world.btc, bob, alice, COIN, PRICE);
    const { events } = await world.open(world.btc, alice, bob, COIN, PRICE);
    expect(events.filter(({ name }) => name === "OrderFilled").map(({ args }) => args[5])).toEqual([
      1n,
      1n,
    ]);
  });

  it("keeps the markets of an account in the order that swap-and-pop leaves", async () => {
    const third = await world.addMarket("third");
    for (const [market, price] of [
      [world.btc, PRICE],
      [world.eth, 2_000n],
      [third, 1n],
    ] as const) {
      await world.open(market, alice, bob, COIN, price);
    }
    await world.open(world.btc, bob, alice, COIN, PRICE);
    expect(
      [...((await world.dealer.read("getPositions", alice.address)) as string[])].map((perp) =>
        perp.toLowerCase(),
      ),
    ).toEqual([third.perp.address, world.eth.perp.address]);
  });

  it("pays a rebate out of the order sender's primary credit", async () => {
    const rebate = { makerFeeRate: -TAKER_FEE, takerFeeRate: 0n };
    const reason = () => refused(pair(buy(alice, rebate), sell(bob, rebate)));
    expect(await reason()).toBe("JOJO_ORDER_SENDER_NOT_SAFE");
    await world.deposit(world.owner, 0n, 100n);
    expect(await reason()).toBe("JOJO_ORDER_SENDER_NOT_SAFE");
    await world.deposit(world.owner, 15n);
    await sent(pair(buy(alice, rebate), sell(bob, rebate)));
    expect(await world.credit(world.owner)).toEqual([0n, 100n * USD]);
    expect(await world.balance(world.btc, bob)).toEqual([-COIN, 30_015n * USD]);
  });

  it("fills an order in parts, and never beyond its size", async () => {
    const whole = world.signed(world.btc, buy(alice, { paper: 3n * COIN, amount: 2n * COIN }));
    await sent([whole, world.signed(world.btc, sell(bob, { paper: -2n * COIN }))]);
    expect(await world.dealer.read("getOrderFilledAmount", whole.hash)).toBe(2n * COIN);
    const rest = { ...whole, amount: COIN + 1n };
    expect(await refused([rest, world.signed(world.btc, sell(bob, { paper: -COIN - 1n }))])).toBe(
      "JOJO_ORDER_FILLED_OVERFLOW",
    );
    await sent([{ ...whole, amount: COIN }, world.signed(world.btc, sell(bob))]);
  });

  it("takes an operator's signature for the account's, until it is revoked", async () => {
    const orders = () => [
      world.signed(world.btc, buy(alice), operator),
      world.signed(world.btc, sell(bob)),
    ];
    expect(await refused(orders())).toBe("JOJO_INVALID_ORDER_SIGNATURE");
    const { events } = await world.dealer.send(alice, "setOperator", operator.address, true);
    expect(events).toMatchObject([
      { name: "SetOperator", args: [alice.address, operator.address, true] },
    ]);
    expect(await world.dealer.read("isOperatorValid", alice.address, operator.address)).toBe(true);
    await sent(orders());
    await world.dealer.send(alice, "setOperator", operator.address, false);
    expect(await refused(orders())).toBe("JOJO_INVALID_ORDER_SIGNATURE");
  });

  describe("is refused", () => {
    it("from a sender that nobody appointed", async () => {
      const data = tradeData(pair(buy(alice), sell(bob)));
      expect(await reasonFor(world.btc.perp.send(alice, "trade", data))).toBe(
        "JOJO_INVALID_ORDER_SENDER",
      );
    });

    it("in a market that is not listed", async () => {
      await world.list(world.btc, "btcusdc", BTC_RATIOS, false);
      expect(await refused(pair(buy(alice), sell(bob)))).toBe("JOJO_PERP_NOT_REGISTERED");
    });

    it.each([
      [
        "of another key",
        (order: MatchedOrder) => ({
          ...order,
          signature: world.signed(world.btc, buy(alice), carol).signature,
        }),
      ],
      [
        "of another order",
        (order: MatchedOrder) => ({
          ...order,
          signature: world.signed(world.btc, buy(alice)).signature,
        }),
      ],
      ["that is empty", (order: MatchedOrder) => ({ ...order, signature: "0x" })],
      [
        "that is compact",
        (order: MatchedOrder) => ({ ...order, signature: compact(order.signature) }),
      ],
      [
        "with v as 0 or 1",
        (order: MatchedOrder) => ({ ...order, signature: withoutOffset(order.signature) }),
      ],
      [
        "with a high s",
        (order: MatchedOrder) => ({ ...order, signature: mirrored(order.signature) }),
      ],
    ])("with a signature %s", async (_, spoil) => {
      const [taker, maker] = pair(buy(alice), sell(bob));
      if (taker === undefined || maker === undefined) throw new Error("no orders");
      expect(await refused([spoil(taker), maker])).toBe("JOJO_INVALID_ORDER_SIGNATURE");
    });

    it("with an order of the zero address, whatever its signature", async () => {
      await world.dealer.send(alice, "setOperator", ZeroAddress, true);
      const [taker, maker] = pair(buy(alice), sell(bob));
      if (taker === undefined || maker === undefined) throw new Error("no orders");
      const [perp, , paper, credit, info] = taker.fields;
      expect(
        await refused([
          { ...taker, fields: [perp, ZeroAddress, paper, credit, info], signature: "0x" },
          maker,
        ]),
      ).toBe("JOJO_INVALID_ORDER_SIGNATURE");
      // A signature that recovers to the zero address stays invalid, although Alice's operator list
      // names that address.
      expect(await refused([{ ...taker, signature: `0x${"00".repeat(64)}1b` }, maker])).toBe(
        "JOJO_INVALID_ORDER_SIGNATURE",
      );
    });

    it("with an expired order", async () => {
      const expired = orderWith({
        info: orderInfo(MAKER_FEE, TAKER_FEE, world.evm.nowSeconds - 1, 1n),
      });
      expect(await refused([expired, world.signed(world.btc, sell(bob))])).toBe(
        "JOJO_ORDER_EXPIRED",
      );
    });

    it.each([
      ["both positive", COIN, 30_000n * USD],
      ["both negative", -COIN, -30_000n * USD],
      ["no paper", 0n, -30_000n * USD],
      ["no credit", COIN, 0n],
    ])("with paper and credit that make no price: %s", async (_, paper, credit) => {
      expect(
        await refused([orderWith({ paper, credit }), world.signed(world.btc, sell(bob))]),
      ).toBe("JOJO_ORDER_PRICE_NEGATIVE");
    });

    it("with an order of another market", async () => {
      const other = orderWith({ perp: world.eth.perp.address });
      expect(await refused([other, world.signed(world.btc, sell(bob))])).toBe("JOJO_PERP_MISMATCH");
    });

    it("with a maker that is the taker", async () => {
      expect(await refused(pair(buy(alice), sell(alice)))).toBe("JOJO_ORDER_SELF_MATCH");
    });

    it("with an order that trades nothing", async () => {
      expect(await refused(pair(buy(alice, { amount: 0n }), sell(bob, { amount: 0n })))).toBe(
        "JOJO_ORDER_MATCH_AMOUNT_ZERO",
      );
      const nothing = world.signed(world.btc, sell(bob, { amount: 0n }));
      expect(await refused([...pair(buy(alice), sell(bob)), nothing])).toBe(
        "JOJO_ORDER_MATCH_AMOUNT_ZERO",
      );
    });

    it("with nobody on the other side", async () => {
      expect(await refused([world.signed(world.btc, buy(alice))])).toBe(
        "JOJO_AT_LEAST_TWO_TRADERS",
      );
      expect(await refused([])).toBe("JOJO_AT_LEAST_TWO_TRADERS");
    });

    it("with makers that are not sorted", async () => {
      const [low, high] = [bob, carol].sort((a, b) =>
        BigInt(a.address) < BigInt(b.address) ? -1 : 1,
      ) as [Signer, Signer];
      const orders = [buy(alice, { paper: 3n * COIN }), sell(high), sell(low)].map((side) =>
        world.signed(world.btc, side),
      );
      expect(await refused(orders)).toBe("JOJO_ORDER_WRONG_SORTING");
    });

    it("when the taker's amount is not its makers'", async () => {
      expect(await refused(pair(buy(alice, { amount: COIN - 1n }), sell(bob)))).toBe(
        "JOJO_TAKER_TRADE_AMOUNT_WRONG",
      );
    });

    it.each([
      ["two buyers", buy(alice), buy(bob)],
      ["two sellers", sell(alice), sell(bob)],
      ["a buyer below the seller", buy(alice), sell(bob, { price: PRICE + 1n })],
      ["a seller above the buyer", sell(alice), buy(bob, { price: PRICE - 1n })],
    ])("at prices that do not meet: %s", async (_, taker, maker) => {
      expect(await refused(pair(taker, maker))).toBe("JOJO_ORDER_PRICE_NOT_MATCH");
    });

    it("when it leaves a trader unsafe, and changes nothing then", async () => {
      const taker = world.signed(world.btc, buy(alice, { paper: 200n * COIN }));
      expect(
        await refused([taker, world.signed(world.btc, sell(bob, { paper: -200n * COIN }))]),
      ).toBe("TRADER_NOT_SAFE");
      expect(await world.dealer.read("getOrderFilledAmount", taker.hash)).toBe(0n);
      expect(await world.balance(world.btc, alice)).toEqual([0n, 0n]);
    });

    it("when it would open one position too many", async () => {
      await world.dealer.send(world.owner, "setMaxPositionAmount", 1);
      await world.open(world.eth, alice, bob, COIN, 2_000n);
      expect(await refused(pair(buy(alice), sell(bob)))).toBe(
        "JOJO_POSITION_AMOUNT_REACH_UPPER_LIMIT",
      );
    });

    it("while a price of another market that a trader holds is stale", async () => {
      await world.open(world.eth, alice, bob, COIN, 2_000n);
      await world.makeStale(world.eth);
      expect(await refused(pair(buy(alice), sell(bob)))).toBe("ORACLE_HEARTBEAT_FAILED");
      expect(await refused(pair(buy(carol), sell(bob)))).toBe("ORACLE_HEARTBEAT_FAILED");
    });

    it("for the first reason that applies, order by order, before any of the match", async () => {
      const [, maker] = pair(buy(alice), sell(bob));
      if (maker === undefined) throw new Error("no maker");
      const info = orderInfo(MAKER_FEE, TAKER_FEE, world.evm.nowSeconds - 1, 1n);
      expect(await refused([{ ...orderWith({ info }), signature: "0x" }, maker])).toBe(
        "JOJO_INVALID_ORDER_SIGNATURE",
      );
      expect(await refused([orderWith({ info, credit: 1n }), maker])).toBe("JOJO_ORDER_EXPIRED");
      expect(await refused([orderWith({ credit: 1n, perp: world.eth.perp.address }), maker])).toBe(
        "JOJO_ORDER_PRICE_NEGATIVE",
      );
      expect(await refused([orderWith({ amount: 2n * COIN }), { ...maker, signature: "0x" }])).toBe(
        "JOJO_ORDER_FILLED_OVERFLOW",
      );
    });
  });

  it("may only be asked for by listed markets", async () => {
    const nobody = AbiCoder.defaultAbiCoder().encode(["uint256"], [0]);
    for (const [name, ...args] of [
      ["approveTrade", world.owner.address, nobody],
      ["requestLiquidation", alice.address, alice.address, bob.address, 1],
      ["openPosition", alice.address],
      ["realizePnl", alice.address, 10n ** 12n],
    ] as const) {
      expect(await reasonFor(world.dealer.send(world.owner, name, ...args))).toBe(
        "JOJO_PERP_NOT_REGISTERED",
      );
    }
  });

  /** Alice's order to buy a coin, changed. */
  function orderWith(change: {
    perp?: string;
    paper?: bigint;
    credit?: bigint;
    info?: string;
    amount?: bigint;
  }): MatchedOrder {
    const order = {
      signer: alice,
      perp: world.btc.perp.address,
      paper: COIN,
      credit: -PRICE * USD,
      info: orderInfo(MAKER_FEE, TAKER_FEE, 2_051_222_400, 1n),
      ...change,
    };
    return match(world.domainSeparator, order, change.amount ?? COIN);
  }
});

/** EIP-2098: v in the top bit of s. */
function compact(signature: string): string {
  const s = BigInt(`0x${signature.slice(66, 130)}`) | (signature.endsWith("1c") ? 1n << 255n : 0n);
  return signature.slice(0, 66) + s.toString(16).padStart(64, "0");
}

function withoutOffset(signature: string): string {
  return signature.slice(0, 130) + (signature.endsWith("1c") ? "01" : "00");
}

/** The other signature of the same key and hash. */
function mirrored(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = order - BigInt(`0x${signature.slice(66, 130)}`);
  return (
    signature.slice(0, 66) +
    s.toString(16).padStart(64, "0") +
    (signature.endsWith("1c") ? "1b" : "1c")
  );
}
