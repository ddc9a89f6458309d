import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { Market, Trade } from "../../../markets/market.js";
import {
  StreamLink,
  type StreamLinkListener,
  type StreamLinkOptions,
} from "../../../streams/stream-link.js";
import type { StreamConnection, StreamRefusal, StreamSink } from "../../../streams/stream-sink.js";
import type { UsdmConfig } from "../usdm-config.js";
import type { UsdmIds } from "../usdm-ids.js";
import type { UsdmSymbols } from "../usdm-symbols.js";
import { readUsdmStream, readUsdmStreamPath } from "./usdm-stream-names.js";
import { readUsdmStreamRequest, UsdmStreamRequestError } from "./usdm-stream-request.js";
import { UsdmTopic } from "./usdm-topic.js";

const GOING_AWAY = 1001;

/** The user streams, to which a listen key is the name. */
export interface UsdmUserStreams {
  /** True if a name is a valid listen key, to whose account the link is subscribed now. */
  subscribe(name: string, publish: (text: string) => void, owner: object): boolean;
  unsubscribe(name: string, owner: object): void;
}

interface OpenTopic {
  readonly topic: UsdmTopic;
  readonly links: Set<StreamLink>;
}

/** Every open connection, and the streams that each follows. */
export class UsdmStreamHub implements StreamLinkListener {
  readonly #state: ExchangeState;
  readonly #config: UsdmConfig["streams"];
  readonly #symbols: UsdmSymbols;
  readonly #ids: UsdmIds;
  readonly #users: UsdmUserStreams;
  readonly #links = new Map<StreamLink, { wraps: boolean }>();
  readonly #topics = new Map<string, OpenTopic>();
  #seconds = 0;

  constructor(
    state: ExchangeState,
    symbols: UsdmSymbols,
    ids: UsdmIds,
    config: UsdmConfig,
    users: UsdmUserStreams,
  ) {
    this.#state = state;
    this.#symbols = symbols;
    this.#ids = ids;
    this.#config = config.streams;
    this.#users = users;
  }

  /** Opens a connection, or returns the HTTP response that refuses it. */
  connect(pathWithQuery: string, sink: StreamSink, ip: string): StreamConnection | StreamRefusal {
    const address = readUsdmStreamPath(pathWithQuery);
    if (address === undefined) {
      return { refused: { status: 404, body: '{"code":-5000,"msg":"This path is not valid."}' } };
    }
    const options: StreamLinkOptions = { wrapsEvents: address.wraps, zip: null, ip };
    const { runtime, config } = this.#state;
    const limits = { ...config.streams, ...this.#config, pings: "protocol" as const };
    const link = new StreamLink(runtime, limits, sink, options, this);
    this.#links.set(link, { wraps: address.wraps });
    for (const name of address.names) this.#subscribe(link, name);
    return link;
  }

  onMessage(link: StreamLink, text: string): void {
    try {
      const { id, method, params } = readUsdmStreamRequest(text);
      const reply = (result: unknown) =>
        link.send(`{"result":${JSON.stringify(result)},"id":${id}}`);
      if (method === "LIST_SUBSCRIPTIONS") return reply([...link.streams]);
      const own = this.#links.get(link);
      if (method === "GET_PROPERTY") return reply(own?.wraps ?? false);
      if (method === "SET_PROPERTY") {
        if (own !== undefined) own.wraps = params[1] === true;
        return reply(null);
      }
      const names = params.map(String);
      if (method === "SUBSCRIBE" && link.streams.size + names.length > this.#config.maxStreams) {
        throw new UsdmStreamRequestError(id, `more than ${this.#config.maxStreams} streams`);
      }
      reply(null);
      for (const name of names) {
        if (method === "SUBSCRIBE") this.#subscribe(link, name);
        else this.#unsubscribe(link, name);
      }
    } catch (error) {
      if (!(error instanceof UsdmStreamRequestError)) throw error;
      const { id, message } = error;
      link.send(
        `{"error":{"code":2,"msg":${JSON.stringify(`Invalid request: ${message}`)}},"id":${id}}`,
      );
    }
  }

  onClosed(link: StreamLink): void {
    for (const name of [...link.streams]) this.#unsubscribe(link, name);
    this.#links.delete(link);
  }

  onTrade(trade: Trade): void {
    for (const { topic } of this.#topics.values()) topic.onTrade(trade);
  }

  onBook(market: Market): void {
    for (const { topic } of this.#topics.values()) topic.onBook(market);
  }

  /** Sends what is collected until the end of an event. */
  flush(): void {
    for (const { topic } of this.#topics.values()) topic.flush();
  }

  /** Called once a second. */
  onSample(): void {
    this.#seconds += 1;
    for (const { topic } of this.#topics.values()) topic.onSample(this.#seconds);
  }

  /** Ends every connection. */
  stop(): void {
    for (const link of [...this.#links.keys()]) link.end(GOING_AWAY, "the exchange is stopping");
  }

  /** A name that is no stream is acknowledged and brings nothing, as there. */
  #subscribe(link: StreamLink, name: string): void {
    if (link.streams.has(name)) return;
    if (this.#users.subscribe(name, (text) => this.#send(link, name, text), link)) {
      link.streams.add(name);
      return;
    }
    const stream = readUsdmStream(name, this.#symbols);
    if (stream === undefined) return;
    link.streams.add(name);
    const known = this.#topics.get(name);
    if (known !== undefined) {
      known.links.add(link);
      return;
    }
    const links = new Set([link]);
    const publish = (text: string) => {
      for (const follower of [...links]) this.#send(follower, name, text);
    };
    this.#topics.set(name, {
      links,
      topic: new UsdmTopic(this.#state, this.#ids, stream, publish),
    });
  }

  #unsubscribe(link: StreamLink, name: string): void {
    if (!link.streams.delete(name)) return;
    this.#users.unsubscribe(name, link);
    const open = this.#topics.get(name);
    if (open?.links.delete(link) && open.links.size === 0) {
      open.topic.stop();
      this.#topics.delete(name);
    }
  }

  #send(link: StreamLink, name: string, text: string): void {
    const wraps = this.#links.get(link)?.wraps ?? false;
    link.send(wraps ? `{"stream":${JSON.stringify(name)},"data":${text}}` : text, name);
  }
}
