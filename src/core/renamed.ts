const warned = new Set<string>();

/**
 * Emits Node's deprecation warning, once in a process, for a public name that has a new one. The
 * former name works as before.
 */
export function warnRenamed(former: string, current: string): void {
  if (warned.has(former)) return;
  warned.add(former);
  process.emitWarning(
    `${former} is now ${current}. The former name still works: please rename it.`,
    {
      type: "DeprecationWarning",
      code: "MARKETWRIGHT_RENAMED",
    },
  );
}

/** Wraps a public function for export under its former name: its first call warns. */
export function underFormerName<Callable extends (...args: never[]) => unknown>(
  former: string,
  current: string,
  callable: Callable,
): Callable {
  const wrapped = (...args: Parameters<Callable>): unknown => {
    warnRenamed(former, current);
    return callable(...args);
  };
  return wrapped as Callable;
}
