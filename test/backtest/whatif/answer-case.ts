import { join } from "node:path";
import { answerWhatIf, type WhatIfAnswer } from "#backtest/answer-whatif.js";
import { changeSession } from "#backtest/change-session.js";
import { readSession } from "#backtest/session-file.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";
import type { WhatIfCase } from "./draw-case.js";

/** Puts a case's question to its recorded session. @param folder of the case */
export async function answerCase(
  { change }: Pick<WhatIfCase, "change">,
  folder: string,
  level = "0.8",
): Promise<WhatIfAnswer> {
  const session = readSession(join(folder, "session"));
  const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
  const strategies = bindStrategies(session.config, await loadStrategies(session.config, log));
  return answerWhatIf({
    folder: join(folder, "session"),
    session,
    strategies,
    changed: changeSession(session, strategies, [change]),
    liquidation: { priceOff: 10n ** 16n, insuranceFeeRate: 10n ** 16n },
    seed: "1",
    level,
  });
}
