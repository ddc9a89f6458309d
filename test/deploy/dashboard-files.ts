import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DASHBOARD_FOLDER } from "../../scripts/dashboards/all-dashboards.js";
import { PROJECT_ROOT } from "../project/checkout.js";

const panelShape = z.looseObject({
  type: z.string(),
  title: z.string(),
  targets: z.array(z.looseObject({ expr: z.string() })).optional(),
});
const dashboardShape = z.looseObject({ title: z.string(), panels: z.array(panelShape) });

/** A query of a panel, with the name of its dashboard's file. */
export interface PanelQuery {
  readonly dashboard: string;
  readonly panel: string;
  readonly expr: string;
}

/** The dashboards as they are in the repository, by the names of their files. */
export function dashboardFiles(): ReadonlyMap<string, string> {
  const folder = join(PROJECT_ROOT, DASHBOARD_FOLDER);
  return new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const),
  );
}

/** Every query of every panel. */
export function panelQueries(): readonly PanelQuery[] {
  return [...dashboardFiles()].flatMap(([name, text]) =>
    dashboardShape
      .parse(JSON.parse(text))
      .panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr }) => ({ dashboard: name, panel: title, expr })),
      ),
  );
}
