import type { Hex } from "../../../core/units.js";
import type { EmbeddedChain } from "../embedded-chain.js";
import type { RpcError, RpcOutcome } from "../rpc-outcome.js";
import type { CallBudget } from "./call-budget.js";
import type { RpcFilters } from "./rpc-filters.js";
import { RPC_METHODS } from "./rpc-methods.js";
import { admit, type RpcPolicy } from "./rpc-policy.js";

const MOST_IN_A_BATCH = 100;
const MOST_SUBSCRIPTIONS = 32;
/**
 * The maximum size of a batch response, as go-ethereum's default (`--rpc.batch-response-max-size`).
 */
const MOST_BATCH_BYTES = 25_000_000;
/**
 * A response of up to this size is always sent, however large the batch: a client must learn the
 * hash of its transaction.
 */
const ALWAYS_TOLD_BYTES = 1000;

/** State that the sessions of one port share. */
export interface RpcSessionDeps {
  readonly chain: EmbeddedChain;
  readonly policy: RpcPolicy;
  readonly filters: RpcFilters;
  readonly budget: CallBudget;
}

/** One client of the port: JSON-RPC 2.0 texts in and out. It answers any input. */
export class RpcSession {
  readonly #port: RpcSessionDeps;
  readonly #subscriptions = new Set<Hex>();
  /** Subscriptions that want whole transactions where the EVM sends hashes. */
  readonly #whole = new Set<Hex>();
  readonly #notify: ((text: string) => void) | null;
  readonly #unlisten: () => void;

  /** @param notify receives subscription notifications; null for a client without a stream. */
  constructor(port: RpcSessionDeps, notify: ((text: string) => void) | null) {
    this.#port = port;
    this.#notify = notify;
    this.#unlisten =
      notify === null
        ? () => {}
        : port.chain.listen((subscription, result) => {
            if (!this.#subscriptions.has(subscription)) return;
            if (this.#whole.has(subscription)) void this.#notifyWhole(subscription, result);
            else notify(noticeText(subscription, result));
          });
  }

  /** @returns the response to a request or a batch; null if there is none, as for notifications. */
  async answer(text: string): Promise<string | null> {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return rpcErrorText(-32700, "not JSON");
    }
    if (!Array.isArray(body)) return this.#answerText(body);
    if (body.length === 0 || body.length > MOST_IN_A_BATCH)
      return rpcErrorText(-32600, `a batch has 1 to ${MOST_IN_A_BATCH} requests`);
    return this.#answerBatch(body);
  }

  /**
   * Runs the requests one after the other. Above the size limit the rest is refused without being
   * run.
   */
  async #answerBatch(requests: readonly unknown[]): Promise<string | null> {
    const answers: string[] = [];
    let bytes = 0;
    for (const request of requests) {
      const isFull = bytes > MOST_BATCH_BYTES;
      const text = isFull ? tooLarge(request) : await this.#answerText(request);
      if (text === null) continue;
      const length = Buffer.byteLength(text);
      bytes += length;
      answers.push(
        !isFull && bytes > MOST_BATCH_BYTES && length > ALWAYS_TOLD_BYTES
          ? (tooLarge(request) ?? text)
          : text,
      );
    }
    return answers.length === 0 ? null : `[${answers.join(",")}]`;
  }

