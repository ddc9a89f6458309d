// Holds the plain language of the code: no comment that begins with What, Whether or Who, no comment
// or line of a page over 100 columns, and no name that was given up for one of the field's words.
// Prints what is wrong and exits 1. An optional argument is the project's root.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readModules } from "./source-modules.mjs";

const ROOT = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["src", "test", "bench", "scripts", "assets"];
const MAX_COLUMNS = 100;
/** Written by a program, by an earlier version, or for other people's clients. */
const NOT_OURS = /\.generated\.ts$|^test\/(fixtures|foreign\/clients)\//;
/** Files that keep the names which users may still write. */
const FORMER_NAMES = /\/former-(instrument-)?names(\.test)?\.ts$/;

/** Names that no longer stand for anything, and the name that took the place of each. */
const RETIRED = new Map(
  Object.entries({
    OrderDesk: "OrderManager",
    FlowDesk: "AgentOrderGateway",
    TakeoverDesk: "LiquidationExecutor",
    DeskBook: "LiveOrderBook",
    AccountNews: "AccountEventHandler",
    OrderWorks: "OrderFactory",
    HaltsByHand: "ManualHalts",
    MarketStanding: "QuotingStatus",
    RunVoice: "RunLog",
    SessionTap: "SessionListener",
    VenueBetween: "VenueDecorator",
    UnseenBot: "HeartbeatMismatch",
    LeastExchangeTime: "ExchangeTimeLowerBound",
    LaterText: "AsyncAtomicFile",
    GrowingFile: "AppendOnlyFile",
    UnhaltedStore: "DryRunStateStore",
    Unwinding: "LiquidatedInventory",
    Disposal: "UnwindEstimate",
    Intake: "AccountUpdater",
    Suspects: "PendingDiscrepancies",
    Rests: "SubLotBalances",
    narrowBase: "inferOpeningPosition",
    wantedHistory: "historyWindows",
    Unexplained: "FillMatcher",
    untoldLots: "unreportedLots",
    unseenLots: "unmatchedLots",
    OwnInBook: "OwnOrderOverlay",
    outerTick: "roundAwayFromTouch",
    ToldTrades: "TradeDeduplicator",
    ReplaySide: "PagedBookSide",
    MadeSide: "TopOfBookSide",
    TakenLevels: "ConsumedLiquidity",
    KnownReach: "KnownDepth",
    CutLine: "OutageVenue",
    SilentLine: "OutageDetector",
    HeldRequests: "QueuedRequests",
    DoubtfulFills: "AmbiguousFills",
    KeptFills: "FillSample",
    StoodHalts: "HaltHistory",
    Writ: "FileFormat",
    StagedDoubts: "StagingFindings",
    BookCourse: "BookContinuity",
    StandingBook: "BookState",
    LookSchedule: "AccountPollSchedule",
    LookNotes: "AssessmentLog",
    TransactionLanes: "TransactionManager",
    SlotKeeper: "NonceTracker",
    tellBoth: "fanOut",
    Seam: "Runtime",
    liveSeam: "createLiveRuntime",
    lotsOfBase: "baseToLots",
    exactLotsOfBase: "baseToExactLots",
    instrumentsOf: "createInstruments",
    unsafeOnChain: "filterUnsafeOnChain",
    idPages: "readIdPages",
    timePages: "readTimePages",
    readStreamName: "parseStreamName",
    decodeBalancesAnswer: "decodeBalancesResponse",
    taggedNonce: "createTaggedNonce",
    canonicalParams: "formatCanonicalParams",
    signedParams: "signParams",
    SafetyOnChain: "OnChainSafetyReader",
    WireBalancesAnswer: "WireBalancesResponse",
    OpenWord: "OpenEnum",
    WithExtra: "WithUnknownFields",
    MarketFigures: "MarketStateUpdate",
    FilterBreach: "FilterViolation",
    FilteredOrder: "OrderToCheck",
    QuestionAction: "QueryAction",
    AnswerData: "QueryResponses",
    toldPriceOf: "formatReportedPrice",
    toldAmountOf: "formatReportedAmount",
    creditOfTickLots: "tickLotsToCredit",
  }),
);

/** Methods of Instrument under their former names: users may still call them, and are warned. */
const RETIRED_METHODS = /\.(ticksOf|lotsOf|priceOf|amountOf|paperOf)\(/;

const problems = [
  ...FOLDERS.flatMap((folder) => readModules(ROOT, folder)).flatMap(problemsIn),
  ...pages().flatMap(problemsInPage),
];
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exitCode = 1;
}

function problemsIn({ path, text }) {
  if (path === "scripts/check-words.mjs" || NOT_OURS.test(path)) return [];
  const lines = readFileSync(join(ROOT, path), "utf8").split("\n");
  const code = text.split("\n");
  return lines.flatMap((line, index) => {
    const found = [];
    const at = `${path}:${index + 1}`;
    const isComment = /^\s*(\/\*|\*|\/\/)/.test(line) && code[index]?.trim() === "";
    if (
      isComment &&
      /^\s*(\/\*\*|\/\/|\*)\s+(What|Whether|Who)\b/.test(line) &&
      begins(lines, index)
    )
      found.push(`${at} begins a comment with a question word: expected a noun phrase or a verb`);
    if (isComment && line.length > MAX_COLUMNS && !/biome-ignore|@ts-|https?:/.test(line))
      found.push(`${at} is a comment of ${line.length} columns: expected at most ${MAX_COLUMNS}`);
    if (FORMER_NAMES.test(path)) return found;
    const method = RETIRED_METHODS.exec(code[index] ?? "");
    if (method !== null) found.push(`${at} calls ${method[1]}: expected the method's current name`);
    for (const [word] of (code[index] ?? "").matchAll(/[A-Za-z_$][\w$]*/g)) {
      const now = RETIRED.get(word);
      if (now !== undefined) found.push(`${at} names ${word}: expected ${now}`);
    }
    return found;
  });
}

/** True where a comment begins at the line: no line before it belongs to the same comment. */
function begins(lines, index) {
  const line = lines[index] ?? "";
  if (/^\s*\/\*\*/.test(line)) return true;
  const before = lines[index - 1] ?? "";
  return /^\s*\/\*\*?\s*$/.test(before) || (/^\s*\/\//.test(line) && !/^\s*\/\//.test(before));
}

/** The Markdown files of the root and of docs/. */
function pages() {
  const markdown = (name) => name.endsWith(".md");
  const docs = join(ROOT, "docs");
  const inDocs = existsSync(docs) ? readdirSync(docs, { recursive: true }).filter(markdown) : [];
  return [...readdirSync(ROOT).filter(markdown), ...inDocs.map((name) => join("docs", name))];
}

/**
 * Prose and code over the columns. Rows of tables, the output of programs (a block without a
 * language) and one long word, such as an address, are free.
 */
function problemsInPage(path) {
  let language;
  return readFileSync(join(ROOT, path), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      const fence = /^\s*```(\w*)/.exec(line);
      if (fence !== null) language = language === undefined ? fence[1] : undefined;
      const isFree = language === "" || language === "text" || /^\s*(\||\S+$)/.test(line);
      return line.length <= MAX_COLUMNS || isFree
        ? []
        : [`${path}:${index + 1} has ${line.length} columns: expected at most ${MAX_COLUMNS}`];
    });
}
