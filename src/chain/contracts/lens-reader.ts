import { ConfigError, FormatError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";
import { encodeWord } from "../abi/abi-reader.js";
import type { ChainRpc } from "../rpc/chain-rpc.js";
import { CallReverted } from "../rpc/rpc-errors.js";
import type { Head } from "../rpc/rpc-health.js";
import { ChunkSize } from "./chunk-size.js";
import {
  type AccountHoldings,
  type AccountRisk,
  type ChainAccountBalances,
  type ChainMarket,
  decodeCosts,
  decodeHoldings,
  decodeLensBalances,
  decodeMarkets,
  decodeRisks,
  type LensResponse,
  type LiquidationCost,
} from "./lens-results.js";

/** Addresses of the contracts, and gas limits of a call. */
export interface LensReaderOptions {
  readonly rpc: ChainRpc;
  readonly lens: Hex;
  readonly dealer: Hex;
  /** Gas of each call; no more than the providers allow. Default 30,000,000. */
  readonly gasCap?: number;
  /** Gas that one account's views may burn. Default 1,000,000: enough for twenty positions. */
  readonly gasEach?: number;
  /**
   * Most entries of one call. Default 50. A node that records each step of a call (edr 0.13 always
   * does, and has no setting for it) takes several times longer for an entry once a call holds
   * hundreds. That costs more than the round trips that it saves.
   */
  readonly maxChunk?: number;
  /** Concurrent calls. Default 8, enough to keep a node busy while responses travel. */
  readonly concurrency?: number;
}

/** Entries that were read at one block, in the order of the request. */
export interface LensSnapshot<Entry> {
  readonly blockNumber: number;
  readonly timestampMs: Ms;
  readonly list: readonly Entry[];
}

/** A liquidation to price. */
export interface LiquidationCostRequest {
  readonly perp: Hex;
  readonly trader: Hex;
  /** With the sign of the trader's position. */
  readonly paper: bigint;
}

/** The first four bytes of the signatures' Keccak-256. */
const SELECTORS = {
  risks: "dc345bfc",
  holdings: "9056468b",
  costs: "27c28f95",
  markets: "17b3bba7",
  balances: "9c016b23",
} as const;

/**
 * Initial estimate of the gas of an entry: five positions of the measured 11.3M for 200 accounts.
 */
const GAS_GUESS = 57_000;

/**
 * Reads many accounts through the lens contract at one block, in chunks that fit the gas cap. A
 * chunk that is too large is halved, and the size that fits is remembered. An account that cannot
 * be read fails alone.
 */
export class LensReader {
  readonly #rpc: ChainRpc;
  readonly #lens: Hex;
  readonly #dealer: Hex;
  readonly #gasCap: number;
  readonly #gasEach: number;
  readonly #maxChunk: number;
  readonly #concurrency: number;
  /** Entries per call, by view. */
  readonly #sizes = new Map<keyof typeof SELECTORS, ChunkSize>();

  /** @throws ConfigError when the gas cap leaves no room for one account. */
  constructor({
    rpc,
    lens,
    dealer,
    gasCap = 30_000_000,
    gasEach = 1_000_000,
    maxChunk = 50,
    concurrency = 8,
  }: LensReaderOptions) {
    this.#rpc = rpc;
    this.#lens = lens;
    this.#dealer = dealer;
    this.#gasCap = gasCap;
    this.#gasEach = gasEach;
    this.#maxChunk = maxChunk;
    this.#concurrency = concurrency;
    if (gasCap < 2 * gasEach)
      throw new ConfigError("is too low for one account", {
        field: "gasCap",
        value: gasCap,
        expected: `${2 * gasEach} or more`,
      });
  }

  /**
   * Reads each account's margin.
   * @param at the block to read at; by default the newest trusted one.
   * @throws ChainUnavailable when too few RPCs can be trusted. A single account's revert is in its
   * entry.
   */
  risks(accounts: readonly Hex[], at?: Head): Promise<LensSnapshot<AccountRisk>> {
    return this.#readAll("risks", accounts, encodeWord, decodeRisks, at);
  }

  /** Reads each account's credit and positions. @throws as {@link LensReader.risks}. */
  holdings(accounts: readonly Hex[], at?: Head): Promise<LensSnapshot<AccountHoldings>> {
    return this.#readAll("holdings", accounts, encodeWord, decodeHoldings, at);
  }

  /**
   * Reads each account's credit and positions without prices, at a third of the node's cost for
   * {@link LensReader.holdings}.
   * @throws as {@link LensReader.risks}.
   */
  balances(accounts: readonly Hex[], at?: Head): Promise<LensSnapshot<ChainAccountBalances>> {
    return this.#readAll("balances", accounts, encodeWord, decodeLensBalances, at);
  }

  /** Prices each liquidation. @throws as {@link LensReader.risks}. */
  costs(
    requests: readonly LiquidationCostRequest[],
    at?: Head,
  ): Promise<LensSnapshot<LiquidationCost>> {
    const encode = ({ perp, trader, paper }: LiquidationCostRequest) =>
      encodeWord(perp) + encodeWord(trader) + encodeWord(paper);
    return this.#readAll("costs", requests, encode, decodeCosts, at);
  }

  /**
   * Reads every listed market. @throws as {@link LensReader.risks}; CallReverted when the dealer
   * itself cannot be read.
   */
  async markets(at?: Head): Promise<LensSnapshot<ChainMarket>> {
    const head = at ?? (await this.#rpc.head());
    const data = `0x${SELECTORS.markets}${encodeWord(this.#dealer)}${encodeWord(BigInt(this.#gasEach))}`;
    const { list } = await this.#call(data, head, decodeMarkets);
    return { blockNumber: head.number, timestampMs: head.timestampMs, list };
  }

  async #readAll<Question, Entry extends { readonly ok: boolean }>(
    view: keyof typeof SELECTORS,
    questions: readonly Question[],
    encode: (question: Question) => string,
    decode: (data: Hex) => LensResponse<Entry>,
    at: Head | undefined,
  ): Promise<LensSnapshot<Entry | Refused>> {
    const head = at ?? (await this.#rpc.head());
    const list = new Array<Entry | Refused>(questions.length);
    const size = this.#sizeOf(view);
    const halves: Chunk[] = [];
    let taken = 0;
    const next = (): Chunk | undefined => {
      const half = halves.pop();
      if (half !== undefined || taken === questions.length) return half;
      const from = taken;
      taken = Math.min(questions.length, from + size.entries);
      return { from, to: taken };
    };
    const readChunk = async ({ from, to }: Chunk): Promise<void> => {
      const part = questions.slice(from, to);
      const prefix =
        encodeWord(this.#dealer) + encodeWord(0x60n) + encodeWord(BigInt(this.#gasEach));
      const data = `0x${SELECTORS[view]}${prefix}${encodeWord(BigInt(part.length))}${part.map(encode).join("")}`;
      try {
        const { list: read } = await this.#call(data, head, decode, part.length);
        read.forEach((entry, i) => {
          list[from + i] = entry;
        });
        size.fitted(part.length);
      } catch (error) {
        if (!(error instanceof CallReverted)) throw error;
        const { revert } = error;
        if (part.length === 1) {
          list[from] = { ok: false, revert };
          return;
        }
        // Whatever the cause of the revert, one account must not block the others: halving isolates
        // it.
        const middle = from + (part.length >> 1);
        if (revert.kind === "out-of-gas") size.ranOut(part.length);
        halves.push({ from, to: middle }, { from: middle, to });
      }
    };
    const work = async (): Promise<void> => {
      try {
        for (let chunk = next(); chunk !== undefined; chunk = next()) await readChunk(chunk);
      } catch (error) {
        // The snapshot is lost: the other halves must stop reading for it.
        halves.length = 0;
        taken = questions.length;
        throw error;
      }
    };
    await Promise.all(Array.from({ length: this.#concurrency }, work));
    return { blockNumber: head.number, timestampMs: head.timestampMs, list };
  }

  #call<Entry>(
    data: Hex,
    head: Head,
    decode: (data: Hex) => LensResponse<Entry>,
    length?: number,
  ): Promise<LensResponse<Entry>> {
    return this.#rpc.read({ to: this.#lens, data, gas: this.#gasCap }, head.number, (result) => {
      const answer = decode(result);
      const { blockNumber, timestampMs, list } = answer;
      // An RPC on another branch, or one that returns its newest state, would mix two states in one
      // snapshot.
      if (blockNumber !== BigInt(head.number) || timestampMs !== head.timestampMs)
        throw new FormatError("an answer for another block", {
          value: `${blockNumber} of ${timestampMs}`,
          expected: `${head.number} of ${head.timestampMs}`,
        });
      if (length !== undefined && list.length !== length)
        throw new FormatError("not the requested number of entries", {
          value: list.length,
          expected: String(length),
        });
      return answer;
    });
  }

  #sizeOf(view: keyof typeof SELECTORS): ChunkSize {
    const known = this.#sizes.get(view);
    if (known !== undefined) return known;
    const size = new ChunkSize(
      Math.floor((this.#gasCap - this.#gasEach) / GAS_GUESS),
      this.#maxChunk,
    );
    this.#sizes.set(view, size);
    return size;
  }
}

type Refused = Extract<AccountRisk, { readonly ok: false }>;

interface Chunk {
  readonly from: number;
  readonly to: number;
}
