import { ConfigError } from "../core/errors.js";
import type { Clock } from "../core/seam.js";
import type { Hex, Ms } from "../core/units.js";
import { HttpTransport } from "./http-transport.js";
import { InProcessTransport } from "./in-process-transport.js";
import { RpcEndpoint } from "./rpc-endpoint.js";
import { CallReverted, ChainUnavailable, RpcFailure } from "./rpc-errors.js";
import { type Head, judgeHeads, RpcStanding } from "./rpc-standing.js";
import type { InProcessRpc } from "./rpc-transport.js";

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

/** How one RPC stands. */
export interface RpcReport {
  readonly name: string;
  /** 1 when it always answers at once, towards 0 as it fails or slows down. */
  readonly score: number;
  readonly headNumber: number | undefined;
  /** By the same clock that heads are judged by. */
  readonly headAgeMs: Ms | undefined;
  /** Why it is not asked; undefined when it is. */
  readonly distrust: string | undefined;
}

/** How one request wants to be answered. */
export interface AskOptions {
  /** An RPC that has not come to this block is asked last. */
  readonly atBlock?: number | undefined;
  /** Why a result cannot be; the next RPC is then asked. Undefined when it can. */
  readonly refuse?: ((result: unknown) => string | undefined) | undefined;
}

/** What one RPC said to a {@link ChainRpc.broadcast}: a result, or an RpcFailure or CallReverted. */
export interface BroadcastOutcome {
  readonly name: string;
  readonly result: unknown;
  readonly error: unknown;
}

/** A block by its number, as JSON-RPC writes it. */
export function blockTag(number: number): string {
  return `0x${number.toString(16)}`;
}

/** After the first head has come, the others are waited for no longer than this. */
const GRACE_MS = 150;

/**
 * One chain over several RPCs. The best RPC that can be believed is asked; one that fails, is slow, or whose head is old, loses
 * its place to the next. No timer runs between requests: heads are read when somebody asks and the last ones are old.
 */