  async #answerText(request: unknown): Promise<string | null> {
    const answer = await this.#answerOne(request);
    if (answer === null) return null;
    try {
      return JSON.stringify(answer);
    } catch (error) {
      // Longer than the longest string of this process.
      if (error instanceof RangeError) return tooLarge(request);
      throw error;
    }
  }

  /** Ends its subscriptions. */
  async close(): Promise<void> {
    this.#unlisten();
    for (const subscription of [...this.#subscriptions]) await this.#unsubscribe(subscription);
  }

  async #answerOne(request: unknown): Promise<object | null> {
    if (typeof request !== "object" || request === null || Array.isArray(request))
      return errorAnswer(-32600, "not a request");
    const { jsonrpc, id, method, params } = request as Record<string, unknown>;
    const isId =
      id === undefined || id === null || typeof id === "string" || typeof id === "number";
    if (!isId || jsonrpc !== "2.0" || typeof method !== "string")
      return errorAnswer(-32600, "not a JSON-RPC 2.0 request");
    const given = params ?? [];
    const outcome: RpcOutcome = Array.isArray(given)
      ? await this.#outcome(method, given)
      : { error: { code: -32602, message: "non-array args" } };
    return id === undefined ? null : { jsonrpc: "2.0", id, ...outcome };
  }

  async #outcome(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    const { chain, policy, filters, budget } = this.#port;
    const admission = admit(method, params, policy, chain.head.number);
    if ("refused" in admission) return { error: admission.refused };
    try {
      if (admission.method === "eth_subscribe") return await this.#subscribe(admission.params);
      if (admission.method === "eth_unsubscribe")
        return { result: await this.#unsubscribe(admission.params[0]) };
      const carryOut = () => filters.handle(admission.method, admission.params);
      return await (RPC_METHODS.get(admission.method)?.isCostly === true
        ? budget.run(carryOut)
        : carryOut());
    } catch (error) {
      return { error: internal(error) };
    }
  }

  async #subscribe(params: readonly unknown[]): Promise<RpcOutcome> {
    if (this.#notify === null)
      return { error: { code: -32601, message: "subscriptions need a websocket" } };
    if (this.#subscriptions.size >= MOST_SUBSCRIPTIONS) {
      return { error: { code: -32005, message: `at most ${MOST_SUBSCRIPTIONS} subscriptions` } };
    }
    const [kind, options] = params;
    const isOfTransactions = kind === "newPendingTransactions";
    const outcome = await this.#port.chain.handle(
      "eth_subscribe",
      isOfTransactions ? [kind] : params,
    );
    if ("error" in outcome) return outcome;
    const subscription = outcome.result as Hex;
    this.#subscriptions.add(subscription);
    if (isOfTransactions && options === true) this.#whole.add(subscription);
    return outcome;
  }

  /** The chain carries out one request after the other, so transactions keep their order. */
  async #notifyWhole(subscription: Hex, hash: unknown): Promise<void> {
    // A stopped chain has no transaction to send.
    const outcome = await this.#port.chain
      .handle("eth_getTransactionByHash", [hash])
      .catch(() => null);
    if (
      outcome === null ||
      !("result" in outcome) ||
      outcome.result === null ||
      !this.#subscriptions.has(subscription)
    )
      return;
    this.#notify?.(noticeText(subscription, outcome.result));
  }

  /** Ends only this session's subscriptions; the EVM numbers those of all sessions together. */
  async #unsubscribe(subscription: unknown): Promise<boolean> {
    if (!this.#subscriptions.delete(subscription as Hex)) return false;
    this.#whole.delete(subscription as Hex);
    const outcome = await this.#port.chain.handle("eth_unsubscribe", [subscription]);
    return "result" in outcome && outcome.result === true;
  }
}

function noticeText(subscription: Hex, result: unknown): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    method: "eth_subscription",
    params: { subscription, result },
  });
}

/** The text of an error without a request id. */
export function rpcErrorText(code: number, message: string): string {
  return JSON.stringify(errorAnswer(code, message));
}

function errorAnswer(code: number, message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}

/** The error for a response that exceeds the limit; null for a notification. */
function tooLarge(request: unknown): string | null {
  const id =
    typeof request === "object" && request !== null && "id" in request ? request.id : undefined;
  return id === undefined
    ? null
    : JSON.stringify({
        jsonrpc: "2.0",
        id,
        error: { code: -32003, message: "response too large" },
      });
}

function internal(error: unknown): RpcError {
  return { code: -32603, message: error instanceof Error ? error.message : String(error) };
}
