import { buildDashboard } from "./build-dashboard.js";
import type { DashboardPlan } from "./dashboard-plan.js";
import { DESK } from "./desk.js";
import { HEDGES } from "./hedges.js";
import { LIQUIDATOR } from "./liquidator.js";
import { MARKET } from "./market.js";
import { PROCESS } from "./process.js";

/** Folder of the dashboards' files, from the project's root. */
export const DASHBOARD_FOLDER = "deploy/grafana/dashboards";

/** Every dashboard of `deploy/grafana`. */
export const DASHBOARDS: readonly DashboardPlan[] = [DESK, MARKET, LIQUIDATOR, HEDGES, PROCESS];

/** Returns the text of a dashboard's file. */
export function dashboardText(plan: DashboardPlan): string {
  return `${JSON.stringify(buildDashboard(plan), undefined, 2)}\n`;
}
