import type { ActiveRung } from "../../risk/risk-ladder.js";

/** Action of a rung, in words. */
export function actionText({
  action,
  widenFactor,
}: Pick<ActiveRung, "action" | "widenFactor">): string {
  switch (action) {
    case "warn":
      return "warning";
    case "widen":
      return `quotes are ${widenFactor} times as far from the mid`;
    case "reduce":
      return "only orders that reduce the position rest";
    case "halt":
      return "halted, the position stays";
    case "flatten":
      return "the position is sold, then halted";
  }
}
