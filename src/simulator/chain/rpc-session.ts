import type { Hex } from "../../core/units.js";
import type { CallBudget } from "./call-budget.js";
import type { RpcError, RpcOutcome } from "./edr-evm.js";
import type { EmbeddedChain } from "./embedded-chain.js";
import type { RpcFilters } from "./rpc-filters.js";
import { admit, COSTLY, type RpcPolicy } from "./rpc-policy.js";

const MOST_IN_A_BATCH = 100;
const MOST_SUBSCRIPTIONS = 32;
/** Of the answers to one batch together. */
const MOST_BATCH_CHARACTERS = 32 * 1024 * 1024;

/** What the sessions of one port share. */
export interface RpcPort {
  readonly chain: EmbeddedChain;
  readonly policy: RpcPolicy;
  readonly filters: RpcFilters;
  readonly budget: CallBudget;
}

/** One client of the port: texts of JSON-RPC 2.0 in, texts out. It answers whatever comes. */
export class RpcSession {
  readonly #port: RpcPort;
  readonly #subscriptions = new Set<Hex>();
  /** Subscriptions that want a whole transaction where the EVM gives its hash. */
  readonly #whole = new Set<Hex>();
  readonly #notify: ((text: string) => void) | null;
  readonly #unlisten: () => void;

  /** @param notify takes what subscriptions say; null for a client that can only be answered. */
  constructor(port: RpcPort, notify: ((text: string) => void) | null) {
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

  /** @returns the answer to a request or a batch; null when nothing wants one, as notifications do not. */
  async answer(text: string): Promise<string | null> {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return errorText(-32700, "not JSON");
    }
    if (!Array.isArray(body)) {
      const answer = await this.#answerOne(body);
      return answer === null ? null : JSON.stringify(answer);
    }
    if (body.length === 0 || body.length > MOST_IN_A_BATCH) return errorText(-32600, `a batch has 1 to ${MOST_IN_A_BATCH} requests`);
    const answers: string[] = [];
    let characters = 0;
    for (const request of body) {
      const answer = characters > MOST_BATCH_CHARACTERS ? tooLong(request) : await this.#answerOne(request);
      if (answer === null) continue;
      const text = JSON.stringify(answer);
      characters += text.length;
      answers.push(text);
    }
    return answers.length === 0 ? null : `[${answers.join(",")}]`;
  }

  /** Ends its subscriptions. */
  async close(): Promise<void> {
    this.#unlisten();
    for (const subscription of [...this.#subscriptions]) await this.#unsubscribe(subscription);
  }

  async #answerOne(request: unknown): Promise<object | null> {
    if (typeof request !== "object" || request === null || Array.isArray(request)) return errorAnswer(-32600, "not a request");
    const { jsonrpc, id, method, params = [] } = request as Record<string, unknown>;
    const isId = id === undefined || id === null || typeof id === "string" || typeof id === "number";
    if (!isId || jsonrpc !== "2.0" || typeof method !== "string") return errorAnswer(-32600, "not a request of JSON-RPC 2.0");
    const outcome: RpcOutcome = Array.isArray(params)
      ? await this.#outcome(method, params)
      : { error: { code: -32602, message: "params: expected a list" } };
    return id === undefined ? null : { jsonrpc: "2.0", id, ...outcome };
  }

  async #outcome(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    const { chain, policy, filters, budget } = this.#port;
    const admission = admit(method, params, policy, chain.head.number);
    if ("refused" in admission) return { error: admission.refused };
    try {
      if (admission.method === "eth_subscribe") return await this.#subscribe(admission.params);
      if (admission.method === "eth_unsubscribe") return { result: await this.#unsubscribe(admission.params[0]) };
      const carryOut = () => filters.handle(admission.method, admission.params);
      return await (COSTLY.has(admission.method) ? budget.run(carryOut) : carryOut());
    } catch (error) {
      return { error: internal(error) };
    }
  }

  async #subscribe(params: readonly unknown[]): Promise<RpcOutcome> {
    if (this.#notify === null) return { error: { code: -32601, message: "subscriptions need a websocket" } };
    if (this.#subscriptions.size >= MOST_SUBSCRIPTIONS) {
      return { error: { code: -32005, message: `at most ${MOST_SUBSCRIPTIONS} subscriptions` } };
    }
    const [kind, options] = params;
    const isOfTransactions = kind === "newPendingTransactions" && (options === undefined || typeof options === "boolean");
    const outcome = await this.#port.chain.handle("eth_subscribe", isOfTransactions ? [kind] : params);
    if ("error" in outcome) return outcome;
    const subscription = outcome.result as Hex;
    this.#subscriptions.add(subscription);
    if (isOfTransactions && options === true) this.#whole.add(subscription);
    return outcome;
  }

  /** The chain carries out one request after the other, so transactions keep their order. */
  async #notifyWhole(subscription: Hex, hash: unknown): Promise<void> {
    // A chain that has stopped has nothing to say any more.
    const outcome = await this.#port.chain.handle("eth_getTransactionByHash", [hash]).catch(() => null);
    if (outcome === null || !("result" in outcome) || outcome.result === null || !this.#subscriptions.has(subscription)) return;
    this.#notify?.(noticeText(subscription, outcome.result));
  }

  /** Nobody else's: the EVM numbers them for all together. */
  async #unsubscribe(subscription: unknown): Promise<boolean> {
    if (!this.#subscriptions.delete(subscription as Hex)) return false;
    this.#whole.delete(subscription as Hex);
    const outcome = await this.#port.chain.handle("eth_unsubscribe", [subscription]);
    return "result" in outcome && outcome.result === true;
  }
}

function noticeText(subscription: Hex, result: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription, result } });
}

/** A text that says what was wrong with something that had no id. */
export function errorText(code: number, message: string): string {
  return JSON.stringify(errorAnswer(code, message));
}

function errorAnswer(code: number, message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}

/** What the batch's other answers left no room for. */
function tooLong(request: unknown): object | null {
  const id = typeof request === "object" && request !== null && "id" in request ? request.id : undefined;
  const message = `limit exceeded: the answers to a batch are longer than ${MOST_BATCH_CHARACTERS} characters`;
  return id === undefined ? null : { jsonrpc: "2.0", id, error: { code: -32005, message } };
}

function internal(error: unknown): RpcError {
  return { code: -32603, message: error instanceof Error ? error.message : String(error) };
}
