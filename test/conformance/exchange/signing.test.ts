import {
  AbiCoder,
  concat,
  hashMessage,
  keccak256,
  Signature,
  TypedDataEncoder,
  toBeHex,
  toUtf8Bytes,
  Wallet,
  zeroPadValue,
} from "ethers";
import { expect } from "vitest";
import { encode, KEYS, ReferenceClient, START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { BTC, build, TERMS } from "./limit-orders.js";
import { type Fields, type Trader, trade, worlds } from "./world.js";

const world = worlds();
const withoutAccount = ({ account: _, ...rest }: Record<string, string>): Record<string, string> =>
  rest;
const PERP = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";
const domainOf = async (trader: Trader) => (await trader.read("/v1/exchangeInfo")).json.eip712;

conforms(
  "OC1",
  "exchange",
  "the separator is ethers' own for the domain that exchangeInfo names, whatever the domain",
  async () => {
    const base = {
      name: "Another",
      version: "2",
      chainId: 8453,
      verifyingContract: "0x2f7c3cF9D9280B165981311B822BecC4E05Fe635",
    };
    const local = {
      name: "JOJO",
      version: "1",
      chainId: 31337,
      verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    };
    const type =
      "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
    for (const domain of [local, base]) {
      const { alice } = await world({ domain }, { registered: false });
      const {
        domainName: name,
        domainVersion: version,
        chainId,
        verifyingContract,
        ...hashes
      } = await domainOf(alice);
      expect({ name, version, chainId, verifyingContract }).toEqual(domain);
      expect(hashes.EIP712_DOMAIN_SEPARATOR).toBe(TypedDataEncoder.hashDomain(domain));
      expect(hashes.EIP712_DOMAIN_TYPEHASH).toBe(keccak256(toUtf8Bytes(type)));
    }
  },
);

conforms("OC2", "exchange", "the order type's hash is that of the published string", async () => {
  const { alice } = await world({}, { registered: false });
  const type =
    "Order(address perp,address signer,int128 paperAmount,int128 creditAmount,bytes32 info)";
  expect((await domainOf(alice)).EIP712_ORDER_TYPE).toBe(keccak256(toUtf8Bytes(type)));
});

conforms(
  "OC3",
  "exchange",
  "a built order names the market's contract and the account, and an order of another contract or signer is refused",
  async () => {
    const { alice, bob } = await world({ markets: { btcusdc: { perp: PERP }, ethusdc: {} } });
    const { markets } = (await alice.read("/v1/exchangeInfo")).json;
    expect(markets[0].perpetualContractAddress).toBe(PERP);
    expect((await build(alice)).json.order).toMatchObject({ perp: PERP, signer: alice.address });
    expect((await build(alice, { marketId: "ethusdc", price: "3000" })).json.order.perp).toBe(
      markets[1].perpetualContractAddress,
    );
    const order = alice.reference.order("BUY", "30000", "0.1");
    const { paperAmount, creditAmount } = {
      paperAmount: "100000000000000000",
      creditAmount: "-3000000000",
    };
    for (const wrong of [{ perp: markets[1].perpetualContractAddress }, { signer: bob.address }]) {
      const struct = {
        perp: PERP,
        signer: alice.address,
        paperAmount,
        creditAmount,
        info: order.info ?? "",
        ...wrong,
      };
      const orderSignature = alice.reference.wallet.signingKey.sign(
        alice.reference.hashOf(struct),
      ).serialized;
      expect(
        (await alice.call("POST", "/v1/order", { ...order, orderSignature })).json,
      ).toMatchObject({ code: 1012 });
    }
    expect((await alice.call("POST", "/v1/order", order)).json).toMatchObject({
      json: { perp: PERP, signer: alice.address },
    });
  },
);

conforms(
  "OC4",
  "exchange",
  "paper and credit are scaled exactly; a fraction of a unit goes down for SELL and up for BUY",
  async () => {
    const { alice } = await world({
      creditDecimals: 2,
      markets: { btcusdc: { tickSize: "0.01", priceQuote: { min: "0.01" } } },
    });
    const amounts = async (change: Fields) => {
      const { paperAmount, creditAmount } = (await build(alice, change)).json.order;
      return [paperAmount, creditAmount];
    };
    // 30000.01 x 0.001 is 30.00001, which is not a whole number of hundredths.
    expect(await amounts({ price: "30000.01", amount: "0.001" })).toEqual([
      "1000000000000000",
      "-3001",
    ]);
    expect(await amounts({ price: "30000.01", amount: "0.001", side: "SELL" })).toEqual([
      "-1000000000000000",
      "3000",
    ]);
    expect(await amounts({ price: "30000.01", amount: "1" })).toEqual([
      "1000000000000000000",
      "-3000001",
    ]);
    expect(await amounts({ price: "30000.01", amount: "1", side: "SELL" })).toEqual([
      "-1000000000000000000",
      "3000001",
    ]);
    const { bob } = await world({
      creditDecimals: 2,
      choices: { buyCreditRounding: "down" },
      markets: { btcusdc: { tickSize: "0.01", priceQuote: { min: "0.01" } } },
    });
    expect((await build(bob, { price: "30000.01", amount: "0.001" })).json.order.creditAmount).toBe(
      "-3000",
    );
  },
);

conforms(
  "OC4",
  "exchange",
  "an order signed for a unit of credit more or less is refused",
  async () => {
    const { alice } = await world();
    const order = alice.reference.order("BUY", "30000.1", "0.123");
    for (const [creditAmount, code] of [
      ["-3690012299", 1012],
      ["-3690012301", 1012],
      ["-3690012300", undefined],
    ] as const) {
      const struct = {
        perp: PERP,
        signer: alice.address,
        paperAmount: "123000000000000000",
        creditAmount,
        info: order.info ?? "",
      };
      const orderSignature = alice.reference.wallet.signingKey.sign(
        alice.reference.hashOf(struct),
      ).serialized;
      expect((await alice.call("POST", "/v1/order", { ...order, orderSignature })).json.code).toBe(
        code,
      );
    }
  },
);

conforms(
  "OC5",
  "exchange",
  "buying takes paper for credit, selling credit for paper, and settles so",
  async () => {
    const { alice, bob, clock } = await world({
      markets: { btcusdc: { makerFeeRate: "0", takerFeeRate: "0" } },
    });
    expect((await build(alice)).json.order).toMatchObject({
      paperAmount: "100000000000000000",
      creditAmount: "-3000000000",
    });
    expect((await build(alice, { side: "SELL" })).json.order).toMatchObject({
      paperAmount: "-100000000000000000",
      creditAmount: "3000000000",
    });
    await trade(alice, bob, "BUY", "30000", "0.1");
    await clock.runFor(3000);
    expect((await alice.ask("/v1/balances")).balances.perpetualBalances.btcusdc).toMatchObject({
      paperAmount: "0.1",
      creditAmount: "-3000",
    });
    expect((await bob.ask("/v1/balances")).balances.perpetualBalances.btcusdc).toMatchObject({
      paperAmount: "-0.1",
      creditAmount: "3000",
    });
  },
);

conforms(
  "OC6",
  "exchange",
  "a built info holds maker rate, taker rate, expiration and a random nonce, big-endian and in two's complement",
  async () => {
    const { alice } = await world({
      markets: { btcusdc: { makerFeeRate: "-0.0001", takerFeeRate: "0.0003" } },
    });
    const expiration = START_MS + 90_000;
    const nonces = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      const info: string = (
        await build(alice, { timeInForce: "GTT", expiration: String(expiration) })
      ).json.order.info.slice(2);
      const words = [0, 16, 32, 48].map((at) => BigInt(`0x${info.slice(at, at + 16)}`));
      expect(words.slice(0, 3)).toEqual([
        2n ** 64n - 10n ** 14n,
        3n * 10n ** 14n,
        BigInt(expiration / 1000),
      ]);
      nonces.add(info.slice(48));
    }
    expect(nonces.size).toBe(5);
    const info = (await alice.place("BUY", "30000", "0.1", { nonce: 2n ** 64n - 1n })).json.json
      .info;
    expect(info.slice(-16)).toBe("f".repeat(16));
  },
);