export class ChainRpc {
  readonly #standings: readonly RpcStanding[];
  readonly #options: Required<Omit<ChainRpcOptions, "urls">>;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  /** @throws ConfigError when there is no address, one is none, or fewer are given than the quorum needs. */
  constructor(options: ChainRpcOptions) {
    const { urls, clock } = options;
    this.#options = {
      chainId: options.chainId,
      clock,
      nowMs: options.nowMs ?? (() => clock.nowMs()),
      requestTimeoutMs: options.requestTimeoutMs ?? 2000,
      maxHeadAgeMs: options.maxHeadAgeMs ?? 15_000,
      maxLagBlocks: options.maxLagBlocks ?? 2,
      quorum: options.quorum ?? 1,
      headRefreshMs: options.headRefreshMs ?? 500,
    };
    const { quorum, requestTimeoutMs } = this.#options;
    if (urls.length === 0) throw new ConfigError("names no RPC", { field: "rpc", expected: "at least one address" });
    if (!Number.isInteger(quorum) || quorum < 1 || quorum > urls.length)
      throw new ConfigError("cannot be reached", {
        field: "quorum",
        value: quorum,
        expected: `1 to ${urls.length}, the number of addresses`,
      });
    this.#standings = urls.map((url, i) => {
      const name = nameOf(urls, i);
      const transport =
        typeof url === "string"
          ? new HttpTransport({ url, name, clock, timeoutMs: requestTimeoutMs })
          : new InProcessTransport(url, clock, requestTimeoutMs);
      return new RpcStanding(new RpcEndpoint(name, transport));
    });
  }

  /**
   * The newest block that can be believed; with a quorum, the newest that so many RPCs have reached.
   * @throws ChainUnavailable when there is none; the message says of each RPC why.
   */
  async head(): Promise<Head> {
    await this.#refresh();
    const heads = this.#believed().flatMap(({ head }) => (head === undefined ? [] : [head]));
    const head = heads.sort((a, b) => b.number - a.number)[this.#options.quorum - 1];
    if (head === undefined) throw this.#unavailable("no head that can be believed");
    return head;
  }

  /**
   * Asks the best RPC, then the next one when it gives no answer. For what may be asked twice: a raw transaction too, whose hash is the same.
   * @returns the unchecked `result`.
   * @throws CallReverted when the chain undid the call; RpcFailure when every RPC refused, with the last one's words;
   * ChainUnavailable when none could be believed or reached.
   */
  async request(method: string, params: readonly unknown[], options: AskOptions = {}): Promise<unknown> {
    await this.#refresh();
    return this.#agree(method, params, 1, options);
  }

  /**
   * Reads the chain at one block: the quorum's RPCs must give the same answer, a revert included.
   * @param call of `eth_call`; `gas` is the caller's to set, since nodes give little or much by default.
   * @returns what the call returns.
   * @throws as {@link ChainRpc.request}; ChainUnavailable when not enough RPCs agree.
   */
  async read(
    call: { readonly to: Hex; readonly data: Hex; readonly gas: number; readonly from?: Hex },
    blockNumber: number,
    refuse?: (result: Hex) => string | undefined,
  ): Promise<Hex> {
    await this.#refresh();
    const params = [{ ...call, gas: blockTag(call.gas) }, blockTag(blockNumber)];
    const options = {
      atBlock: blockNumber,
      refuse: (result: unknown) =>
        typeof result === "string" && /^0x[0-9a-fA-F]*$/.test(result) ? refuse?.(result) : "its answer is no hex data",
    };
    return (await this.#agree("eth_call", params, this.#options.quorum, options)) as Hex;
  }

  /**
   * Hands the same to every RPC that can be believed, at once: a raw transaction, which may come to each of them. Settles as soon as
   * one `accepts`; else when all have said something, with what each said. None is thought less of for a refusal.
   * @throws ChainUnavailable when there is none to be asked.
   */
  async broadcast(
    method: string,
    params: readonly unknown[],
    accepts: (outcome: BroadcastOutcome) => boolean,
  ): Promise<readonly BroadcastOutcome[]> {
    await this.#refresh();
    const believed = this.#order(0);
    if (believed.length === 0) throw this.#unavailable(`${method}: no RPC`);
    return new Promise((resolve) => {
      const outcomes: BroadcastOutcome[] = [];
      for (const { endpoint } of believed) {
        const told = (outcome: BroadcastOutcome): void => {
          outcomes.push(outcome);
          if (outcomes.length === believed.length || accepts(outcome)) resolve([...outcomes]);
        };
        endpoint.request(method, params).then(
          (result) => told({ name: endpoint.name, result, error: undefined }),
          (error: unknown) => told({ name: endpoint.name, result: undefined, error }),
        );
      }
    });
  }

  /** How each RPC stands, in the order of their addresses. */
  report(): readonly RpcReport[] {
    const nowMs = this.#options.nowMs();
    const distrust = this.#distrust();
    return this.#standings.map(({ endpoint, score, head }, i) => ({
      name: endpoint.name,
      score,
      headNumber: head?.number,
      headAgeMs: head === undefined ? undefined : nowMs - head.timestampMs,
      distrust: distrust[i],
    }));
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all(this.#standings.map(({ endpoint }) => endpoint.close()));
  }

  /** Asks as many RPCs at a time as are still wanting, until `quorum` have given the same answer or nobody is left. */
  #agree(method: string, params: readonly unknown[], quorum: number, { atBlock = 0, refuse }: AskOptions): Promise<unknown> {
    const waiting = this.#order(atBlock);
    const votes = new Map<string, number>();
    let asked = 0;
    let failure: RpcFailure | undefined;
    return new Promise((resolve, reject) => {
      const askOne = (): void => {
        const standing = waiting.shift();
        if (standing === undefined) {
          if (asked > 0) return;
          const ofNode = quorum === 1 && votes.size === 0 && failure?.why === "refused" ? failure : undefined;
          reject(ofNode ?? this.#unavailable(`${method}: ${votes.size === 0 ? "no answer" : `no ${quorum} answers are the same`}`));
          return;
        }
        asked += 1;
        void this.#askOf(standing, method, params, refuse).then((outcome) => {
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

  async #askOf(standing: RpcStanding, method: string, params: readonly unknown[], refuse: AskOptions["refuse"]) {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      const result = await standing.endpoint.request(method, params);
      const why = refuse?.(result);
      if (why !== undefined) throw new RpcFailure("malformed", why);
      standing.answered(clock.monotonicMs() - startMs);
      return { key: JSON.stringify(result).toLowerCase(), settle: (resolve: (result: unknown) => void) => resolve(result) };
    } catch (error) {
      if (error instanceof CallReverted) {
        standing.answered(clock.monotonicMs() - startMs);
        // The words of an error are the node's own; what it means is the chain's.
        const key = `${error.revert.kind} ${error.revert.kind === "out-of-gas" ? "" : error.revert.text}`;
        return { key, settle: (_: unknown, reject: (error: unknown) => void) => reject(error) };
      }
      const failure = error instanceof RpcFailure ? error : new RpcFailure("malformed", String(error));
      standing.failed(failure.message, clock.monotonicMs());
      return failure;
    }
  }

  /** The believed RPCs: those that have the block first, those that failed last at the end, the best score before the others. */
  #order(atBlock: number): RpcStanding[] {
    const nowMs = this.#options.clock.monotonicMs();
    const rank = (standing: RpcStanding): number => (standing.isPaused(nowMs) ? 2 : 0) + ((standing.head?.number ?? -1) < atBlock ? 1 : 0);
    return this.#believed().sort((a, b) => rank(a) - rank(b) || b.score - a.score);
  }

  #believed(): RpcStanding[] {
    const distrust = this.#distrust();
    return this.#standings.filter((_, i) => distrust[i] === undefined);
  }

  /** Why each RPC is not believed at this moment; undefined where it is. */
  #distrust(): readonly (string | undefined)[] {
    const { nowMs, maxHeadAgeMs, maxLagBlocks, quorum } = this.#options;
    const heads = this.#standings.map(({ head, isOfChain }) => (isOfChain ? head : undefined));
    const judged = judgeHeads(heads, { nowMs: nowMs(), maxHeadAgeMs, maxLagBlocks, quorum });
    return this.#standings.map(({ isOfChain, lastFailure }, i) => (isOfChain ? judged[i] : (lastFailure ?? "has not been asked yet")));
  }

  #unavailable(summary: string): ChainUnavailable {
    const distrust = this.#distrust();
    const each = this.#standings.map(({ endpoint, lastFailure }, i) => `${endpoint.name}: ${distrust[i] ?? lastFailure ?? "believed"}`);
    return new ChainUnavailable(`${summary} (${each.join("; ")})`);
  }

  #refresh(): Promise<void> {
    const { clock, headRefreshMs } = this.#options;
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (clock.monotonicMs() - this.#refreshedAtMs < headRefreshMs && this.#believed().length >= this.#options.quorum)
      return Promise.resolve();
    this.#refreshing = this.#readHeads().finally(() => {
      this.#refreshedAtMs = clock.monotonicMs();
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Reads the head of every RPC that is not paused; of every one, where that leaves too few. Those that failed last, and those that
   * take long after enough have come, go on without being waited for.
   */
  async #readHeads(): Promise<void> {
    const { clock, quorum } = this.#options;
    const nowMs = clock.monotonicMs();
    const ready = this.#standings.filter((standing) => !standing.isPaused(nowMs));
    const asked = ready.length >= quorum ? ready : this.#standings;
    const probes = asked.map((standing) => this.#readHead(standing));
    const all = Promise.all(probes);
    await Promise.race([all, this.#graceAfter(probes, quorum)]);
    if (this.#believed().length < quorum) await all;
    // An RPC on its pause may be the one that still stands.
    const others = this.#standings.filter((standing) => !asked.includes(standing));
    if (this.#believed().length < quorum) await Promise.all(others.map((standing) => this.#readHead(standing)));
  }

  /** Settles a grace after so many probes have. */
  #graceAfter(probes: readonly Promise<void>[], count: number): Promise<void> {
    return new Promise((resolve) => {
      let settled = 0;
      for (const probe of probes) {
        void probe.then(() => {
          settled += 1;
          if (settled === count) this.#options.clock.setTimer(GRACE_MS, resolve);
        });
      }
    });
  }

  /** Never rejects: what went wrong is on the standing. */
  async #readHead(standing: RpcStanding): Promise<void> {
    const { chainId } = this.#options;
    if (!standing.isOfChain) {
      const refuse = (id: unknown) =>
        quantity(id) === chainId ? undefined : `is of chain ${quantity(id) ?? "unknown"}, expected ${chainId}`;
      standing.isOfChain = !((await this.#askOf(standing, "eth_chainId", [], refuse)) instanceof RpcFailure);
      if (!standing.isOfChain) return;
    }
    const askedAtMs = this.#options.clock.monotonicMs();
    let head: Head | undefined;
    const refuse = (block: unknown) => {
      head = headOf(block);
      return head === undefined ? "its head is no block" : undefined;
    };
    const outcome = await this.#askOf(standing, "eth_getBlockByNumber", ["latest", false], refuse);
    if (!(outcome instanceof RpcFailure) && head !== undefined) standing.told(head, askedAtMs);
  }
}

function nameOf(urls: readonly (string | InProcessRpc)[], at: number): string {
  const hosts = urls.map((url) => (typeof url !== "string" ? url.name : URL.canParse(url) ? new URL(url).host : "rpc"));
  const host = hosts[at] ?? "rpc";
  return hosts.filter((other) => other === host).length === 1 ? host : `${host}#${at + 1}`;
}

/** A number as JSON-RPC writes it; undefined when it is none, or beyond 2^53. */
function quantity(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,16}$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

function headOf(block: unknown): Head | undefined {
  if (typeof block !== "object" || block === null) return undefined;
  const { number, hash, timestamp } = block as { readonly number?: unknown; readonly hash?: unknown; readonly timestamp?: unknown };
  const [height, seconds] = [quantity(number), quantity(timestamp)];
  if (height === undefined || seconds === undefined || typeof hash !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(hash)) return undefined;
  return { number: height, hash, timestampMs: seconds * 1000 };
}
