import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that a system gives to servers of port 0: none of them takes it meanwhile. */
const FROM = 10_000;
const TO = 30_000;

/** A port without a listener, for a program that is told its port before it listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, "127.0.0.1"), "listening");
  } catch {
    return false;
  }
  await once(probe.close(), "close");
  return true;
}
