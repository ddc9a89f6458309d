/** Accounts that a drill rehearses where nothing else is asked for. */
export const DEFAULT_DRILL_ACCOUNTS = 20;
