import { TypedDataEncoder } from "ethers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "#core/hex.js";
import { Instrument } from "#core/instrument.js";
import { ecdsaScheme } from "#core/signing.js";
import {
  buildHashedOrder,
  buildOrderStruct,
  infoExpirationSeconds,
  type OrderInputs,
} from "#exchange/order-building.js";
import {
  DOMAIN_TYPE_HASH,
  domainSeparator,
  ORDER_TYPE_HASH,
  OrderHasher,
} from "#exchange/order-signing.js";

const LOCAL = {
  domainName: "JOJO",
  domainVersion: "1",
  chainId: 31337,
  verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
};
const BASE = {
  ...LOCAL,
  chainId: 8453,
  verifyingContract: "0x2f7c3cF9D9280B165981311B822BecC4E05Fe635",
};
const K0 = ecdsaScheme.signer("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const K1 = ecdsaScheme.signer("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
const PERP = "0x9fE46736679d2D9A65F0992F2272dE9f3c7fa6e0";
const BASE_PERP = "0xcd12b2fC3b0152c6D998337E4444C72C59b25fe1";
const INFO1 = {
  makerFeeRate: -(10n ** 14n),
  takerFeeRate: 3n * 10n ** 14n,
  expirationSeconds: 2051222400,
  nonce: 1n,
};
const INFO2 = {
  makerFeeRate: 10n ** 14n,
  takerFeeRate: 5n * 10n ** 14n,
  expirationSeconds: 1700003600,
  nonce: 2n ** 64n - 1n,
};

const instrument = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.01",
  stepSize: "0.000001",
  creditDecimals: 6,
  paperDecimals: 18,
});

function inputs(
  side: "BUY" | "SELL",
  price: string,
  amount: string,
  info: typeof INFO1,
  perp: string,
  signer: string,
): OrderInputs {
  const { makerFeeRate, takerFeeRate, expirationSeconds, nonce } = info;
  return {
    rules: { perp, makerFeeRate, takerFeeRate },
    instrument,
    side,
    ticks: instrument.parsePrice(price),
    lots: instrument.parseAmount(amount),
    signer,
    expirationSeconds,
    nonce,
  };
}

interface Vector {
  readonly id: string;
  readonly inputs: OrderInputs;
  readonly signer: typeof K0;
  readonly domain: typeof LOCAL;
  readonly paper: bigint;
  readonly credit: bigint;
  readonly structHash: string;
  readonly orderHash: string;
  readonly signature: string;
}

const VECTORS: Vector[] = [
  {
    id: "V1 BUY, exact product",
    inputs: inputs("BUY", "2000", "0.02", INFO1, PERP, K0.address),
    signer: K0,
    domain: LOCAL,
    paper: 20000000000000000n,
    credit: -40000000n,
    structHash: "0x1a41e79515c30f317949613a0a75f2d57deadd36a31ae18b1bd538c8dcdff227",
    orderHash: "0x7a899419cb1665ceccbdda32dc55ab7424e5911ab1607165b869197d9fb3ac9b",
    signature:
      "0x816ef6d38e31c37ce7c6ac352e0074a8de32db367eb321d0b6f1dd3d2c4e7b15749d8398746f04e0a846a25bdeb5c1055077207237a4ea48777007fdabbbbbca1c",
  },
  {
    id: "V2 SELL, floored",
    inputs: inputs("SELL", "63908.67", "1.095303", INFO2, PERP, K1.address),
    signer: K1,
    domain: LOCAL,
    paper: -1095303000000000000n,
    credit: 69999357977n,
    structHash: "0x781154d46966aebb65d47e15ef02f94a75629d1e57bef5b49d4d576963cc1628",
    orderHash: "0xef65ac32dbc4cb938377b7853d3f6bf9fac04e88536a52b59f19b29868769120",
    signature:
      "0xa0fef8c03c59caf4775c0b5f44105f52c977c1b69abf7ded4616d0b5242d906330a2ac2bb61c4485cdb55deb74ae8dbf15bf51c4dde8b5ffb2d302709b08f2081b",
  },
  {
    id: "V3a BUY, magnitude rounded up (the default)",
    inputs: inputs("BUY", "63908.67", "1.095303", INFO1, PERP, K0.address),
    signer: K0,
    domain: LOCAL,
    paper: 1095303000000000000n,
    credit: -69999357978n,
    structHash: "0x3566fa9ee4d4e9f96417c7ed9a809e4f5cbed4663114a3964a5c448526c12ddb",
    orderHash: "0xa41c6f07a9a5a33f88c8844c68af032a25771d10e24a746677f121e5615aeae2",
    signature:
      "0x7a536ddeb16321035d932f80436981d0c6bef3acbe2d2eb4cac8a65fabe59e1c7fc74a5d8f594c07296c4fc33100d0a3dbaced78ecbcd76db1a330581f34e0421c",
  },
  {
    id: "V3b BUY, truncated",
    inputs: {
      ...inputs("BUY", "63908.67", "1.095303", INFO1, PERP, K0.address),
      buyRounding: "down",
    },
    signer: K0,
    domain: LOCAL,
    paper: 1095303000000000000n,
    credit: -69999357977n,
    structHash: "0xf94fd16daee14cb08b3ca3c8ba957a23847dd8c0fef2489de95f76062ac8b689",
    orderHash: "0x273ae79c62a102ffee6a53f893e781961644ca3cadf4d89058702d6ccc8296d2",
    signature:
      "0x2bfeb739d2a641a3f8cff5ccd3ae9d6292c7296ed93684cc395e2d6c6b592d5c21ebb0867166c7fb3cb16d7725e4bab17729fba5f6f05f39d1089949d4fc76541c",
  },
  {
    id: "V4 BUY on Base",
    inputs: inputs("BUY", "30000", "1", INFO1, BASE_PERP, K0.address),
    signer: K0,
    domain: BASE,
    paper: 10n ** 18n,
    credit: -30000000000n,
    structHash: "0x54747d0f2bc3e18bebcffb3c62a95e48629c0fb2932c84b460ca01fc29d9daa9",
    orderHash: "0x6851a7fdb1364a9d38e0a0118e492a19377c65bd4621c34fa0d51080bb46dfd3",
    signature:
      "0xdcdd2b739ad9407fba166f70a8531a3a35c909b4c1f90296523673e299dfa1315666cd0ba31eda9c9b7ba5b4d583884f67e8eb38bce71f4c4f609f81664d9d6c1b",
  },
  {
    id: "V5 SELL on Base",
    inputs: inputs("SELL", "30000", "1", INFO2, BASE_PERP, K1.address),
    signer: K1,
    domain: BASE,
    paper: -(10n ** 18n),
    credit: 30000000000n,
    structHash: "0x3f9fd99f1f16a1b780d055e4f969952d6adea90373fc984b630f65d1b0feba58",
    orderHash: "0x471ac5d86496c85970d1e243a1f6d04f37b6b7ed2bfe116d09f64521acfdf9b9",
    signature:
      "0x2c06ce7c6e7c3ccf0a2557df933c74623c03e009daeb9937c707de3961c4c067114c9e033d8af18761bde35b272f2c190441d5462d0c02b83fc46a537689e11b1b",
  },
];

