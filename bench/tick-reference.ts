import type { Signer } from "#core/signing.js";
import { OrderHasher } from "#exchange/order-signing.js";
import type { OrderStruct } from "#exchange/records.js";
import { requestDigest } from "#exchange/request-signing.js";

const ORDER: OrderStruct = {
  perp: "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
  signer: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  paperAmount: 5_000_000_000_000_000n,
  creditAmount: -309_008_500n,
  info: "0xffffa50cef85c000000110d9316ec000000000007a432b800000000000000001",
};
const SEPARATOR = "0x7fdfe1c32d05803fdc2c66fdd0770dba9f4b7e589cbb54e930f8ed285d8581e0";
/** A place's parameters as they are signed, with the signature of the order. */
const REQUEST =
  "account=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed&amount=0.005&info=0xffffa50cef85c000000110d9316ec000000000007a432b800000000000000001&" +
  `marketId=btcusdt&orderSignature=0x${"5a".repeat(65)}&orderType=LIMIT&price=61801.7&side=BUY&timeInForce=POST_ONLY&timestamp=1780272000000`;

/**
 * The least work of any client for a frame that leads to an order: parse it, hash and sign the
 * order, hash and sign the request.
 */
export function parseAndSign(signer: Signer): (frame: string) => number {
  const hasher = new OrderHasher(SEPARATOR);
  let nonce = 0;
  return (frame) => {
    nonce += 1;
    const order = { ...ORDER, creditAmount: ORDER.creditAmount - BigInt(nonce) };
    const request = `${REQUEST}${nonce}`;
    const start = performance.now();
    JSON.parse(frame);
    signer.sign(hasher.digest(order));
    signer.sign(requestDigest(request));
    return performance.now() - start;
  };
}

/** Parses the frame, and does nothing else. */
export function parse(frame: string): number {
  const start = performance.now();
  JSON.parse(frame);
  return performance.now() - start;
}
