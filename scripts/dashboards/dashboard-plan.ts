/** A query of a panel, and the name of its series in the legend. */
export interface QueryPlan {
  readonly expr: string;
  /** Labels in double braces, as Grafana fills them in. */
  readonly legend: string;
}

/** A colour from a value on. The first has no value: it is the colour below all others. */
export type ThresholdPlan = readonly [colour: "green" | "orange" | "red", from?: number];

/** A panel: `stat` shows the newest value, `lines` the course. */
export interface PanelPlan {
  readonly title: string;
  /** One sentence for whoever reads the panel: what it means, or when to act. */
  readonly help: string;
  readonly kind: "stat" | "lines";
  /** Unit by Grafana's name, such as `s` or `percentunit`; `short` for a plain number. */
  readonly unit: string;
  readonly queries: readonly QueryPlan[];
  readonly thresholds?: readonly ThresholdPlan[];
  readonly decimals?: number;
}

/** A titled row of panels. */
export interface RowPlan {
  readonly title: string;
  readonly panels: readonly PanelPlan[];
}

/** A dashboard before it is Grafana's JSON. */
export interface DashboardPlan {
  /** Name of its file, without the extension. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** `one` for a choice of one market, `any` for one, several or all; absent for no choice. */
  readonly markets?: "one" | "any";
  readonly rows: readonly RowPlan[];
}