describe("an order is built, hashed and signed to the byte", () => {
  it.each(VECTORS)("$id", (vector) => {
    const hasher = new OrderHasher(domainSeparator(vector.domain));
    const { order, hash, digest } = buildHashedOrder(hasher, vector.inputs);
    expect(order.paperAmount).toBe(vector.paper);
    expect(order.creditAmount).toBe(vector.credit);
    expect(bytesToHex(hasher.structHash(order))).toBe(vector.structHash);
    expect(hash).toBe(vector.orderHash);
    expect(vector.signer.sign(digest)).toBe(vector.signature);
    expect(ecdsaScheme.recover(digest, vector.signature)).toBe(vector.signer.address.toLowerCase());
  });

  it("one hasher serves markets and accounts in turn without mixing them up", () => {
    const hasher = new OrderHasher(domainSeparator(LOCAL));
    const local = VECTORS.filter((vector) => vector.domain === LOCAL);
    for (const vector of [...local, ...local.toReversed()]) {
      expect(hasher.hash(buildOrderStruct(vector.inputs))).toBe(vector.orderHash);
    }
  });
});

describe("the domain", () => {
  it("has the type hashes and separators that are published", () => {
    expect(DOMAIN_TYPE_HASH).toBe(
      "0x8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f",
    );
    expect(ORDER_TYPE_HASH).toBe(
      "0x6ce22f1be37c24a60b088bc91a456d1ae077db421fa72ffe85abd6af245899e4",
    );
    expect(domainSeparator(LOCAL)).toBe(
      "0x7fdfe1c32d05803fdc2c66fdd0770dba9f4b7e589cbb54e930f8ed285d8581e0",
    );
    expect(domainSeparator(BASE)).toBe(
      "0xae5e1b68d39d530e9f8985caa524ee202e49b88b7e2321962798cc5fdf27f874",
    );
    expect(
      domainSeparator({
        ...BASE,
        chainId: 84532,
        verifyingContract: "0x65bE09345311aCc72d9358Ea7d7B13A91DFF51B6",
      }),
    ).toBe("0xbdf93eeadf699b3f4c5f55e886103a8c6c6d8bdc4fc1d672b48c13ad022a3194");
    expect(
      domainSeparator({
        ...BASE,
        chainId: 421614,
        verifyingContract: "0xFfD3B82971dAbccb3219d16b6EB2DB134bf55300",
      }),
    ).toBe("0x57daadc5197b0f00b2629eaa8e0813b185480dcc4b8a94952de9c6cab3114e7b");
  });

  it("refuses what no domain is made of", () => {
    expect(() => domainSeparator({ ...LOCAL, verifyingContract: "0x12" })).toThrow(
      /verifyingContract/,
    );
    expect(() => domainSeparator({ ...LOCAL, chainId: -1 })).toThrow(/chainId/);
    expect(() => new OrderHasher("0x1234")).toThrow(/32 bytes/);
  });
});

const hexBytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => bytesToHex(bytes));
const int128 = fc.oneof(
  fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
  fc.constantFrom(
    0n,
    1n,
    -1n,
    2n ** 63n,
    -(2n ** 63n),
    2n ** 64n,
    -(2n ** 64n),
    2n ** 127n - 1n,
    -(2n ** 127n),
  ),
);

describe("hashing by hand", () => {
  it("gives ethers' hash for every order of every domain", () => {
    const types = {
      Order: [
        { name: "perp", type: "address" },
        { name: "signer", type: "address" },
        { name: "paperAmount", type: "int128" },
        { name: "creditAmount", type: "int128" },
        { name: "info", type: "bytes32" },
      ],
    };
    const domains = fc.record({
      domainName: fc.string(),
      domainVersion: fc.string(),
      chainId: fc.maxSafeNat(),
      verifyingContract: hexBytes(20),
    });
    const orders = fc.record({
      perp: hexBytes(20),
      signer: hexBytes(20),
      paperAmount: int128,
      creditAmount: int128,
      info: hexBytes(32),
    });
    fc.assert(
      fc.property(domains, orders, (domain, order) => {
        const { domainName: name, domainVersion: version, chainId, verifyingContract } = domain;
        const reference = TypedDataEncoder.hash(
          { name, version, chainId, verifyingContract },
          types,
          order,
        );
        expect(new OrderHasher(domainSeparator(domain)).hash(order)).toBe(reference);
      }),
      { numRuns: 200 },
    );
  });

  it("refuses what does not fit its type", () => {
    const hasher = new OrderHasher(domainSeparator(LOCAL));
    const order = buildOrderStruct((VECTORS[0] as Vector).inputs);
    expect(() => hasher.hash({ ...order, paperAmount: 2n ** 127n })).toThrow(/paperAmount/);
    expect(() => hasher.hash({ ...order, creditAmount: -(2n ** 127n) - 1n })).toThrow(
      /creditAmount/,
    );
    expect(() => hasher.hash({ ...order, info: "0x00" })).toThrow(/info/);
    expect(() => hasher.hash({ ...order, perp: "0x00" })).toThrow(/perp/);
  });
});

describe("building", () => {
  const first = (VECTORS[0] as Vector).inputs;

  it.each([
    ["a zero amount", { lots: 0 }],
    ["half a lot", { lots: 0.5 }],
    ["a negative price", { ticks: -1 }],
    ["a price past 2^53", { ticks: 2 ** 53 }],
  ])("refuses %s", (_, change) => {
    expect(() => buildOrderStruct({ ...first, ...change })).toThrow(/at least 1/);
  });

  it("refuses a SELL whose credit rounds to nothing: it would give the amount away", () => {
    const dust = new Instrument({
      marketId: "x",
      tickSize: "0.0001",
      stepSize: "0.0001",
      creditDecimals: 6,
      paperDecimals: 18,
    });
    expect(() =>
      buildOrderStruct({ ...first, instrument: dust, side: "SELL", ticks: 1, lots: 1 }),
    ).toThrow(/rounds to nothing/);
    expect(
      buildOrderStruct({ ...first, instrument: dust, side: "BUY", ticks: 1, lots: 1 }).creditAmount,
    ).toBe(-1n);
  });

  it("two orders of one price match on chain whatever their sizes: a buyer never pays less than any seller takes", () => {
    const amounts = fc.integer({ min: 1, max: 10_000_000 });
    fc.assert(
      fc.property(
        amounts,
        amounts,
        fc.integer({ min: 1, max: 10_000_000 }),
        (bought, sold, ticks) => {
          fc.pre(instrument.creditFloor(ticks, sold) > 0n);
          const buy = buildOrderStruct({ ...first, side: "BUY", ticks, lots: bought });
          const sell = buildOrderStruct({ ...first, side: "SELL", ticks, lots: sold });
          // The contract's comparison for a long taker: makerCredit * takerPaper <= -takerCredit *
          // -makerPaper.
          expect(sell.creditAmount * buy.paperAmount <= buy.creditAmount * sell.paperAmount).toBe(
            true,
          );
        },
      ),
    );
  });

  it("GTT expires when it says, all else more than ten years ahead", () => {
    expect(infoExpirationSeconds("GTT", 1_700_000_000_000, 1_700_000_300_999)).toBe(1_700_000_300);
    const decades =
      (infoExpirationSeconds("GTC", 1_700_000_000_000, 0) - 1_700_000_000) / (365.25 * 86400);
    expect(decades).toBeGreaterThan(10);
    expect(decades).toBeLessThan(12);
  });
});
