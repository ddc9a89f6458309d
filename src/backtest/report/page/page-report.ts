import type { LiveReport } from "../../live/live-report-schema.js";
import type { Report } from "../report-schema.js";

/** A report that the page shows: of a replay, or of a live bot. */
export type PageReport = Report | LiveReport;
