import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { Clock } from "#core/runtime.js";
import type { Evm } from "../contracts/evm.js";

/** Current faults of an RPC. */
export interface Faults {
  /** Every answer comes so much later, by the clock that it was started with. */
  delayMs?: number;
  /** It takes questions and answers none. */
  isSilent?: boolean;
  /** Connections are cut before anything is answered. */
  isDead?: boolean;
  /** It knows nothing of the last so many blocks. */
  lagBlocks?: number;
  /** A call gets no more gas than this, whatever it asks for. */
  gasCap?: number;
  /** It answers with this status and no JSON. */
  httpStatus?: number;
  /** It answers with this text. */
  text?: string;
  /** It changes the result of a method. */
  tamper?: (method: string, result: unknown) => unknown;
  /** It rejects a method with its own message. */
  refuse?: (method: string) => { code: number; message: string } | undefined;
}

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A real chain behind HTTP on a port of its own, with faults that a test switches on. */
export class FaultyRpc {
  faults: Faults = {};
  /** Methods in the order of the requests. */
  readonly asked: Request[] = [];
  readonly url: string;
  readonly #server: Server;
  readonly #evm: Evm;
  readonly #clock: Clock;

  private constructor(server: Server, evm: Evm, clock: Clock) {
    this.#server = server;
    this.#evm = evm;
    this.#clock = clock;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/secret-of-the-provider`;
  }

  static async start(evm: Evm, clock: Clock = createLiveRuntime().clock): Promise<FaultyRpc> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const rpc = new FaultyRpc(server, evm, clock);
    server.on("request", (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      request.on("end", () => {
        void rpc.#answer(JSON.parse(body) as Request).then((answer) => {
          if (answer === undefined) response.destroy();
          else
            response
              .writeHead(rpc.faults.httpStatus ?? 200, { "content-type": "application/json" })
              .end(answer);
        });
      });
    });
    return rpc;
  }

  /** Resolves when a method has been requested since the last {@link take}. */
  async heard(method: string): Promise<void> {
    while (!this.asked.some((request) => request.method === method))
      await new Promise((resolve) => setImmediate(resolve));
  }

  /** Returns the number of requests of a method since the last call. */
  take(method: string): number {
    const count = this.asked.filter((request) => request.method === method).length;
    this.asked.length = 0;
    return count;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: Request): Promise<string | undefined> {
    this.asked.push(request);
    const { delayMs, isSilent, isDead, httpStatus, text, tamper, refuse } = this.faults;
    if (isSilent === true) return new Promise(() => {});
    if (delayMs !== undefined)
      await new Promise<void>((resolve) => this.#clock.setTimer(delayMs, resolve));
    if (isDead === true) return undefined;
    if (text !== undefined || httpStatus !== undefined) return text ?? "<html>busy</html>";
    const { id, method } = request;
    const error = refuse?.(method);
    if (error !== undefined) return JSON.stringify({ jsonrpc: "2.0", id, error });
    const answer = await this.#evm.answer(
      JSON.stringify(await this.#lagging(this.#capped(request))),
    );
    const result =
      tamper === undefined || !("result" in answer)
        ? {}
        : { result: tamper(method, answer.result) };
    return JSON.stringify({ ...answer, ...result, id });
  }

  #capped(request: Request): Request {
    const { gasCap } = this.faults;
    const [call, block] = request.params as readonly [{ readonly gas: string }, unknown];
    if (gasCap === undefined || request.method !== "eth_call" || Number(call.gas) <= gasCap)
      return request;
    return { ...request, params: [{ ...call, gas: `0x${gasCap.toString(16)}` }, block] };
  }

  /** The same question as a node asks it that is behind. */
  async #lagging(request: Request): Promise<unknown> {
    const { lagBlocks = 0 } = this.faults;
    if (lagBlocks === 0) return request;
    const behind = Number(await this.#evm.rpc("eth_blockNumber")) - lagBlocks;
    const params = request.params.map((param) =>
      param === "latest" ? `0x${behind.toString(16)}` : param,
    );
    const [, block] = request.params;
    const isAhead = request.method === "eth_call" && Number(block) > behind;
    return { ...request, method: isAhead ? "no_such_block" : request.method, params };
  }
}
