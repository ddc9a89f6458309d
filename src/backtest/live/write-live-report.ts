import { join, resolve } from "node:path";
import { writeNewFile } from "../../core/files/atomic-file.js";
import { FillsFile } from "../report/fills-file.js";
import { reportPage } from "../report/page/page.js";
import { REPORT_JSON, ReportFolder } from "../report/report-folder.js";
import { wrapDiskError } from "../report/wrap-disk-error.js";
import { makeLiveReport } from "./live-report.js";
import type { LiveReport } from "./live-report-schema.js";
import type { LiveRun } from "./live-run.js";

/** Where a live report goes. */
export interface LiveReportTarget {
  /** Folder of the report. */
  readonly directory: string;
  readonly replace: boolean;
}

/**
 * Writes the report of a span of a live bot: `report.html`, `report.json` and `fills.csv`, whole or
 * not at all.
 * @throws ConfigError if something is there that may not be replaced; RunError as {@link
 * makeLiveReport}, or if the disk refuses
 */
export async function writeLiveReport(
  run: LiveRun,
  name: string,
  { directory, replace }: LiveReportTarget,
): Promise<LiveReport> {
  const folder = new ReportFolder(directory, replace);
  let fills: FillsFile | undefined;
  const write = (file: string, text: string): void => {
    const path = join(folder.path, file);
    wrapDiskError(path, () => writeNewFile(path, text, false));
  };
  try {
    fills = new FillsFile(join(folder.path, "fills.csv"), run.instruments);
    const { report, recorder } = await makeLiveReport(run, name, fills);
    fills.finish();
    write("report.html", reportPage(report, recorder.fillSample.fills, run.instruments));
    write(REPORT_JSON, `${JSON.stringify(report)}\n`);
    wrapDiskError(resolve(directory), () => folder.place());
    return report;
  } catch (error) {
    fills?.abandon();
    folder.abandon();
    throw error;
  }
}
