import { FormatError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { HttpTransport } from "./http-transport.js";
import { InProcessTransport } from "./in-process-transport.js";
import { RpcEndpoint } from "./rpc-endpoint.js";
import { CallReverted, ChainUnavailable, RpcFailure } from "./rpc-errors.js";
import { findDistrustedHeads, type Head, RpcHealth } from "./rpc-health.js";
import type { InProcessRpc } from "./rpc-transport.js";
import { parseBytes, parseNumber, parseObject } from "./rpc-values.js";

/** The RPCs of one chain, and the rules for trusting them. */
export interface RpcPoolOptions {
  readonly urls: readonly (string | InProcessRpc)[];
  readonly chainId: number;
  readonly clock: Clock;
  /** Wall-clock time to compare block timestamps with. */
  readonly nowMs: () => Ms;
  readonly requestTimeoutMs: Ms;
  readonly maxHeadAgeMs: Ms;
  readonly maxLagBlocks: number;
  readonly quorum: number;
  readonly headRefreshMs: Ms;
}

/** Health of one RPC. */
export interface RpcReport {
  readonly name: string;
  /** 1 if it always responds at once, towards 0 as it fails or slows down. */
  readonly score: number;
  readonly headNumber: number | undefined;
  /** By the clock that heads are checked against. */
  readonly headAgeMs: Ms | undefined;
  /** Reason why it is not used; undefined when it is. */
  readonly distrustReason: string | undefined;
}

/** Parses one RPC's result. If it throws, the result is invalid, and the next RPC is tried. */
export type ResultReader<Value> = (result: unknown) => Value;

/** An RPC's response, a revert included. */
export interface RpcVote<Value> {
  readonly key: string;
  readonly settle: (resolve: (value: Value) => void, reject: (error: unknown) => void) => void;
}

/** Longest wait for the other heads after the first. */
const GRACE_MS = 150;

/**
 * The RPCs of a chain with their health and trust. A request reads the heads if the last ones are
 * old.
 */
export class RpcPool {
  readonly #healths: readonly RpcHealth[];
  readonly #options: RpcPoolOptions;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  /** @throws ConfigError when an address is not valid. */
  constructor(options: RpcPoolOptions) {
    const { urls, clock, requestTimeoutMs } = options;
    this.#options = options;
    this.#healths = urls.map((url, i) => {
      const name = nameOf(urls, i);
      const transport =
        typeof url === "string"
          ? new HttpTransport({ url, name, clock, timeoutMs: requestTimeoutMs })
          : new InProcessTransport(url, clock, requestTimeoutMs);
      return new RpcHealth(new RpcEndpoint(name, transport));
    });
  }

  /** Returns the health of each RPC, in the order of their addresses. */
  report(): readonly RpcReport[] {
    const nowMs = this.#options.nowMs();
    const reasons = this.#distrustReasons();
    return this.#healths.map(({ endpoint, score, head }, i) => ({
      name: endpoint.name,
      score,
      headNumber: head?.number,
      headAgeMs: head === undefined ? undefined : nowMs - head.timestampMs,
      distrustReason: reasons[i],
    }));
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all(this.#healths.map(({ endpoint }) => endpoint.close()));
  }

  /**
   * Sends one request to one RPC, and updates its health. Outcomes with the same meaning have the
   * same key. Never rejects.
   */
  async requestFrom<Value>(
    health: RpcHealth,
    method: string,
    params: readonly unknown[],
    read: ResultReader<Value>,
  ): Promise<RpcVote<Value> | RpcFailure> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      const result = await health.endpoint.request(method, params);
      const value = read(result);
      // Serialised before it counts as a response: one that is nested too deeply cannot be.
      const key = JSON.stringify(result).toLowerCase();
      health.recordSuccess(clock.monotonicMs() - startMs);
      return { key, settle: (resolve) => resolve(value) };
    } catch (error) {
      if (error instanceof CallReverted) {
        health.recordSuccess(clock.monotonicMs() - startMs);
        // The text of an error is the node's own; its meaning is the chain's.
        const key = `${error.revert.kind} ${error.revert.kind === "out-of-gas" ? "" : error.revert.text}`;
        return { key, settle: (_, reject) => reject(error) };
      }
      const failure =
        error instanceof RpcFailure
          ? error
          : new RpcFailure("malformed", error instanceof Error ? error.message : String(error));
      health.recordFailure(failure.message, clock.monotonicMs());
      return failure;
    }
  }

  /**
   * The trusted RPCs: those that have the block first, those that failed last at the end, then by
   * score.
   */
  rankFor(atBlock: number): RpcHealth[] {
    const nowMs = this.#options.clock.monotonicMs();
    const rank = (health: RpcHealth): number =>
      (health.isPaused(nowMs) ? 2 : 0) + ((health.head?.number ?? -1) < atBlock ? 1 : 0);
    return this.trusted.sort((a, b) => rank(a) - rank(b) || b.score - a.score);
  }

  get trusted(): RpcHealth[] {
    const distrust = this.#distrustReasons();
    return this.#healths.filter((_, i) => distrust[i] === undefined);
  }

  /** The reason why each RPC is not trusted now; undefined if it is. */
  #distrustReasons(): readonly (string | undefined)[] {
    const { nowMs, maxHeadAgeMs, maxLagBlocks, quorum } = this.#options;
    const heads = this.#healths.map(({ head, isChainConfirmed }) =>
      isChainConfirmed ? head : undefined,
    );
    const judged = findDistrustedHeads(heads, {
      nowMs: nowMs(),
      maxHeadAgeMs,
      maxLagBlocks,
      quorum,
    });
    return this.#healths.map(({ isChainConfirmed, lastFailure }, i) =>
      isChainConfirmed ? judged[i] : (lastFailure ?? "has not been queried yet"),
    );
  }

  /** The error for an unavailable chain, with the reason for each RPC. */
  unavailableError(summary: string): ChainUnavailable {
    const distrust = this.#distrustReasons();
    const each = this.#healths.map(
      ({ endpoint, lastFailure }, i) =>
        `${endpoint.name}: ${distrust[i] ?? lastFailure ?? "believed"}`,
    );
    return new ChainUnavailable(`${summary} (${each.join("; ")})`);
  }

  /** Reads the heads, unless they were read recently. */
  refresh(maxAgeMs: Ms = this.#options.headRefreshMs): Promise<void> {
    const { clock } = this.#options;
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (
      clock.monotonicMs() - this.#refreshedAtMs < maxAgeMs &&
      this.trusted.length >= this.#options.quorum
    )
      return Promise.resolve();
    this.#refreshing = this.#readHeads().finally(() => {
      this.#refreshedAtMs = clock.monotonicMs();
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Reads the head of every RPC that is not paused, or of every one if that leaves too few. It does
   * not wait for those that failed last, or for slow ones after enough have responded.
   */
  async #readHeads(): Promise<void> {
    const { clock, quorum } = this.#options;
    const nowMs = clock.monotonicMs();
    const ready = this.#healths.filter((health) => !health.isPaused(nowMs));
    const queried = ready.length >= quorum ? ready : this.#healths;
    const probes = queried.map((health) => this.#readHead(health));
    const all = Promise.all(probes);
    await Promise.race([all, this.#graceAfter(probes, quorum)]);
    if (this.trusted.length < quorum) await all;
    // A paused RPC may be the only one that still works.
    const others = this.#healths.filter((health) => !queried.includes(health));
    if (this.trusted.length < quorum)
      await Promise.all(others.map((health) => this.#readHead(health)));
  }

  /** Settles after enough probes have, plus a grace period. */
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

  /** Never rejects: a failure is recorded in the health. */
  async #readHead(health: RpcHealth): Promise<void> {
    const { chainId } = this.#options;
    if (!health.isChainConfirmed) {
      const read = (id: unknown): void => {
        const reported = parseNumber(id, "eth_chainId");
        if (reported !== chainId)
          throw new FormatError(`is on chain ${reported}`, { expected: String(chainId) });
      };
      health.isChainConfirmed = !(
        (await this.requestFrom(health, "eth_chainId", [], read)) instanceof RpcFailure
      );
      if (!health.isChainConfirmed) return;
    }
    const requestedAtMs = this.#options.clock.monotonicMs();
    const outcome = await this.requestFrom(
      health,
      "eth_getBlockByNumber",
      ["latest", false],
      headOf,
    );
    if (outcome instanceof RpcFailure) return;
    outcome.settle(
      (head) => health.recordHead(head, requestedAtMs),
      () => {},
    );
  }
}

function nameOf(urls: readonly (string | InProcessRpc)[], at: number): string {
  const hosts = urls.map((url) =>
    typeof url !== "string" ? url.name : URL.canParse(url) ? new URL(url).host : "rpc",
  );
  const host = hosts[at] ?? "rpc";
  return hosts.filter((other) => other === host).length === 1 ? host : `${host}#${at + 1}`;
}

/** @throws FormatError when the response is not a block. */
function headOf(block: unknown): Head {
  const { number, hash, timestamp } = parseObject(block, "head");
  return {
    number: parseNumber(number, "head.number"),
    hash: parseBytes(hash, "head.hash", 32),
    timestampMs: parseNumber(timestamp, "head.timestamp") * 1000,
  };
}
