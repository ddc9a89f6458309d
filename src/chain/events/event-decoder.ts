import type { Hex } from "../../core/units.js";
import { AbiReader } from "../abi/abi-reader.js";
import type { ChainLog } from "../blocks/chain-log.js";
import { signatureHash } from "../contracts/contract-call.js";

/**
 * Reads an event's arguments by index. Those in topics come first in every event of the contracts.
 */
export interface EventArguments {
  int(place: number): bigint;
  uint(place: number): bigint;
  address(place: number): Hex;
}

/** Recognises and decodes one kind of event. */
export interface EventDecoder<Event> {
  readonly topic: Hex;
  /**
   * Decodes a log.
   * @returns undefined for a log of another event.
   * @throws FormatError when it has the event's topic but not its arguments.
   */
  decode(log: ChainLog): Event | undefined;
}

const W = 32;

/** @param indexed the number of arguments in topics. */
export function defineEvent<Event>(
  signature: string,
  indexed: number,
  read: (words: EventArguments, log: ChainLog) => Event,
): EventDecoder<Event> {
  const topic = signatureHash(signature);
  return {
    topic,
    decode: (log) => {
      if (log.topics[0] !== topic || log.topics.length !== indexed + 1) return undefined;
      const bytes: Hex = `0x${[...log.topics.slice(1), log.data].map((part) => part.slice(2)).join("")}`;
      const words = new AbiReader(bytes);
      return read(
        {
          int: (place) => words.int(place * W),
          uint: (place) => words.uint(place * W),
          address: (place) => words.address(place * W),
        },
        log,
      );
    },
  };
}
