import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Where a line or two stand for minutes: of files that it has not timed yet, vitest takes the
 * longest text first.
 */
const LONG = ["/test/simulation/", "/test/liquidator/simulation/"];

/**
 * Begins with the files that take longest, so that no worker is left alone with one of them at the
 * end.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG.some((folder) => moduleId.includes(folder));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