conforms(
  "OC7",
  "exchange",
  "the order hash is Keccak of 0x1901, separator and struct hash, put together here by hand",
  async () => {
    const { alice } = await world();
    const separator = (await domainOf(alice)).EIP712_DOMAIN_SEPARATOR;
    for (const side of ["BUY", "SELL"]) {
      const { order, orderHash } = (await build(alice, { side })).json;
      const typeHash = keccak256(
        toUtf8Bytes(
          "Order(address perp,address signer,int128 paperAmount,int128 creditAmount,bytes32 info)",
        ),
      );
      const tuple = AbiCoder.defaultAbiCoder().encode(
        ["bytes32", "address", "address", "int128", "int128", "bytes32"],
        [typeHash, order.perp, order.signer, order.paperAmount, order.creditAmount, order.info],
      );
      expect(orderHash).toBe(keccak256(concat(["0x1901", separator, keccak256(tuple)])));
    }
    const placed = (await alice.place("SELL", "30000", "0.1")).json;
    expect(placed.hash).toBe(alice.reference.hashOf(placed.json));
  },
);

/** An order with its signature bent. */
async function withSignature(trader: Trader, bend: (signature: string) => string): Promise<number> {
  const order = trader.reference.order("BUY", "30000", "0.1");
  const { status, json } = await trader.call("POST", "/v1/order", {
    ...order,
    orderSignature: bend(order.orderSignature ?? ""),
  });
  return status === 200 ? 200 : json.code;
}

