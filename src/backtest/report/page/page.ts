import type { Instrument } from "../../../core/instrument.js";
import type { MarketId } from "../../../core/units.js";
import type { ReplayFill } from "../../record/run-observer.js";
import { FILL_COLUMNS, fillFields } from "../fills-file.js";
import { escapeHtml } from "./html-text.js";
import { pageAssets } from "./page-assets.js";
import { headlineHtml } from "./page-headline.js";
import { liveHtml } from "./page-live.js";
import { marketsHtml } from "./page-market.js";
import { profitHtml } from "./page-profit.js";
import { provenanceHtml } from "./page-provenance.js";
import type { PageReport } from "./page-report.js";
import { pageShell } from "./page-shell.js";

/**
 * Builds `report.html`: one file that loads nothing, with the report and the fills that it draws.
 */
export function reportPage(
  report: PageReport,
  fills: readonly ReplayFill[],
  instruments: ReadonlyMap<MarketId, Instrument>,
): string {
  const { script, style } = pageAssets();
  const rows = fills.map((fill) => fillFields(fill, instruments.get(fill.marketId) as Instrument));
  const { configuration: _, data: __, daily: ___, ...drawn } = report;
  return pageShell({
    title: `${report.name}: report`,
    style,
    script,
    main: `${headlineHtml(report)}${liveHtml(report)}
<noscript><p class="warning">Charts need JavaScript. Every figure is in the tables and in report.json.</p></noscript>
${profitHtml(report)}
${marketsHtml(report)}
${provenanceHtml(report)}`,
    foot: `Made by Marketwright ${escapeHtml(report.version)}. The same run gives the same bytes. Past results, replayed or real, promise nothing.`,
    data: { "report-data": drawn, "fills-data": { columns: FILL_COLUMNS, rows } },
  });
}
