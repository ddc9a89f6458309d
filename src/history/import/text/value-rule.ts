import { identifier, literal } from "../../store/duck.js";

/** A rule for the texts of a column. A text that breaks it is reported with its row. */
export interface ValueRule {
  /** Its name in an error of the database; capital letters. */
  readonly type: string;
  /** SQL that is true for a valid text, or for a missing text where it is optional. */
  readonly isGoodSql: (text: string) => string;
  /** The description of an invalid text, in words. */
  readonly isNot: (value: string) => string;
  readonly expected: string;
}

/** The words in a database error between a column and the name of the rule that its text broke. */
export const BREAKS_RULE = "breaks rule";

/**
 * SQL of an error that names a column and its text.
 * @param column its name in the file.
 * @param text SQL of the text.
 */
export function ruleErrorSql(
  column: string,
  { type }: Pick<ValueRule, "type">,
  text: string,
): string {
  return `error(${literal(`${identifier(column)} ${BREAKS_RULE} ${type}: `)} || coalesce(${text}, ''))`;
}
