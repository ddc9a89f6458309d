import type { BotConfig } from "../../bot/config/config.js";
import { type CockpitLink, cockpitUrl } from "../../cockpit/cockpit-messages.js";
import { RunError } from "../../core/errors.js";
import type { OpenLog } from "../../monitoring/log.js";
import type { CliContext } from "../cli-context.js";
import { writeUnmasked } from "../process/masked-output.js";

/** The cockpit of a session. */
export interface SessionCockpit {
  /** A fresh link. @throws RunError if there is no cockpit, or it is not open. */
  readonly link: () => Promise<CockpitLink>;
  /** The newest link, for the screen; undefined once it was used. */
  readonly screenText: () => string | undefined;
  /** From here on stderr belongs to a live screen: no link is written there. */
  readonly holdBack: () => void;
  readonly stop: () => Promise<void>;
}

/** The command that prints a link. */
export const COCKPIT_COMMAND = "marketwright cockpit";

/**
 * Opens the cockpit, if the file has one, and prints a link once it listens. It never fails: a bot
 * whose port is taken has orders and a position, and trades without a page until the port is free.
 */
export async function openSessionCockpit(
  { env, runtime, stderr }: CliContext,
  { cockpit, path }: Pick<BotConfig, "cockpit" | "path">,
  log: OpenLog,
): Promise<SessionCockpit> {
  if (cockpit === undefined)
    return {
      link: async () => {
        throw new RunError("this bot has no cockpit", {
          field: "cockpit",
          expected: `the line cockpit: { port: 8630 } in ${path}, and a restart of the bot`,
        });
      },
      screenText: () => undefined,
      holdBack: () => {},
      stop: async () => {},
    };
  const { CockpitHost } = await import("../../cockpit/cockpit-host.js");
  let isHeldBack = false;
  let shown: CockpitLink | undefined;
  const print = async (): Promise<void> => {
    try {
      const link = await host.link();
      shown = link;
      if (isHeldBack) return;
      writeUnmasked(
        stderr,
        `marketwright: the cockpit is at ${cockpitUrl(link)} (this link works once; ${COCKPIT_COMMAND} prints another)\n`,
      );
    } catch (error) {
      log.warn({ error }, "the link to the cockpit could not be made");
    }
  };
  const host = new CockpitHost({
    port: cockpit.port,
    env,
    clock: runtime.clock,
    log,
    onFirstOpen: () => void print(),
    onSession: () => {
      shown = undefined;
    },
  });
  return {
    link: () => host.link(),
    screenText: () => (shown === undefined ? undefined : cockpitUrl(shown)),
    holdBack: () => {
      isHeldBack = true;
    },
    stop: () => host.stop(),
  };
}