conforms(
  "OC8",
  "exchange",
  "65 bytes whose last is 27 or 28 are taken, with 0x or without; raw recovery ids, other lengths and compact forms are not",
  async () => {
    const { alice } = await world();
    const raw = (signature: string) =>
      `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`;
    expect(await withSignature(alice, (signature) => signature)).toBe(200);
    expect(await withSignature(alice, (signature) => `0x${signature.slice(2).toUpperCase()}`)).toBe(
      200,
    );
    expect(await withSignature(alice, (signature) => signature.slice(2))).toBe(200);
    expect(await withSignature(alice, (signature) => signature.toUpperCase())).toBe(200);
    expect(await withSignature(alice, raw)).toBe(1012);
    expect(
      await withSignature(alice, (signature) => Signature.from(signature).compactSerialized),
    ).toBe(1012);
    expect(await withSignature(alice, (signature) => `${signature}00`)).toBe(1012);
    expect(await withSignature(alice, (signature) => `${signature.slice(2)}00`)).toBe(1012);
    expect(await withSignature(alice, (signature) => raw(signature).slice(2))).toBe(1012);
    expect(await withSignature(alice, (signature) => `0x${signature}`)).toBe(1012);
    expect(await withSignature(alice, (signature) => signature.slice(1))).toBe(1012);
    expect(
      await withSignature(
        alice,
        (signature) => `${signature.slice(0, -2)}${signature.endsWith("1b") ? "1c" : "1b"}`,
      ),
    ).toBe(1012);
  },
);

conforms(
  "OC9",
  "exchange",
  "an order built by the service and one built by hand are both taken, and look alike",
  async () => {
    const { alice } = await world();
    const built = (await build(alice)).json;
    const signature = alice.reference.wallet.signingKey.sign(built.orderHash).serialized;
    const one = (
      await alice.call("POST", "/v1/order", {
        ...TERMS,
        info: built.order.info,
        orderSignature: signature,
        gasFeeQuotation: built.gasFeeQuotation,
      })
    ).json;
    const two = (await alice.place("BUY", "30000", "0.1")).json;
    expect(one).toMatchObject({ hash: built.orderHash, json: built.order, status: "NEW" });
    expect(Object.keys(one).sort()).toEqual(Object.keys(two).sort());
    expect(two.json).toMatchObject({
      paperAmount: one.json.paperAmount,
      creditAmount: one.json.creditAmount,
      perp: one.json.perp,
    });
  },
);

conforms(
  "AU2",
  "exchange",
  "the published vector's string, hash and signature are the reference client's own",
  async () => {
    const wallet = new Wallet(toBeHex(1n, 32));
    const message = encode({ account: wallet.address, timestamp: "1" });
    expect(message).toBe("account=0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf&timestamp=1");
    expect(hashMessage(message)).toBe(
      "0x85d676ee821d5c20716fbeb15d13d746aed151347de335fd9c8ab06497f54802",
    );
    expect(zeroPadValue(wallet.signMessageSync(message).slice(0, 66), 32)).toBe(
      "0x242e3704e2cbe5a242c604f312448626029480c2cb9403883834c58fd2a2e7e2",
    );
  },
);

conforms(
  "AU2",
  "exchange",
  "a request is bound to each of its characters, whatever they are and in whatever order they come",
  async () => {
    const { alice } = await world();
    const signed = alice.reference.signed({ ...BTC, limit: "100", note: "a b+c/d=é~*'()!" });
    expect((await alice.deliver("GET", "/v1/historyOrders", signed)).status).toBe(200);
    const backwards = Object.entries(signed)
      .reverse()
      .map((entry) => encode(Object.fromEntries([entry])))
      .join("&");
    expect((await alice.send("GET", "/v1/historyOrders", backwards)).status).toBe(200);
    const changes: Record<string, string>[] = [
      { limit: "0100" },
      { note: "a b c/d=é~*'()!" },
      { startTime: "1" },
      { account: alice.address.toLowerCase() },
    ];
    for (const change of changes) {
      expect(
        (await alice.deliver("GET", "/v1/historyOrders", { ...signed, ...change })).json,
      ).toMatchObject({ code: 1012 });
    }
  },
);

