import { expect, it } from "vitest";
import { type RuleId, ruleOf, type Side, sidesOf } from "./rules.js";

/** The record that a test of a rule leaves. */
export interface ConformanceMeta {
  readonly rule: RuleId;
  readonly side: Side;
  readonly title: string;
  /** How often `expect` was called under the rule. */
  readonly assertions: number;
}

declare module "vitest" {
  interface TaskMeta {
    conformance?: ConformanceMeta;
  }
}

/**
 * A test that holds a rule of the specification on one side. It fails when it asserts nothing, and
 * when the rule does not concern that side.
 */
export function conforms(
  rule: RuleId,
  side: Side,
  title: string,
  body: () => void | Promise<void>,
): void {
  const meta = { rule, side, title };
  it(testName(meta), { meta: { conformance: { ...meta, assertions: 0 } } }, async ({ task }) => {
    if (!sidesOf(ruleOf(rule)).includes(side))
      throw new Error(`rule ${rule} does not concern the ${side}`);
    await body();
    const { assertionCalls } = expect.getState();
    if (assertionCalls === 0) throw new Error(`nothing was asserted under rule ${rule}`);
    task.meta.conformance = { ...meta, assertions: assertionCalls };
  });
}

/** The name that a test goes by, which its rule can be found in. */
function testName({ rule, side, title }: Pick<ConformanceMeta, "rule" | "side" | "title">): string {
  return `[${rule} ${side}] ${title}`;
}
