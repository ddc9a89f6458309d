import type { Clock } from "../../core/runtime/runtime.js";
import type { ExchangeConfig } from "../config/config.js";
import { checkFaultList } from "./check-fault-names.js";
import { type FaultAdminServer, serveFaultAdmin } from "./fault-admin-server.js";
import { FaultInjector } from "./fault-injector.js";
import type { FaultNames } from "./fault-names.js";

/** The faults of an exchange, and the endpoint that changes them. */
export interface OpenFaults {
  readonly injector: FaultInjector;
  /** null where the configuration opens no port. */
  readonly admin: FaultAdminServer | null;
  close(): Promise<void>;
}

/**
 * Opens the faults of a configuration.
 * @param spoken the names of the interfaces that the exchange serves.
 * @returns undefined if it has none, and no port to add them.
 * @throws ConfigError for a fault that no interface has; RunError if the port cannot be opened
 */
export async function openFaults(
  { faults, seed }: Pick<ExchangeConfig, "faults" | "seed">,
  spoken: readonly FaultNames[],
  clock: Clock,
): Promise<OpenFaults | undefined> {
  if (faults === undefined || (faults.list.length === 0 && faults.adminPort === undefined))
    return undefined;
  checkFaultList(faults, spoken);
  const injector = new FaultInjector(clock, { seed: faults.seed ?? seed, faults: faults.list });
  const admin =
    faults.adminPort === undefined
      ? null
      : await serveFaultAdmin(injector.schedule, spoken, faults.adminPort);
  return {
    injector,
    admin,
    close: async () => {
      injector.close();
      await admin?.close();
    },
  };
}

/** Says which faults an exchange injects, for whoever starts it. */
export function describeFaults({ injector, admin }: OpenFaults): string {
  const kinds = injector.schedule.list().map((fault) => {
    const { kind, probability } = fault;
    const on = fault.interface === undefined ? "" : ` on ${fault.interface}`;
    return `${kind}${on}${probability === 1 ? "" : ` (${probability})`}`;
  });
  const what = kinds.length === 0 ? "none yet" : kinds.join(", ");
  const where = admin === null ? "" : `; change them at ${admin.url}`;
  return `*** FAULTS ARE ON: this exchange fails on purpose: ${what}${where} ***\n`;
}
