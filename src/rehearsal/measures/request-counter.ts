import { OPERATIONS } from "../../exchange/protocol/operations.js";
import type { ExchangeDoor } from "../../simulation/exchange-door.js";
import type { ApiRequest } from "../../simulator/rest/parameters.js";

const BUCKETS = new Map(
  Object.values(OPERATIONS).map(({ method, path, bucket }) => [`${method} ${path}`, bucket]),
);

/** Counts the requests of one process as the exchange receives them. */
export class RequestCounter {
  orders = 0;
  cancels = 0;
  refusals429 = 0;
  readonly tokens = { common: 0, order: 0 };
  readonly #onCancel: () => void;

  /** @param onCancel called for each cancel that arrives */
  constructor(onCancel: () => void = () => {}) {
    this.#onCancel = onCancel;
  }

  /** The exchange as this process reaches it. */
  door(exchange: ExchangeDoor): ExchangeDoor {
    return {
      connect: (...args) => exchange.connect(...args),
      handle: (request) => {
        this.#count(request);
        const answer = exchange.handle(request);
        if (answer.status === 429) this.refusals429 += 1;
        return answer;
      },
    };
  }

  #count({ method, path }: ApiRequest): void {
    const bucket = BUCKETS.get(`${method} ${path}`);
    if (bucket === "ORDER") this.tokens.order += 1;
    if (bucket === "COMMON") this.tokens.common += 1;
    if (method === "POST" && path === OPERATIONS.placeOrder.path) this.orders += 1;
    if (method !== "DELETE") return;
    this.cancels += 1;
    this.#onCancel();
  }
}
