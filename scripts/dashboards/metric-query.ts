import { METRIC_LIST, METRIC_PREFIX, type MetricKey } from "#monitoring/metric-list.js";

/** Label that a scrape gives to each bot (deploy/prometheus/prometheus.yml). */
const OF_THE_ACCOUNT = 'account=~"$account"';
/** Window of a rate, at least four scrapes wide. */
const WINDOW = "$__rate_interval";

/** Values of labels, by the names that the metric has. */
type Matchers<Key extends MetricKey> = Partial<
  Record<Extract<keyof (typeof METRIC_LIST)[Key]["labels"], string>, string>
>;

/**
 * Returns the selector of a metric's series, of the dashboard's account.
 * @param matchers regular expressions for its labels; `$market` is the dashboard's market
 */
export function series<Key extends MetricKey>(key: Key, matchers: Matchers<Key> = {}): string {
  return select(METRIC_LIST[key].name, matchers);
}

/** Returns the increase of a counter a minute, summed by these labels. */
export function perMinute<Key extends MetricKey>(
  key: Key,
  by: readonly string[],
  matchers: Matchers<Key> = {},
): string {
  return `sum by (${["account", ...by].join(", ")}) (60 * rate(${series(key, matchers)}[${WINDOW}]))`;
}

/** Returns a quantile of a histogram over the window of a rate, in seconds. */
export function quantile(
  key: "tickToOrder" | "orderAck" | "liquidationSeconds",
  share: number,
  by: readonly string[] = [],
): string {
  const buckets = select(`${METRIC_LIST[key].name}_bucket`, {});
  const labels = ["account", "le", ...by].join(", ");
  return `histogram_quantile(${share}, sum by (${labels}) (rate(${buckets}[${WINDOW}])))`;
}

/** Returns an expression of Node's own metrics, of the bots alone. */
export function ofBots(expression: string): string {
  return `${expression} and on (job, instance) ${series("buildInfo")}`;
}

/** Returns the selector of one of Node's own metrics, of the dashboard's account. */
export function nodeSeries(name: string): string {
  return `${name}{${OF_THE_ACCOUNT}}`;
}

function select(name: string, matchers: Readonly<Record<string, string | undefined>>): string {
  const rest = Object.entries(matchers).map(([label, value]) => `${label}=~"${value}"`);
  return `${METRIC_PREFIX}${name}{${[OF_THE_ACCOUNT, ...rest].join(",")}}`;
}
