import { join, resolve } from "node:path";
import { writeNewFile } from "../../core/files/atomic-file.js";
import type { RunObserver } from "../record/run-observer.js";
import { ADVERSE_SELECTION_MS, RunRecorder } from "../record/run-recorder.js";
import { FillsFile } from "./fills-file.js";
import { InterruptedRunError } from "./interrupted-run-error.js";
import { makeReport } from "./make-report.js";
import { reportPage } from "./page/page.js";
import { REPORT_JSON, ReportFolder } from "./report-folder.js";
import type { Report } from "./report-schema.js";
import type { RunMeta, RunOutcome } from "./run-meta.js";
import { wrapDiskError } from "./wrap-disk-error.js";

/** The folder of a report, and its content. */
export interface ReportPaths {
  readonly directory: string;
  readonly json: string;
  readonly html: string;
  readonly fillsCsv: string;
  readonly report: Report;
}

/**
 * Writes the report of one run during the run, in a hidden folder that is renamed when the run is
 * over.
 */
export class ReportWriter {
  /** Receives everything of the run. */
  readonly observer: RunObserver;
  readonly #recorder: RunRecorder;
  readonly #folder: ReportFolder;
  readonly #fills: FillsFile;
  readonly #meta: RunMeta;
  readonly #directory: string;

  /**
   * @param directory of the report.
   * @throws ConfigError when something is there that may not be replaced, or it cannot be written.
   */
  constructor(
    directory: string,
    meta: RunMeta,
    { replace = false }: { readonly replace?: boolean } = {},
  ) {
    this.#directory = resolve(directory);
    this.#meta = meta;
    this.#folder = new ReportFolder(directory, replace);
    this.#fills = new FillsFile(join(this.#folder.path, "fills.csv"), meta.instruments);
    this.#recorder = new RunRecorder({
      startUs: meta.startUs,
      instruments: meta.instruments,
      adverseSelectionMs: meta.adverseSelectionMs ?? ADVERSE_SELECTION_MS,
      onFill: (fill) => this.#fills.write(fill),
    });
    this.observer = this.#recorder;
  }

  /** The hidden folder: files written there appear together with the report. */
  get folder(): string {
    return this.#folder.path;
  }

  /**
   * The report of the run, with nothing written yet.
   * @throws RunError as {@link finish} does
   */
  report(outcome: RunOutcome): Report {
    return makeReport(
      this.#meta,
      this.#recorder,
      this.#recorder.end(outcome.endUs, outcome.historyEndUs),
      outcome,
    );
  }

  /**
   * Writes the rest and puts everything in place.
   * @throws InterruptedRunError when the run was interrupted and the report of a whole run is
   * there; RunError when the run was not sampled at its end, or the parts of its profit do not sum
   * to the change of its equity, or the disk refuses. Nothing is in place then.
   */
  finish(outcome: RunOutcome): ReportPaths {
    try {
      if (outcome.ended === "stopped" && this.#folder.holdsWhole)
        throw new InterruptedRunError(this.#directory);
      const report = this.report(outcome);
      this.#fills.finish();
      this.#write(
        "report.html",
        reportPage(report, this.#recorder.fillSample.fills, this.#meta.instruments),
      );
      this.#write(REPORT_JSON, `${JSON.stringify(report)}\n`);
      wrapDiskError(this.#directory, () => this.#folder.place());
      const at = (name: string): string => join(this.#directory, name);
      return {
        directory: this.#directory,
        json: at(REPORT_JSON),
        html: at("report.html"),
        fillsCsv: at("fills.csv"),
        report,
      };
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /**
   * Removes everything that {@link finish} has not put in place: the run had no end to report, or
   * another run is reported.
   */
  abandon(): void {
    this.#fills.abandon();
    this.#folder.abandon();
  }

  #write(name: string, text: string): void {
    const path = join(this.#folder.path, name);
    wrapDiskError(path, () => writeNewFile(path, text, false));
  }
}
