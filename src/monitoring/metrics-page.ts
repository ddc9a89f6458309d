import { METRIC_LIST, METRIC_PREFIX, type MetricSpec } from "./metric-list.js";

/** Renders `docs/reference/metrics.md` from the list that the code itself uses. */
export function renderMetricsPage(): string {
  const sections = Object.values<MetricSpec>(METRIC_LIST).map(section);
  return `# Metrics

\`GET /metrics\` on the bot's \`metrics.port\` answers in the Prometheus text format; \`GET /healthz\` reports whether the process serves. \`GET /readyz\` reports whether the bot quotes, with the reasons if it does not. Amounts are in units of the base or quote asset and durations in seconds. Node's own \`nodejs_\` and \`process_\` metrics are on the same page.

This page is generated from the code: \`npm run docs\`.

${sections.join("\n")}`;
}

function section({ name, type, help, labels, buckets }: MetricSpec): string {
  const rows = Object.entries(labels).map(([label, holds]) => `| \`${label}\` | ${holds} |`);
  const table = rows.length === 0 ? "" : `\n| label | holds |\n|---|---|\n${rows.join("\n")}\n`;
  const bounds = buckets === undefined ? "" : `\nBuckets, seconds: ${buckets.join(", ")}.\n`;
  return `## \`${METRIC_PREFIX}${name}\`\n\n${type[0]?.toUpperCase()}${type.slice(1)}. ${help}\n${table}${bounds}`;
}
