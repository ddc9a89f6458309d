/** Default number of accounts in a drill. */
export const DEFAULT_DRILL_ACCOUNTS = 20;
