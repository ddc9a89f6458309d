/** The parts of an exchange's client in ccxt that the project uses. */
export interface CcxtExchange {
  readonly markets: Readonly<Record<string, unknown>> | undefined;
  /** The open websockets, by address. */
  readonly clients: Record<string, CcxtClient> | undefined;
  /** Newest values, by symbol. */
  readonly bidsasks: Readonly<Record<string, CcxtTouch>> | undefined;
  readonly tickers: Readonly<Record<string, CcxtTouch>>;
  readonly trades: Readonly<Record<string, readonly CcxtTrade[]>>;
  readonly has: Record<string, unknown>;
  readonly urls: { api: unknown };
  /** Prints to stdout by default. */
  log: (...values: readonly unknown[]) => void;
  loadMarkets(): Promise<unknown>;
  /** Prepares websockets without TLS, as of a server on this machine. */
  loadHttpProxyAgent(): Promise<unknown>;
  setMarkets(markets: readonly unknown[]): unknown;
  /** The timestamp of the next signed request. */
  nonce(): number;
  /** Address, headers and body of a request, signed if its group of addresses needs it. */
  sign(
    path: string,
    api: string,
    method: string,
    params: Readonly<Record<string, string | number>>,
  ): CcxtRequest;
  watchBidsAsks(symbols: readonly string[]): Promise<unknown>;
  watchOrderBook(symbol: string): Promise<CcxtBook>;
  watchTrades(symbol: string): Promise<unknown>;
  /** The websocket of an address, created if there is none. */
  client(url: string): CcxtClient;
  handleMessage(client: CcxtClient, message: unknown): void;
  onConnected(client: CcxtClient, message?: unknown): void;
  onError(client: CcxtClient, error: unknown): void;
  onClose(client: CcxtClient, event: unknown): void;
}

/** A request that ccxt has prepared. */
export interface CcxtRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** One websocket of ccxt. */
export interface CcxtClient {
  readonly connection?: CcxtSocket | undefined;
  connect(): Promise<unknown>;
  send(message: unknown): Promise<unknown>;
  /** Cancels its timers, and rejects what waits for it. */
  reset(error: Error): void;
}

/** The socket under a {@link CcxtClient}. */
export interface CcxtSocket {
  ping?(): void;
  on?(event: "ping" | "pong", listener: () => void): void;
  terminate?(): void;
}

/** A best bid and ask; what it holds is checked before it is used. */
export interface CcxtTouch {
  readonly bid?: unknown;
  readonly ask?: unknown;
  readonly timestamp?: unknown;
}

/** An order book: levels of price and amount, the best first. */
export interface CcxtBook {
  readonly bids: readonly (readonly unknown[])[];
  readonly asks: readonly (readonly unknown[])[];
  readonly timestamp?: unknown;
}

/** A trade. */
export interface CcxtTrade {
  readonly price?: unknown;
  readonly timestamp?: unknown;
}

/** A class of ccxt, by the name of its exchange. */
export type CcxtExchangeClass = new (options: Readonly<Record<string, unknown>>) => CcxtExchange;
