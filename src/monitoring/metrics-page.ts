import { METRIC_LIST, METRIC_PREFIX, type MetricSpec } from "./metric-list.js";

const MAX_COLUMNS = 100;

const HEAD = `# Metrics

Every metric of a bot with its type and labels, for whoever writes alerts or dashboards with
Prometheus.

With \`metrics: { port: 9464 }\` in the bot's file:

\`\`\`sh
curl -s http://127.0.0.1:9464/metrics | grep -E '^marketwright_(open|quoting|equity)'
\`\`\`

\`\`\`text
marketwright_open_orders{market="btcusdc",side="BUY"} 1
marketwright_open_orders{market="btcusdc",side="SELL"} 1
marketwright_quoting{market="btcusdc"} 1
marketwright_equity_quote 100000
\`\`\`

Amounts are in units of the base or quote asset, durations in seconds. The same answer has Node's
own \`nodejs_\` and \`process_\` metrics. [Set alerts](../guides/set-alerts.md) says which metrics to
watch.

| path | answers |
|---|---|
| \`/metrics\` | all metrics, in the text format of Prometheus |
| \`/healthz\` | whether the process serves |
| \`/readyz\` | whether the bot quotes, and if not, why |

\`npm run docs\` generates this page from the code.
`;

/** Renders `docs/reference/metrics.md` from the list that the code itself uses. */
export function renderMetricsPage(): string {
  const sections = Object.values<MetricSpec>(METRIC_LIST).map(section);
  return [HEAD, ...sections].join("\n");
}

function section({ name, type, help, labels, details, buckets }: MetricSpec): string {
  const rows = Object.entries(labels).map(([label, holds]) => `| \`${label}\` | ${holds} |`);
  const parts = [
    `## \`${METRIC_PREFIX}${name}\``,
    wrap(`${type[0]?.toUpperCase()}${type.slice(1)}. ${help}`),
    ...(rows.length === 0 ? [] : [["| label | holds |", "|---|---|", ...rows].join("\n")]),
    ...(details === undefined ? [] : [wrap(details)]),
    ...(buckets === undefined ? [] : [wrap(`Buckets, seconds: ${buckets.join(", ")}.`)]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Breaks a paragraph at spaces, so that no line is longer than the columns allow. */
function wrap(text: string): string {
  let column = 0;
  return text
    .split(" ")
    .reduce((lines, word) => {
      const isFull = column + 1 + word.length > MAX_COLUMNS;
      column = isFull ? word.length : column + 1 + word.length;
      return `${lines}${isFull ? "\n" : " "}${word}`;
    }, "")
    .trimStart();
}
