import {
  AbiCoder,
  concat,
  hashMessage,
  keccak256,
  recoverAddress,
  Signature,
  TypedDataEncoder,
  toUtf8Bytes,
  verifyMessage,
  Wallet,
} from "ethers";
import { expect } from "vitest";
import { bytesToHex } from "#core/hex.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { OrderSettings } from "#exchange/order-settings.js";
import {
  DOMAIN_TYPE_HASH,
  domainSeparator,
  ORDER_TYPE_HASH,
  OrderHasher,
} from "#exchange/order-signing.js";
import { formatCanonicalParams, requestDigest, signParams } from "#exchange/request-signing.js";
import { KEYS, START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { worlds } from "../exchange/world.js";
import { EXCHANGE_INFO, MARKET, ORDER, text } from "./examples.js";
import { connections, scripted } from "./world.js";

const world = worlds();
const connected = connections();
const WALLET = new Wallet(KEYS[0]);
const BID = { marketId: "btcusdc", side: "BUY", amount: "0.02", price: "2000" } as const;
const LOCAL = {
  name: "JOJO",
  version: "1",
  chainId: 31337,
  verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
};
const BASE = {
  ...LOCAL,
  chainId: 8453,
  verifyingContract: "0x2f7c3cF9D9280B165981311B822BecC4E05Fe635",
};
const ORDER_TYPE =
  "Order(address perp,address signer,int128 paperAmount,int128 creditAmount,bytes32 info)";
const TYPES = {
  Order: ["perp", "signer", "paperAmount", "creditAmount", "info"].map((name, place) => ({
    name,
    type: ["address", "address", "int128", "int128", "bytes32"][place] ?? "",
  })),
};
const separatorOf = (domain: typeof LOCAL) =>
  domainSeparator({
    domainName: domain.name,
    domainVersion: domain.version,
    chainId: domain.chainId,
    verifyingContract: domain.verifyingContract,
  });

/** Prepares orders under the example rules, bent. */
function preparer(market: object = {}, change: object = {}, orders: OrderSettings = {}) {
  const { client } = scripted(
    {
      "GET /v1/exchangeInfo": text({
        ...EXCHANGE_INFO,
        ...change,
        markets: [{ ...MARKET, ...market }],
      }),
    },
    { orders },
  );
  return (order: object = {}) => client.prepare({ ...BID, ...order });
}

conforms(
  "OC1",
  "client",
  "computes the separator that ethers computes, and the published ones of each chain",
  () => {
    expect(DOMAIN_TYPE_HASH).toBe(
      keccak256(
        toUtf8Bytes(
          "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
        ),
      ),
    );
    for (const domain of [LOCAL, BASE, { ...LOCAL, name: "Another", version: "7" }])
      expect(separatorOf(domain)).toBe(TypedDataEncoder.hashDomain(domain));
    expect(separatorOf(BASE)).toBe(
      "0xae5e1b68d39d530e9f8985caa524ee202e49b88b7e2321962798cc5fdf27f874",
    );
    expect(separatorOf(LOCAL)).toBe(
      "0x7fdfe1c32d05803fdc2c66fdd0770dba9f4b7e589cbb54e930f8ed285d8581e0",
    );
  },
);

conforms("OC2", "client", "hashes the published order type", () => {
  expect(ORDER_TYPE_HASH).toBe(keccak256(toUtf8Bytes(ORDER_TYPE)));
  expect(ORDER_TYPE_HASH).toBe(
    "0x6ce22f1be37c24a60b088bc91a456d1ae077db421fa72ffe85abd6af245899e4",
  );
});

conforms("OC3", "client", "signs for the market's contract and in its own name", async () => {
  const perp = "0xcd12b2fC3b0152c6D998337E4444C72C59b25fe1";
  const { order } = await preparer({ perpetualContractAddress: perp })();
  expect([order.perp.toLowerCase(), order.signer.toLowerCase()]).toEqual([
    perp.toLowerCase(),
    WALLET.address.toLowerCase(),
  ]);
});

conforms("OC3", "client", "names the account as signer where its operator signs", async () => {
  const { client, last } = scripted(
    { "GET /v1/exchangeInfo": text(EXCHANGE_INFO), "POST /v1/order": text(ORDER) },
    { account: new Wallet(KEYS[1]).address },
  );
  const { order, hash, params } = await client.prepare(BID);
  expect(order.signer).toBe(new Wallet(KEYS[1]).address);
  expect(recoverAddress(hash, params.orderSignature)).toBe(WALLET.address);
  await client.balances().catch(() => undefined);
  const { signature = "", ...rest } = last().params;
  expect(rest.account).toBe(new Wallet(KEYS[1]).address);
  expect(verifyMessage(formatCanonicalParams(rest), signature)).toBe(WALLET.address);
});

conforms(
  "OC4",
  "client",
  "scales paper and credit exactly, a fraction down for SELL and up for BUY, or as it is told",
  async () => {
    const grid = {
      filters: MARKET.filters.map((filter) => ({
        ...filter,
        ...(filter.filterType === "PRICE_FILTER"
          ? { tickSize: "0.01", minPrice: "0.01" }
          : filter.filterType === "MAX_OPEN_ORDERS_FILTER"
            ? {}
            : { stepSize: "0.000001", minAmount: "0.000001" }),
      })),
    };
    const amounts = async (order: object, orders: OrderSettings = {}) => {
      const prepared = await preparer(grid, {}, orders)(order);
      return [prepared.order.paperAmount, prepared.order.creditAmount];
    };
    const terms = { price: "63908.67", amount: "1.095303" };
    // 69999.357977...: no whole number of millionths.
    expect(await amounts({ ...terms, side: "SELL" })).toEqual([
      -1095303000000000000n,
      69999357977n,
    ]);
    expect(await amounts(terms)).toEqual([1095303000000000000n, -69999357978n]);
    expect(await amounts(terms, { buyRounding: "down" })).toEqual([
      1095303000000000000n,
      -69999357977n,
    ]);
    expect(await amounts({ price: "2000", amount: "0.02" })).toEqual([
      20000000000000000n,
      -40000000n,
    ]);
  },
);

conforms(
  "OC5",
  "client",
  "takes paper for credit buying, and credit for paper selling",
  async () => {
    const prepare = preparer();
    const [buy, sell] = [(await prepare()).order, (await prepare({ side: "SELL" })).order];
    expect([
      buy.paperAmount > 0n,
      buy.creditAmount < 0n,
      sell.paperAmount < 0n,
      sell.creditAmount > 0n,
    ]).toEqual([true, true, true, true]);
    expect([sell.paperAmount, sell.creditAmount]).toEqual([-buy.paperAmount, -buy.creditAmount]);
  },
);

conforms(
  "OC6",
  "client",
  "packs maker rate, taker rate, expiration and a fresh nonce into four big-endian words",
  async () => {
    const prepare = preparer({ makerFee: "-0.0001", takerFee: "0.0003" });
    const nonces = new Set<string>();
    for (let count = 0; count < 20; count += 1) {
      const { info } = (await prepare({ timeInForce: "GTT", expiration: START_MS + 90_000 })).order;
      expect(info).toMatch(/^0xffffa50cef85c000000110d9316ec000[0-9a-f]{32}$/);
      expect(BigInt(`0x${info.slice(34, 50)}`)).toBe(BigInt(START_MS / 1000 + 90));
      nonces.add(info.slice(50));
    }
    expect(nonces.size).toBe(20);
  },
);

conforms(
  "OC7",
  "client",
  "hashes as ethers does and as one puts it together by hand, and as the published vectors have it",
  async () => {
    const separator = separatorOf(LOCAL);
    for (const side of ["BUY", "SELL"] as const) {
      const { order, hash } = await preparer()({ side });
      const message = { ...order };
      expect(hash).toBe(TypedDataEncoder.hash(LOCAL, TYPES, message));
      const tuple = AbiCoder.defaultAbiCoder().encode(
        ["bytes32", "address", "address", "int128", "int128", "bytes32"],
        [
          keccak256(toUtf8Bytes(ORDER_TYPE)),
          order.perp,
          order.signer,
          order.paperAmount,
          order.creditAmount,
          order.info,
        ],
      );
      expect(hash).toBe(keccak256(concat(["0x1901", separator, keccak256(tuple)])));
    }
    const info1 = "0xffffa50cef85c000000110d9316ec000000000007a432b800000000000000001";
    const info2 = "0x00005af3107a40000001c6bf52634000000000006553ff10ffffffffffffffff";
    const perp = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";
    const [k0, k1] = [WALLET.address, new Wallet(KEYS[1]).address];
    const vectors = [
      [
        LOCAL,
        perp,
        k0,
        20000000000000000n,
        -40000000n,
        info1,
        "0x7a899419cb1665ceccbdda32dc55ab7424e5911ab1607165b869197d9fb3ac9b",
      ],
      [
        LOCAL,
        perp,
        k1,
        -1095303000000000000n,
        69999357977n,
        info2,
        "0xef65ac32dbc4cb938377b7853d3f6bf9fac04e88536a52b59f19b29868769120",
      ],
      [
        BASE,
        "0xcd12b2fC3b0152c6D998337E4444C72C59b25fe1",
        k1,
        -(10n ** 18n),
        30000000000n,
        info2,
        "0x471ac5d86496c85970d1e243a1f6d04f37b6b7ed2bfe116d09f64521acfdf9b9",
      ],
    ] as const;
    for (const [domain, market, signer, paperAmount, creditAmount, info, hash] of vectors) {
      expect(
        new OrderHasher(separatorOf(domain)).hash({
          perp: market,
          signer,
          paperAmount,
          creditAmount,
          info,
        }),
      ).toBe(hash);
    }
  },
);

conforms(
  "OC8",
  "client",
  "signs the bare hash with 65 bytes whose last is 27 or 28, deterministically as ethers does",
  async () => {
    const prepare = preparer();
    const lasts = new Set<number>();
    for (let count = 0; count < 12; count += 1) {
      const { hash, params } = await prepare({ price: `${2000 + count}` });
      expect(params.orderSignature).toMatch(/^0x[0-9a-f]{130}$/);
      expect(params.orderSignature).toBe(WALLET.signingKey.sign(hash).serialized);
      lasts.add(Signature.from(params.orderSignature).v);
    }
    expect([...lasts].sort()).toEqual([27, 28]);
  },
);

conforms("OC9", "client", "places in both ways, and the exchange takes both", async () => {
  const venue = await world();
  const hashes: string[] = [];
  for (const placement of ["local", "server"] as const) {
    const { client } = await connected(venue, KEYS[0], { orders: { placement } });
    const prepared = await client.prepare({ ...BID, price: "30000" });
    const accepted = await client.send(prepared);
    expect([accepted.hash, accepted.status]).toEqual([prepared.hash, "NEW"]);
    expect(accepted.json).toMatchObject({
      paperAmount: 20_000_000_000_000_000n,
      creditAmount: -600_000_000n,
    });
    hashes.push(accepted.hash);
  }
  const { client } = await connected(venue);
  expect((await client.openOrders()).map(({ hash }) => hash)).toEqual(hashes);
});

conforms("AU2", "client", "signs the published vectors, character by character", () => {
  const one = ecdsaScheme.signer(`0x${"1".padStart(64, "0")}`);
  const publishedSignature =
    "0x242e3704e2cbe5a242c604f312448626029480c2cb9403883834c58fd2a2e7e21f60c100bc74d13554e1c722f403ece645d344347a875cf08618de3acf5b76bb";
  expect(signParams({}, "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", 1, one)).toBe(
    `account=0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf&timestamp=1&signature=${publishedSignature}1c`,
  );
  const dev = ecdsaScheme.signer(KEYS[0]);
  const account = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
  const vectors = [
    [{}, "0x1b1b56030597f66026a7a5102396980d7920425468b3807f09751a4541a003a5"],
    [
      {
        amount: "0.02",
        marketId: "btcusdc",
        orderType: "LIMIT",
        price: "2000",
        side: "BUY",
        timeInForce: "GTC",
      },
      "0x49d3dbc9fa58daa186788566f958b5fad519a88806062b33d2196770f822bed8",
    ],
    [
      { orderId: "275287091667264", marketId: "btcusdc" },
      "0x5247e2432a4b50737ab274321f228e19cec30edae90019c5e8c21437065b3611",
    ],
  ] as const;
  for (const [params, hash] of vectors) {
    const canonical = formatCanonicalParams(params, { account, timestamp: "1700000000000" });
    expect(bytesToHex(requestDigest(canonical))).toBe(hash);
    expect(signParams(params, account, 1_700_000_000_000, dev)).toBe(
      `${canonical}&signature=${WALLET.signMessageSync(canonical)}`,
    );
  }
});

conforms(
  "AU2",
  "client",
  "signs what it sends: sorted, form-encoded, in exchange time, as a personal message",
  async () => {
    const { client, last, clock } = scripted({ "GET /v1/openOrders": "[]" });
    await client.openOrders({ marketId: "a b+c/d=é~*'()!" });
    const { text: sent, params } = last();
    const message = sent.slice(0, sent.indexOf("&signature="));
    expect(message).toBe(
      `account=${WALLET.address}&marketId=a+b%2Bc%2Fd%3D%C3%A9~%2A%27%28%29%21&timestamp=${clock.nowMs()}`,
    );
    expect(verifyMessage(message, params.signature ?? "")).toBe(WALLET.address);
    expect(hashMessage(message)).toBe(bytesToHex(requestDigest(message)));
  },
);

conforms(
  "AU2",
  "client",
  "asks the exchange's time first, so that a clock that is off by a minute is answered all the same",
  async () => {
    const venue = await world();
    const { clock } = venue;
    const late = {
      nowMs: () => clock.nowMs() - 60_000,
      monotonicMs: () => clock.monotonicMs(),
      setTimer: clock.setTimer.bind(clock),
    };
    const { client } = await connected(venue, KEYS[0], {
      runtime: { clock: late, random: seededRandom("late") },
    });
    expect((await client.balances()).positions).toEqual([]);
    const refusing = scripted({
      "GET /v1/balances": {
        status: 400,
        body: '{"code":1011,"codeText":"Invalid timestamp","message":""}',
      },
    });
    await expect(refusing.client.balances()).rejects.toMatchObject({
      code: 1011,
      codeName: "INVALID_TIMESTAMP_ERROR",
    });
  },
);

conforms(
  "AU3",
  "client",
  "hears of an order's wrong signature as 1012, and does not send the order again",
  async () => {
    const venue = await world();
    const { client } = await connected(venue, KEYS[0], {
      retry: { tries: 4, pauseMs: 1, maxPauseMs: 1 },
    });
    const [one, other] = [
      await client.prepare({ ...BID, price: "30000" }),
      await client.prepare({ ...BID, price: "30001" }),
    ];
    const forged = {
      ...one,
      params: { ...one.params, orderSignature: other.params.orderSignature },
    };
    await expect(client.send(forged)).rejects.toMatchObject({
      name: "VenueError",
      code: 1012,
      codeName: "INVALID_SIGNATURE_ERROR",
    });
    const { client: refused, sent } = scripted(
      {
        "GET /v1/exchangeInfo": text(EXCHANGE_INFO),
        "POST /v1/order": {
          status: 400,
          body: '{"code":1012,"codeText":"Invalid signature","message":"Order Signature is invalid"}',
        },
      },
      { retry: { tries: 4 } },
    );
    await expect(refused.place(BID)).rejects.toMatchObject({
      code: 1012,
      venueMessage: "Order Signature is invalid",
    });
    expect(sent.filter(({ method }) => method === "POST")).toHaveLength(1);
  },
);
