/** The prefix of a strategy that comes from a package: `npm:my-strategy`. */
const PACKAGE_PREFIX = "npm:";

/** True if a market's `strategy` names a package. */
export function isStrategyPackage(strategy: string): boolean {
  return strategy.startsWith(PACKAGE_PREFIX);
}

/** True if a market's `strategy` is a file rather than the name of a built-in one or a package. */
export function isStrategyFile(strategy: string): boolean {
  if (isStrategyPackage(strategy)) return false;
  return /^\.{0,2}[/\\]/.test(strategy) || /\.[cm]?[jt]s$/.test(strategy);
}

/** True if a strategy is the user's own: a file or a package, rather than a built-in one. */
export function isOwnStrategy(strategy: string): boolean {
  return isStrategyFile(strategy) || isStrategyPackage(strategy);
}
