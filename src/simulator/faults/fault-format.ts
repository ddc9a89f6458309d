import type { ApiRequest } from "../rest/parameters.js";

/** A request as faults select it. */
export interface FaultableRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The address of the account that sends it, if it names one. Called only where it matters. */
  account(): string | undefined;
  /** The body with which this interface refuses a request for its rate. */
  refusalBody(status: 429 | 418): string;
}

/** How an interface writes the frames of one connection. */
export interface FaultableStream {
  /** The address of the account whose events these are; undefined for public streams. */
  readonly account: string | undefined;
  /** The stream of a frame; undefined for an answer to a request. */
  streamOf(text: string): string | undefined;
  /** True for a book's snapshot. */
  isSnapshot(text: string): boolean;
  /** True for a ping or pong in text, which no fault strikes. */
  isHeartbeat(text: string): boolean;
}

/** How an interface writes the requests and streams that faults select and refuse. */
export interface FaultFormat {
  toRequest(request: ApiRequest): FaultableRequest;
  /** @param pathWithQuery the address of the connection. */
  toStream(pathWithQuery: string): FaultableStream;
}
