import { identifier, literal } from "../../store/duck.js";

/** What the texts of a column have to be, so that one that is not can be named by its row. */
export interface ValueRule {
  /** Its name in an error of the database; capital letters. */
  readonly type: string;
  /** SQL of whether a text is so; a text that is not there is where it need not be. */
  readonly isGoodSql: (text: string) => string;
  /** What one that is not is, in words. */
  readonly isNot: (value: string) => string;
  readonly expected: string;
}

/** What an error of the database says between a column and the name of the rule that a text of it broke. */
export const IS_NO = "is no";

/** SQL of an error that names a column and its text. @param column its name in the file. @param text SQL of the text. */
export function ruleErrorSql(
  column: string,
  { type }: Pick<ValueRule, "type">,
  text: string,
): string {
  return `error(${literal(`${identifier(column)} ${IS_NO} ${type}: `)} || coalesce(${text}, ''))`;
}
