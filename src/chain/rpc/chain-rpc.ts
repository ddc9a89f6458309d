import { ConfigError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../core/units.js";
import { RpcFailure } from "./rpc-errors.js";
import type { Head } from "./rpc-health.js";
import { type ResultReader, RpcPool, type RpcReport } from "./rpc-pool.js";
import type { InProcessRpc } from "./rpc-transport.js";
import { parseBytes } from "./rpc-values.js";

/** Several RPCs of one chain, and the rules for trusting them. */
export interface ChainRpcOptions {
  /**
   * JSON-RPC addresses of the same chain, at least one, or functions of this process that act as an
   * RPC.
   */
  readonly urls: readonly (string | InProcessRpc)[];
  /** Expected chain id: an RPC of another chain is not trusted. */
  readonly chainId: number;
  readonly clock: Clock;
  /**
   * Wall-clock time to compare block timestamps with: the exchange's, if known. Default: the
   * clock's.
   */
  readonly nowMs?: () => Ms;
  /** Time limit of one request to one RPC. Default 2000. */
  readonly requestTimeoutMs?: Ms;
  /** Largest difference between a head's timestamp and now for it to be trusted. Default 15,000. */
  readonly maxHeadAgeMs?: Ms;
  /** Largest number of blocks behind the other RPCs for a head to be trusted. Default 2. */
  readonly maxLagBlocks?: number;
  /**
   * Number of RPCs that must return the same result to {@link ChainRpc.read}. Default 1: the best
   * one's counts.
   */
  readonly quorum?: number;
  /** Age after which heads are read again. Default 500. */
  readonly headRefreshMs?: Ms;
}

/** Options of one request. */
export interface RpcRequestOptions {
  /** An RPC that has not reached this block is tried last. */
  readonly atBlock?: number | undefined;
}

/** One RPC's response to {@link ChainRpc.broadcast}: a parsed result, or an RpcFailure. */
export interface BroadcastOutcome {
  readonly name: string;
  readonly result: unknown;
  readonly error: unknown;
}

/** Formats a block number as JSON-RPC writes it. */
export function blockTag(number: number): string {
  return `0x${number.toString(16)}`;
}

/**
 * One chain over several RPCs. A request goes to the best trusted RPC. One that fails, is slow, or
 * has an old head loses its rank to the next. No timer runs between requests: a request reads the
 * heads if the last ones are old.
 */
export class ChainRpc {
  readonly #pool: RpcPool;
  readonly #quorum: number;

  /**
   * @throws ConfigError when there is no address, one is not valid, or there are fewer than the
   * quorum needs.
   */
  constructor(options: ChainRpcOptions) {
    const { urls, clock, quorum = 1 } = options;
    if (urls.length === 0)
      throw new ConfigError("names no RPC", { field: "rpc", expected: "at least one address" });
    if (!Number.isInteger(quorum) || quorum < 1 || quorum > urls.length)
      throw new ConfigError("cannot be reached", {
        field: "quorum",
        value: quorum,
        expected: `1 to ${urls.length}, the number of addresses`,
      });
    this.#quorum = quorum;
    this.#pool = new RpcPool({
      urls,
      chainId: options.chainId,
      clock,
      nowMs: options.nowMs ?? (() => clock.nowMs()),
      requestTimeoutMs: options.requestTimeoutMs ?? 2000,
      maxHeadAgeMs: options.maxHeadAgeMs ?? 15_000,
      maxLagBlocks: options.maxLagBlocks ?? 2,
      quorum,
      headRefreshMs: options.headRefreshMs ?? 500,
    });
  }

  /**
   * Returns the newest trusted block; with a quorum, the newest that so many RPCs have reached.
   * @param maxAgeMs largest age of the heads; by default `headRefreshMs`.
   * @throws ChainUnavailable when there is none; the message gives the reason for each RPC.
   */
  async head(maxAgeMs?: Ms): Promise<Head> {
    await this.#pool.refresh(maxAgeMs);
    const heads = this.#pool.trusted.flatMap(({ head }) => (head === undefined ? [] : [head]));
    const head = heads.sort((a, b) => b.number - a.number)[this.#quorum - 1];
    if (head === undefined) throw this.#pool.unavailableError("no usable head");
    return head;
  }

  /**
   * Sends a request to the best RPC, then to the next if it returns no result. Use it only for what
   * may be sent twice; that includes a raw transaction, whose hash is the same.
   * @param read parses the `result`. If it throws, that RPC has failed and the next one is tried.
   * @throws CallReverted when the call reverted; RpcFailure when every RPC refused, with the last
   * one's message; ChainUnavailable when none could be trusted or reached. Nothing else, whatever a
   * node returns.
   */
  async request<Value>(
    method: string,
    params: readonly unknown[],
    read: ResultReader<Value>,
    options: RpcRequestOptions = {},
  ): Promise<Value> {
    await this.#pool.refresh();
    return this.#agree(method, params, 1, read, options);
  }

  /**
   * Reads the chain at one block: the quorum's RPCs must return the same result, a revert included.
   * @param call of `eth_call`; the caller sets `gas`, because the defaults of nodes differ widely.
   * @param decode parses the return data, like `read` of {@link ChainRpc.request}.
   * @throws as {@link ChainRpc.request}; ChainUnavailable when too few RPCs agree.
   */
  async read<Value>(
    call: { readonly to: Hex; readonly data: Hex; readonly gas: number; readonly from?: Hex },
    blockNumber: number,
    decode: (data: Hex) => Value,
  ): Promise<Value> {
    await this.#pool.refresh();
    const params = [{ ...call, gas: blockTag(call.gas) }, blockTag(blockNumber)];
    const read = (result: unknown) => decode(parseBytes(result, "eth_call"));
    return this.#agree("eth_call", params, this.#quorum, read, { atBlock: blockNumber });
  }

  /**
   * Sends the same request to every trusted RPC at once; for a raw transaction, which each may
   * receive. Settles as soon as one `accepts`; otherwise when all have responded, with each
   * response. A refusal does not lower an RPC's rank.
   * @param read as in {@link ChainRpc.request}.
   * @throws ChainUnavailable when no RPC is trusted.
   */
  async broadcast(
    method: string,
    params: readonly unknown[],
    read: ResultReader<unknown>,
    accepts: (outcome: BroadcastOutcome) => boolean,
  ): Promise<readonly BroadcastOutcome[]> {
    await this.#pool.refresh();
    const believed = this.#pool.rankFor(0);
    if (believed.length === 0) throw this.#pool.unavailableError(`${method}: no usable RPC`);
    return new Promise((resolve) => {
      const outcomes: BroadcastOutcome[] = [];
      for (const { endpoint } of believed) {
        const record = (outcome: BroadcastOutcome): void => {
          outcomes.push(outcome);
          if (outcomes.length === believed.length || accepts(outcome)) resolve([...outcomes]);
        };
        endpoint
          .request(method, params)
          .then(read)
          .then(
            (result) => record({ name: endpoint.name, result, error: undefined }),
            (error: unknown) => record({ name: endpoint.name, result: undefined, error }),
          );
      }
    });
  }

  /** Returns the health of each RPC, in the order of their addresses. */
  report(): readonly RpcReport[] {
    return this.#pool.report();
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /**
   * Queries as many RPCs at a time as are still needed, until `quorum` of them agree or none is
   * left.
   */
  #agree<Value>(
    method: string,
    params: readonly unknown[],
    quorum: number,
    read: ResultReader<Value>,
    { atBlock = 0 }: RpcRequestOptions,
  ): Promise<Value> {
    const waiting = this.#pool.rankFor(atBlock);
    const votes = new Map<string, number>();
    let requested = 0;
    let failure: RpcFailure | undefined;
    return new Promise((resolve, reject) => {
      const askOne = (): void => {
        const health = waiting.shift();
        if (health === undefined) {
          if (requested > 0) return;
          const ofNode =
            quorum === 1 && votes.size === 0 && failure?.why === "refused" ? failure : undefined;
          reject(
            ofNode ??
              this.#pool.unavailableError(
                `${method}: ${votes.size === 0 ? "no answer" : `no ${quorum} answers agree`}`,
              ),
          );
          return;
        }
        requested += 1;
        void this.#pool.requestFrom(health, method, params, read).then((outcome) => {
          requested -= 1;
          if (outcome instanceof RpcFailure) failure = outcome;
          else {
            const count = (votes.get(outcome.key) ?? 0) + 1;
            votes.set(outcome.key, count);
            if (count >= quorum) return outcome.settle(resolve, reject);
          }
          // While the requests in flight may still reach the quorum, no other RPC is queried;
          // otherwise one more, in place of the lost one.
          if (Math.max(0, ...votes.values()) + requested < quorum) askOne();
        });
      };
      for (let i = 0; i < quorum || i === 0; i += 1) askOne();
    });
  }
}
