import { ConfigError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/seam.js";
import type { Hex, Ms } from "../../core/units.js";
import { RpcFailure } from "./rpc-errors.js";
import type { Head } from "./rpc-health.js";
import { type ResultReader, RpcPool, type RpcReport } from "./rpc-pool.js";
import type { InProcessRpc } from "./rpc-transport.js";
import { parseBytes } from "./rpc-values.js";

/** Several RPCs of one chain, and what is asked of them. */
export interface ChainRpcOptions {
  /** One or more JSON-RPC addresses of the same chain, or functions of this process that answer as one. */
  readonly urls: readonly (string | InProcessRpc)[];
  /** An RPC of another chain is not believed. */
  readonly chainId: number;
  readonly clock: Clock;
  /** Wall time that block timestamps are compared with: the exchange's, where it is known. Default: the clock's. */
  readonly nowMs?: () => Ms;
  /** For one request of one RPC. Default 2000. */
  readonly requestTimeoutMs?: Ms;
  /** A head whose timestamp is further from now than this is not believed. Default 15,000. */
  readonly maxHeadAgeMs?: Ms;
  /** Nor one that is more blocks than this behind the others. Default 2. */
  readonly maxLagBlocks?: number;
  /** How many RPCs must give the same answer to {@link ChainRpc.read}. Default 1: the best one's is taken. */
  readonly quorum?: number;
  /** Heads are read again when they were read longer ago than this. Default 500. */
  readonly headRefreshMs?: Ms;
}

/** How one request wants to be answered. */
export interface RpcRequestOptions {
  /** An RPC that has not come to this block is asked last. */
  readonly atBlock?: number | undefined;
}

/** What one RPC said to a {@link ChainRpc.broadcast}: a result that was read, or an RpcFailure. */
export interface BroadcastOutcome {
  readonly name: string;
  readonly result: unknown;
  readonly error: unknown;
}

/** A block by its number, as JSON-RPC writes it. */
export function blockTag(number: number): string {
  return `0x${number.toString(16)}`;
}

/**
 * One chain over several RPCs. The best RPC that can be believed is asked; one that fails, is slow, or whose head is old, loses
 * its place to the next. No timer runs between requests: heads are read when somebody asks and the last ones are old.
 */
export class ChainRpc {
  readonly #pool: RpcPool;
  readonly #quorum: number;

  /** @throws ConfigError when there is no address, one is none, or fewer are given than the quorum needs. */
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
   * The newest block that can be believed; with a quorum, the newest that so many RPCs have reached.
   * @param maxAgeMs how long ago the heads may have been read; `headRefreshMs` when absent.
   * @throws ChainUnavailable when there is none; the message says of each RPC why.
   */
  async head(maxAgeMs?: Ms): Promise<Head> {
    await this.#pool.refresh(maxAgeMs);
    const heads = this.#pool.trusted.flatMap(({ head }) => (head === undefined ? [] : [head]));
    const head = heads.sort((a, b) => b.number - a.number)[this.#quorum - 1];
    if (head === undefined) throw this.#pool.unavailableError("no head that can be believed");
    return head;
  }

  /**
   * Asks the best RPC, then the next one when it gives no answer. For what may be asked twice: a raw transaction too, whose hash is the same.
   * @param read makes of the `result` what is asked for; the RPC whose result it throws for has failed, and the next one is asked.
   * @throws CallReverted when the chain undid the call; RpcFailure when every RPC refused, with the last one's words;
   * ChainUnavailable when none could be believed or reached. Nothing else, whatever a node answers.
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
   * Reads the chain at one block: the quorum's RPCs must give the same answer, a revert included.
   * @param call of `eth_call`; `gas` is the caller's to set, since nodes give little or much by default.
   * @param decode as `read` of {@link ChainRpc.request}, of what the call returns.
   * @throws as {@link ChainRpc.request}; ChainUnavailable when not enough RPCs agree.
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
   * Hands the same to every RPC that can be believed, at once: a raw transaction, which may come to each of them. Settles as soon as
   * one `accepts`; else when all have said something, with what each said. None is thought less of for a refusal.
   * @param read as in {@link ChainRpc.request}.
   * @throws ChainUnavailable when there is none to be asked.
   */
  async broadcast(
    method: string,
    params: readonly unknown[],
    read: ResultReader<unknown>,
    accepts: (outcome: BroadcastOutcome) => boolean,
  ): Promise<readonly BroadcastOutcome[]> {
    await this.#pool.refresh();
    const believed = this.#pool.rankFor(0);
    if (believed.length === 0) throw this.#pool.unavailableError(`${method}: no RPC`);
    return new Promise((resolve) => {
      const outcomes: BroadcastOutcome[] = [];
      for (const { endpoint } of believed) {
        const told = (outcome: BroadcastOutcome): void => {
          outcomes.push(outcome);
          if (outcomes.length === believed.length || accepts(outcome)) resolve([...outcomes]);
        };
        endpoint
          .request(method, params)
          .then(read)
          .then(
            (result) => told({ name: endpoint.name, result, error: undefined }),
            (error: unknown) => told({ name: endpoint.name, result: undefined, error }),
          );
      }
    });
  }

  /** How each RPC stands, in the order of their addresses. */
  report(): readonly RpcReport[] {
    return this.#pool.report();
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Asks as many RPCs at a time as are still wanting, until `quorum` have given the same answer or nobody is left. */
  #agree<Value>(
    method: string,
    params: readonly unknown[],
    quorum: number,
    read: ResultReader<Value>,
    { atBlock = 0 }: RpcRequestOptions,
  ): Promise<Value> {
    const waiting = this.#pool.rankFor(atBlock);
    const votes = new Map<string, number>();
    let asked = 0;
    let failure: RpcFailure | undefined;
    return new Promise((resolve, reject) => {
      const askOne = (): void => {
        const standing = waiting.shift();
        if (standing === undefined) {
          if (asked > 0) return;
          const ofNode =
            quorum === 1 && votes.size === 0 && failure?.why === "refused" ? failure : undefined;
          reject(
            ofNode ??
              this.#pool.unavailableError(
                `${method}: ${votes.size === 0 ? "no answer" : `no ${quorum} answers are the same`}`,
              ),
          );
          return;
        }
        asked += 1;
        void this.#pool.requestFrom(standing, method, params, read).then((outcome) => {
          asked -= 1;
          if (outcome instanceof RpcFailure) failure = outcome;
          else {
            const count = (votes.get(outcome.key) ?? 0) + 1;
            votes.set(outcome.key, count);
            if (count >= quorum) return outcome.settle(resolve, reject);
          }
          // While those under way may still make the quorum, nobody else is asked; else one more, for the one that is lost.
          if (Math.max(0, ...votes.values()) + asked < quorum) askOne();
        });
      };
      for (let i = 0; i < quorum || i === 0; i += 1) askOne();
    });
  }
}
