import { Observable } from "rxjs";
import { AbiReader } from "../../chain/abi/abi-reader.js";
import { encodeCall } from "../../chain/contracts/contract-call.js";
import type { ChainRpc } from "../../chain/rpc/chain-rpc.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { RunError } from "../../core/errors.js";
import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../core/units.js";
import type { PriceMessage } from "../price-message.js";
import type { PriceSource } from "./price-source.js";

const WORD = 32;
/** Gas of one read: feeds behind a proxy and a multisignature need some 50,000. */
const GAS = 500_000;
/** More decimals than any feed has: a number beyond is no feed's. */
const MOST_DECIMALS = 36;
/** Time between two reads, unless the config names another. */
const POLL_MS: Ms = 1000;

/** A price feed on the chain. */
export interface FeedSourceConfig {
  /** Address of the contract. */
  readonly feed: string;
  /** Default 1000. */
  readonly pollMs?: Ms | undefined;
}

/** Dependencies of {@link createFeedSource}. */
export interface FeedSourceDeps {
  readonly runtime: Runtime;
  /** The caller closes it. */
  readonly rpc: Pick<ChainRpc, "head" | "read">;
}

/**
 * Creates a source that reads `latestRoundData()` of a price feed at the newest block, every
 * `pollMs` (docs/reference/reference-sources.md#price-feeds). The price's own time is `updatedAt`.
 * A round without a price, and an answer that is carried over from an earlier round, are `down`.
 */
export function createFeedSource(
  { feed, pollMs = POLL_MS }: FeedSourceConfig,
  { runtime, rpc }: FeedSourceDeps,
): PriceSource {
  return new Observable((subscriber) => {
    const reader = new FeedReader(rpc, feed.toLowerCase());
    let timer: Timer | undefined;
    const poll = async (): Promise<void> => {
      const startMs = runtime.clock.monotonicMs();
      const message = await reader
        .read()
        .catch((error: unknown): PriceMessage => ({ type: "down", reason: describeThrown(error) }));
      if (subscriber.closed) return;
      subscriber.next(message);
      if (subscriber.closed) return;
      const usedMs = runtime.clock.monotonicMs() - startMs;
      timer = runtime.clock.setTimer(Math.max(0, pollMs - usedMs), () => void poll());
    };
    void poll();
    return () => timer?.cancel();
  });
}

class FeedReader {
  readonly #rpc: FeedSourceDeps["rpc"];
  readonly #feed: Hex;
  #decimals: number | undefined;

  constructor(rpc: FeedSourceDeps["rpc"], feed: string) {
    this.#rpc = rpc;
    this.#feed = feed as Hex;
  }

  async read(): Promise<PriceMessage> {
    const { number } = await this.#rpc.head();
    this.#decimals ??= await this.#ask("decimals()", number, (words) => words.index(0));
    const decimals = this.#decimals;
    if (decimals > MOST_DECIMALS)
      throw new RunError(`decimals() is ${decimals}, expected at most ${MOST_DECIMALS}`);
    return this.#ask("latestRoundData()", number, (words) => {
      const [roundId, answeredInRound] = [words.uint(0), words.uint(4 * WORD)];
      const [answer, updatedAt] = [words.int(WORD), words.uint(3 * WORD)];
      if (updatedAt === 0n) return down("its round is not complete: updatedAt is 0");
      if (answeredInRound < roundId)
        return down(
          `its answer is carried over: answeredInRound ${answeredInRound} is before round ${roundId}`,
        );
      if (answer <= 0n) return down(`its answer is ${answer}, expected above 0`);
      const price = Number(answer) / 10 ** decimals;
      return { type: "price", bid: price, ask: price, timeMs: Number(updatedAt) * 1000 };
    });
  }

  async #ask<Value>(
    signature: string,
    block: number,
    decode: (words: AbiReader) => Value,
  ): Promise<Value> {
    const call = { ...encodeCall(this.#feed, signature, []), gas: GAS };
    const answer = await this.#rpc.read(call, block, (data) =>
      data === "0x" ? undefined : { value: decode(new AbiReader(data)) },
    );
    if (answer !== undefined) return answer.value;
    throw new RunError(`no price feed is at ${this.#feed}: ${signature} returns nothing`);
  }
}

function down(reason: string): PriceMessage {
  return { type: "down", reason };
}
