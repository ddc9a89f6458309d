import { cockpitUrl } from "../../../cockpit/cockpit-messages.js";
import { ConfigError } from "../../../core/errors.js";
import { packageFile } from "../../../core/package-files.js";
import { ViewedJournals } from "../../../viewer/viewed-journals.js";
import { startViewerServer } from "../../../viewer/viewer-server.js";
import type { CliContext } from "../../cli-context.js";
import { parsePort } from "../../exchange-ports.js";
import { parseRange, parseTurn } from "../../journal/parse-range.js";
import { readJournal } from "../../journal/read-journal.js";
import { writeUnmasked } from "../../process/masked-output.js";
import { jsonText } from "../../process/output.js";

/** Options of `marketwright journal`. */
export interface JournalCommandOptions {
  readonly against?: string;
  readonly from?: string;
  readonly to?: string;
  readonly turn?: string;
  readonly port?: string;
  readonly json?: boolean;
}

/**
 * Serves the page of a journal, and of another one beside it, until a signal arrives.
 * @throws ConfigError for a wrong option or journal, RunError if the port is taken
 */
export async function journalCommand(
  context: CliContext,
  journal: string,
  options: JournalCommandOptions,
): Promise<void> {
  const { runtime, stdout, stderr } = context;
  const { against, json = false } = options;
  const turn = options.turn === undefined ? undefined : parseTurn(options.turn, "--turn");
  const range = parseRange(options.from, options.to);
  const port = parsePort("--port", options.port ?? "0");
  const interrupted = context.interrupted();
  const [field, value] =
    against === undefined ? ["journal", journal] : ["journal, --against", `${journal}, ${against}`];
  const journals = await readJournal(field, value, () =>
    ViewedJournals.open({ journal, against, turn, ...range, clock: runtime.clock }),
  );
  try {
    const server = await startViewerServer({
      port,
      runtime,
      journals,
      pageFolder: packageFile("dist/viewer-page"),
    });
    try {
      const url = cockpitUrl({ port: server.port, token: server.createToken() });
      writeUnmasked(stdout, json ? jsonText({ url }) : `${url}\n`);
      const reading = journals.read().then(() => stderr.write(readText(journals, turn)));
      // A reading that fails ends the command; one that ends leaves the page open.
      await Promise.race([interrupted, reading.then(() => interrupted)]);
    } finally {
      await server.close();
    }
  } finally {
    await journals.close();
  }
}

/** Describes what the page has, and what is wrong with it. */
function readText(journals: ViewedJournals, turn: number | undefined): string {
  const { runs } = journals.summary();
  const lines = runs.flatMap(({ journal, firstTurn, lastTurn, notes }) => [
    firstTurn === undefined
      ? `${journal}: no turn to show; --from and --to are the turns or times of others, or it has none`
      : `${journal}: turns ${firstTurn} to ${lastTurn}; Ctrl-C ends the page`,
    ...notes.map((note) => `${journal}: ${note}`),
  ]);
  return [...lines, ...turnProblem(journals, turn)]
    .map((line) => `marketwright: ${line}\n`)
    .join("");
}

function turnProblem(journals: ViewedJournals, turn: number | undefined): readonly string[] {
  if (turn === undefined) return [];
  try {
    journals.turn(turn);
    return [];
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return [cause.message];
  }
}
