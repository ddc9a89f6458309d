import { from, map } from "rxjs";
import type { ReconnectTimings } from "../../core/runtime/reconnect-pauses.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import { createRxScheduler } from "../../core/runtime/rx-scheduler.js";
import type { BoundReferenceSource } from "./define-reference-source.js";
import type { PriceSource } from "./price-source.js";
import { readPrice } from "./read-price.js";
import { reconnecting } from "./reconnecting.js";

/** Dependencies of {@link createModuleSource}. */
export interface ModuleSourceDeps {
  readonly runtime: Runtime;
  readonly log: (text: string) => void;
  readonly timings?: Partial<ReconnectTimings> | undefined;
}

/**
 * Creates a source from a file of the user's. What it throws, emits as an error, or sends that is
 * no price, is a `down` with the reason, and so is its end. It is then created again after a pause.
 */
export function createModuleSource(
  bound: BoundReferenceSource,
  { runtime, log, timings }: ModuleSourceDeps,
): PriceSource {
  const scheduler = createRxScheduler(runtime.clock);
  return reconnecting(
    () => from(bound({ runtime, scheduler, log })).pipe(map(readPrice)),
    runtime,
    timings,
  );
}