conforms(
  "AU2",
  "exchange",
  "the window is five seconds either way, its edge inside; outside is 1011",
  async () => {
    const { alice, clock } = await world();
    const at = async (offsetMs: number) => {
      const { status, json } = await alice.call("GET", "/v1/balances", {
        timestamp: String(clock.nowMs() + offsetMs),
      });
      return status === 200 ? 200 : json.code;
    };
    expect([await at(-5001), await at(-5000), await at(0), await at(5000), await at(5001)]).toEqual(
      [1011, 200, 200, 200, 1011],
    );
    expect((await alice.call("GET", "/v1/balances", { timestamp: "now" })).json).toMatchObject({
      code: 1011,
    });
  },
);

conforms(
  "AU2",
  "exchange",
  "1010 without account or signature, 1110 for no address, 1012 for another's signature; v of 0 and 1 and a missing 0x do no harm",
  async () => {
    const { alice, bob } = await world();
    const { signature = "", ...rest } = alice.reference.signed();
    const send = async (fields: Record<string, string>) => {
      const { status, json } = await alice.deliver("GET", "/v1/balances", fields);
      return status === 200 ? 200 : json.code;
    };
    expect(await send({})).toBe(1010);
    expect(await send(rest)).toBe(1010);
    expect(await send({ account: "0x12" })).toBe(1110);
    expect(await send({ ...rest, signature: bob.reference.signed().signature ?? "" })).toBe(1012);
    expect(await send({ ...rest, signature: "0xzz" })).toBe(1012);
    expect(
      await send({
        ...rest,
        signature: `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`,
      }),
    ).toBe(200);
    expect(await send({ ...rest, signature: signature.slice(2) })).toBe(200);
  },
);

conforms(
  "AU2",
  "exchange",
  "an operator signs requests and orders of an account until it is revoked, and may not register or name another",
  async () => {
    const { alice, bob } = await world({}, { registered: false });
    await alice.register();
    const operator = bob.address;
    const asOperator = (fields: Fields = {}) => {
      const { signature, ...all } = bob.reference.signed({ ...fields, account: alice.address });
      return { ...all, signature: signature ?? "" };
    };
    const balances = async () => (await alice.deliver("GET", "/v1/balances", asOperator())).status;
    expect(await balances()).not.toBe(200);
    const setOperator = (isValid: string) => alice.call("POST", "/operator", { operator, isValid });
    expect(
      (await alice.deliver("POST", "/operator", asOperator({ operator, isValid: "true" }))).status,
    ).not.toBe(200);
    expect((await setOperator("true")).status).toBe(200);
    expect(await balances()).toBe(200);
    const struct = {
      perp: PERP,
      signer: alice.address,
      paperAmount: "100000000000000000",
      creditAmount: "-3000000000",
    };
    const order = alice.reference.order("BUY", "30000", "0.1");
    const signedBy = (key: Wallet) =>
      key.signingKey.sign(alice.reference.hashOf({ ...struct, info: order.info ?? "" })).serialized;
    const sent = { ...order, orderSignature: signedBy(bob.reference.wallet) };
    expect((await alice.deliver("POST", "/v1/order", asOperator(sent))).json).toMatchObject({
      status: "NEW",
      account: alice.address,
      json: { signer: alice.address },
    });
    const stream = await alice.stream(
      `/single/account@${alice.address}?${encode(withoutAccount(asOperator()))}`,
    );
    expect((await setOperator("false")).status).toBe(200);
    expect((await stream.closed).code).toBe(1008);
    expect(await balances()).not.toBe(200);
    expect(
      (
        await alice.deliver(
          "POST",
          "/v1/order",
          asOperator(alice.reference.order("BUY", "30000", "0.1")),
        )
      ).status,
    ).not.toBe(200);
  },
);

conforms(
  "AU3",
  "exchange",
  "an order signed by another key, over another hash or as a message is 1012",
  async () => {
    const { alice, exchange, clock } = await world();
    const bob = new ReferenceClient(exchange, () => clock.nowMs(), KEYS[1]);
    const order = alice.reference.order("BUY", "30000", "0.1");
    const struct = {
      perp: PERP,
      signer: alice.address,
      paperAmount: "100000000000000000",
      creditAmount: "-3000000000",
      info: order.info ?? "",
    };
    const hash = alice.reference.hashOf(struct);
    const signatures = [
      bob.wallet.signingKey.sign(hash).serialized,
      alice.reference.wallet.signingKey.sign(keccak256(hash)).serialized,
      alice.reference.wallet.signMessageSync(hash),
      alice.reference.order("BUY", "30000.1", "0.1").orderSignature,
    ];
    for (const orderSignature of signatures) {
      expect(
        (await alice.call("POST", "/v1/order", { ...order, orderSignature })).json,
      ).toMatchObject({
        code: 1012,
        codeText: "Invalid signature",
      });
    }
    expect(alice.reference.wallet.signingKey.sign(hash).serialized).toBe(order.orderSignature);
    expect((await alice.call("POST", "/v1/order", order)).status).toBe(200);
  },
);
