import { Wallet } from "ethers";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme, initCrypto } from "#core/signing.js";
import { buildHashedOrder, type OrderInputs } from "#exchange/order-building.js";
import { createTaggedNonce } from "#exchange/order-info.js";
import { domainSeparator, OrderHasher } from "#exchange/order-signing.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { interleaved, ratePerSecond } from "./rounds.js";

const ROUNDS = effort(5, 1);
const ROUND_MS = effort(250, 1);
const BATCH = 100;
const PRIVATE_KEY = `0x${"4c".repeat(32)}`;

const DOMAIN = {
  domainName: "Marketwright bench",
  domainVersion: "1",
  chainId: 8453,
  verifyingContract: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
};

const ETHERS_DOMAIN = {
  name: DOMAIN.domainName,
  version: DOMAIN.domainVersion,
  chainId: DOMAIN.chainId,
  verifyingContract: DOMAIN.verifyingContract,
};

const ORDER_FIELDS = {
  Order: [
    { name: "perp", type: "address" },
    { name: "signer", type: "address" },
    { name: "paperAmount", type: "int128" },
    { name: "creditAmount", type: "int128" },
    { name: "info", type: "bytes32" },
  ],
};

/** Building, packing, hashing and signing one order; ethers gets an order that is already built. */
export const bench: Bench = {
  about: "build, pack, hash and sign an order, against ethers Wallet.signTypedData",
  floor: 8,
  async run() {
    const backends = await initCrypto();
    const random = seededRandom("sign");
    const signer = ecdsaScheme.signer(PRIVATE_KEY);
    const wallet = new Wallet(PRIVATE_KEY);
    const hasher = new OrderHasher(domainSeparator(DOMAIN));
    const instrument = new Instrument({
      marketId: "btcusdc",
      tickSize: "0.1",
      stepSize: "0.001",
      creditDecimals: 6,
      paperDecimals: 18,
    });
    const rules = {
      perp: "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
      makerFeeRate: -50_000_000_000_000n,
      takerFeeRate: 350_000_000_000_000n,
    };

    let ticks = 600_000;
    const nextInputs = (): OrderInputs => {
      ticks = 600_000 + ((ticks + 7) % 50_000);
      const side = ticks % 2 === 0 ? "BUY" : "SELL";
      return {
        rules,
        instrument,
        side,
        ticks,
        lots: 1 + (ticks % 90),
        signer: signer.address,
        expirationSeconds: 2_100_000_000,
        nonce: createTaggedNonce(7, random),
      };
    };

    await requireSameBytes();
    const measured = await interleaved({
      rounds: ROUNDS,
      ours: () =>
        ratePerSecond(
          () => {
            for (let order = 0; order < BATCH; order += 1) {
              signer.sign(buildHashedOrder(hasher, nextInputs()).digest);
            }
          },
          BATCH,
          ROUND_MS,
        ),
      reference: async () => {
        const orders = Array.from(
          { length: BATCH },
          () => buildHashedOrder(hasher, nextInputs()).order,
        );
        const start = performance.now();
        let signed = 0;
        // At least one: in a trial run's millisecond the process may not be scheduled.
        do {
          await wallet.signTypedData(ETHERS_DOMAIN, ORDER_FIELDS, orders[signed % BATCH] ?? {});
          signed += 1;
        } while (performance.now() - start < ROUND_MS);
        return (signed * 1000) / (performance.now() - start);
      },
    });
    return {
      ...measured,
      unit: "orders/s",
      referenceIs: `ethers Wallet.signTypedData (ours: keccak ${backends.keccak}, curve ${backends.signing})`,
    };

    async function requireSameBytes(): Promise<void> {
      for (let sample = 0; sample < 20; sample += 1) {
        const { order, digest } = buildHashedOrder(hasher, nextInputs());
        if (
          signer.sign(digest) !== (await wallet.signTypedData(ETHERS_DOMAIN, ORDER_FIELDS, order))
        ) {
          throw new Error("ours and ethers sign different bytes, so there is nothing to compare");
        }
      }
    }
  },
};
