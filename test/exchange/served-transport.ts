import { afterEach, beforeEach } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { NetworkTransport, type NetworkTransportOptions } from "#exchange/network-transport.js";
import { LocalServer } from "./local-server.js";

const { clock } = createLiveRuntime();

/**
 * A transport and the real server that it talks to, both anew for each test of the file that makes
 * one.
 */
export class ServedTransport {
  server!: LocalServer;
  transport!: NetworkTransport;

  constructor() {
    beforeEach(async () => {
      this.server = await LocalServer.start();
      this.transport = this.open();
    });
    afterEach(async () => {
      this.transport.close();
      await this.server.stop();
    });
  }

  /** A further transport to the same server, for its test to close. */
  open(options: Partial<NetworkTransportOptions> = {}): NetworkTransport {
    const { host } = this.server;
    return new NetworkTransport({
      restUrl: `http://${host}/v1`,
      streamUrl: `ws://${host}/v1`,
      clock,
      ...options,
    });
  }
}
