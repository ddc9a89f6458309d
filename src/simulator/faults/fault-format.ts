import type { ApiResponse } from "../rest/api-error.js";
import type { ApiRequest } from "../rest/parameters.js";
import type { FaultInterface } from "./fault-shape.js";

/** The stream of an account, as faults name it. */
export const ACCOUNT_STREAM = "account";

/** A request as faults select it. */
export interface FaultableRequest {
  readonly interface: FaultInterface;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The address of the account that sends it, if it names one. Called only where it matters. */
  account(): string | undefined;
  /**
   * The response with which this interface refuses a request for its rate.
   * @param retryAfterSeconds of the header; without it when left out.
   */
  refuse(status: 429 | 418, retryAfterSeconds: number | undefined): ApiResponse;
  /** The response to a failure, of this interface or of a gateway before it. */
  fail(status: number): ApiResponse;
}

/** A frame as faults select it. */
export interface FaultableFrame {
  /** Its stream; undefined for an answer to a request. */
  readonly stream: string | undefined;
  /** The address of the account whose event it is; undefined for public streams. */
  readonly account: string | undefined;
}

/** How an interface opens one connection, and writes its frames. */
export interface FaultableStream {
  readonly interface: FaultInterface;
  /** The address of the account whose stream the connection's own address names, if any. */
  readonly account: string | undefined;
  /** @param name the stream of the frame, where the interface passes it to the sink. */
  toFrame(text: string, name: string | undefined): FaultableFrame;
  /** True for a book's snapshot. */
  isSnapshot(text: string): boolean;
  /** True for a ping or pong in text, which no fault strikes. */
  isHeartbeat(text: string): boolean;
  /** The response to a handshake that fails. */
  fail(status: number): ApiResponse;
}

/** How an interface writes the requests and streams that faults select and refuse. */
export interface FaultFormat {
  toRequest(request: ApiRequest): FaultableRequest;
  /** @param pathWithQuery the address of the connection. */
  toStream(pathWithQuery: string): FaultableStream;
}
