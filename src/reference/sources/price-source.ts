import type { Observable } from "rxjs";
import type { PriceMessage } from "../price-message.js";

/**
 * A source of reference prices. Subscribing connects, unsubscribing closes every socket and timer
 * at once. It never ends by itself: it reports `down` at once when it loses its connection or
 * receives what it cannot read, and connects again with growing pauses.
 */
export type PriceSource = Observable<PriceMessage>;
