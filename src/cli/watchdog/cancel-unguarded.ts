import { cancelAfterFailure } from "../../bot/cancelling/cancel-after-failure.js";
import { createAccountSigner } from "../../bot/config/account-key.js";
import { isGuarded } from "../../bot/state/guard-heartbeat.js";
import { FileStateStore, stateDirFor } from "../../bot/state/state-dir.js";
import { initCrypto } from "../../core/crypto/signing.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { NetworkTransport } from "../../exchange/rest/network-transport.js";
import { RestClient } from "../../exchange/rest/rest-client.js";
import type { Log } from "../../monitoring/log.js";
import type { WatchdogStart } from "./watchdog-memory.js";

/** Connections of the watchdog: a cancel and a check of each market share them. */
const CONNECTIONS = 4;

/** Cancels everything in the markets of a stuck bot, as after a failure, if no guard does. */
export async function cancelUnguarded(
  orders: NonNullable<WatchdogStart["orders"]>,
  runtime: Runtime,
  log: Log,
): Promise<void> {
  const { config, privateKey, account } = orders;
  const store = new FileStateStore(stateDirFor(config, account));
  if (
    isGuarded({
      store,
      account,
      nowMs: runtime.clock.nowMs(),
      deadAfterMs: config.guard.deadAfterMs,
    })
  )
    return;
  log.error({}, "no guard runs: the watchdog cancels the bot's orders");
  await initCrypto();
  const { rest: restUrl, stream: streamUrl, requestTimeoutMs } = config.exchange;
  const network = new NetworkTransport({
    restUrl,
    streamUrl,
    clock: runtime.clock,
    connections: CONNECTIONS,
  });
  let offsetMs: Ms = 0;
  const client = new RestClient({
    transport: network,
    signer: createAccountSigner(config.account, privateKey),
    nowMs: () => runtime.clock.nowMs() + offsetMs,
    timeoutMs: requestTimeoutMs,
  });
  const readClock = async (): Promise<void> => {
    offsetMs = (await client.time()) - runtime.clock.nowMs();
  };
  try {
    // Without its response the machine's own clock may be good enough.
    await readClock().catch((error: unknown) =>
      log.warn({ error }, "the exchange's clock could not be read"),
    );
    await cancelAfterFailure({ client, syncClock: readClock, config, clock: runtime.clock, log });
  } finally {
    network.close();
  }
}
