import type { SignatureScheme } from "../../core/crypto/signing.js";
import type { Clearing } from "../accounts/clearing.js";
import type { ExchangeListener, ExchangeState } from "../engine/exchange-state.js";
import type { OrderManager } from "../matching/order-manager.js";
import type { AccountEndpoints } from "../rest/endpoints/account-endpoints.js";
import type { OrderEntry } from "../rest/endpoints/order-entry.js";
import type { StreamSink } from "../streams/stream-sink.js";

/** The parts of an exchange that a dialect works on. */
export interface DialectDeps {
  readonly state: ExchangeState;
  readonly clearing: Clearing;
  readonly orderManager: OrderManager;
  readonly accounts: AccountEndpoints;
  /** The entry of every signed order. */
  readonly orders: OrderEntry;
  readonly scheme: SignatureScheme;
  /** Runs a change as one event of the exchange. */
  turn<Result>(run: () => Result): Result;
  /** Sends what an event wrote only once its changes are stored. */
  deferSends(sink: StreamSink): StreamSink;
}

/** Another wire language over the same exchange. It hears of every event. */
export interface Dialect extends ExchangeListener {
  /** Called when the exchange has started, as one event of it. */
  start(): void;
  /** Ends every stream and timer of its own. */
  stop(): void;
  /** Sends what is collected until the end of an event. */
  flush(): void;
  /** Called once a second after every market's figures were sampled. */
  onSample(): void;
}
