// The rooms of src: what each holds, and what it may import. `check-imports.mjs` enforces the
// table, and `npm run docs` writes it into docs/ideas/architecture.md.

/**
 * @typedef {object} Modules some modules of a room that others may import without the rest of it
 * @property {string} name in the table
 * @property {readonly string[]} modules below src, without an ending; `/*` at the end is every
 * module of a folder
 */

/**
 * @type {Modules} The records of orders and events and their costs, without their transport, for
 * rooms that use no network.
 */
const RECORDS = {
  name: "records of `exchange`",
  modules: [
    "exchange/records",
    "exchange/venue",
    "exchange/rate-buckets",
    "exchange/protocol/errors",
  ],
};

/**
 * @type {Modules} The decision about the fate of an order from the response to a place or a cancel.
 */
const FATE = { name: "`exchange/fate`", modules: ["exchange/fate"] };

/**
 * @type {Modules} The parts of the embedded exchange that its clients share: the schemas of both
 * sides, which it publishes, and the contracts that it deploys.
 */
const CONTRACT = {
  name: "`exchange/records`, `exchange/protocol`, `chain/abi`",
  modules: ["exchange/records", "exchange/protocol/*", "chain/abi/*"],
};

/** @type {Modules} The control sockets of running bots, as a client uses them. */
const CONTROL = {
  name: "the control sockets of `bot`",
  modules: ["bot/control/*", "bot/state/running-bots"],
};

/** @type {Modules} Events as they are sent to a person, and the file that keeps them. */
const NOTICES = {
  name: "the notices of `notify`",
  modules: ["notify/notice", "notify/notice-file"],
};

/** @type {Modules} The keys of a bot's file for its notices, and its heartbeat. */
const NOTIFIED = {
  name: "`notify` keys and heartbeat of `bot`",
  modules: ["bot/config/fields/notify-fields", "bot/state/heartbeat"],
};

/** @type {Modules} Requests by HTTP, which know if a byte of them was sent. */
const HTTP = {
  name: "`exchange/rest/pending-http-request`",
  modules: ["exchange/rest/pending-http-request", "exchange/rest/transport"],
};

/** @type {Modules} The liquidator's ledger, as its file has it. */
const OPPORTUNITIES = {
  name: "the ledger of `liquidator`",
  modules: ["liquidator/ledger/*"],
};

/** @type {Modules} The day files of a bot: their rows, and the thread that seals them. */
const DAYS = { name: "the day files of `ledger`", modules: ["ledger/days/*"] };

/** @type {Modules} A server of pages for this machine alone: sessions, checks, answers. */
const LOCAL_PAGES = {
  name: "the local server of `cockpit`",
  modules: [
    "cockpit/http-answers",
    "cockpit/local-server",
    "cockpit/page-files",
    "cockpit/page-sessions",
  ],
};

/** @type {Modules} Errors on their way from one thread to another. */
const THREAD_ERRORS = {
  name: "the errors of threads of `backtest`",
  modules: ["backtest/run/serialised-error"],
};

/** @type {Modules} The parts of a page in one file that loads nothing. */
const PAGES = {
  name: "the page parts of `backtest`",
  modules: ["backtest/report/page/*"],
};

/** @type {Modules} Days and times as users write them. */
const CALENDAR = { name: "the calendar of `history`", modules: ["history/day"] };

/** @type {Modules} */
const INTENT = {
  name: "the intent of `strategies`",
  modules: ["strategies/intent", "strategies/restrict-quotes"],
};

/** The base of every room: units, and the arithmetic of the contracts. */
const GROUND = ["core", "perpetual"];

/** The code that decides a bot's actions: everything except how it runs, and on which data. */
const TRADING = [
  ...GROUND,
  "reference",
  "hedge",
  "exchange",
  "market",
  "account",
  "strategies",
  "risk",
  "executor",
];

/**
 * The rooms, from the ground up. `mayImport` names rooms and modules; `"*"` is everything. A folder
 * of src that is not named here must not exist. A folder of a room that is named too is a room
 * within it: a room that may import the outer one may import it.
 *
 * @type {Readonly<Record<string, { readonly holds: string, readonly mayImport: readonly (string |
 * Modules)[] }>>}
 */
export const ROOMS = {
  core: {
    holds: "units, exact arithmetic, errors, runtime, cryptography, files, HTTP",
    mayImport: [],
  },
  perpetual: {
    holds: "arithmetic of the perpetual contracts: margin, capacity, fees, liquidation",
    mayImport: ["core"],
  },
  "market/book": {
    holds: "the order book, and the overlay of our own orders",
    mayImport: ["core"],
  },
  exchange: {
    holds: "the venue's client: REST, streams, signing, protocol, library",
    mayImport: [...GROUND, "market/book"],
  },
  chain: {
    holds: "RPCs, blocks, contracts and [transactions](transactions.md) as a client sees them",
    mayImport: GROUND,
  },
  ccxt: {
    holds: "the library ccxt: its interface, and the requests that it may make",
    mayImport: ["core"],
  },
  reference: {
    holds: "prices from outside: their combination, and the basis",
    mayImport: ["core"],
  },
  "reference/sources": {
    holds: "live [sources](../reference/reference-sources.md) of prices from outside",
    mayImport: ["core", "ccxt", "reference", "exchange", "chain", "market/book"],
  },
  hedge: {
    holds: "a position laid off on [another venue](../reference/hedge.md): the port, the hedger",
    mayImport: ["core"],
  },
  "hedge/embedded": {
    holds: "another exchange of this kind as a hedge venue, for simulations",
    mayImport: [...GROUND, "hedge", "exchange", "market/book"],
  },
  "hedge/ccxt": {
    holds: "the exchanges that ccxt reaches as hedge venues",
    mayImport: ["core", "ccxt", "hedge", HTTP],
  },
  market: {
    holds: "the synchronised book, marks, the view that strategies see",
    mayImport: [...GROUND, "reference", RECORDS],
  },
  account: {
    holds:
      "[orders](orders.md), positions from trades, profit, [reconciliation](reconciliation.md)",
    mayImport: [...GROUND, "market", RECORDS, FATE],
  },
  strategies: {
    holds: "the [built-in strategies](../reference/built-in-strategies.md), and the intent",
    mayImport: [...GROUND, "market", "account", RECORDS, CALENDAR],
  },
  risk: {
    holds: "limits, worst cases, guards, halts",
    mayImport: [...GROUND, "market", "account", INTENT, RECORDS],
  },
  executor: {
    holds: "an intent against the working orders: plans, outbox, token budget",
    mayImport: [...GROUND, "market", "account", "risk", INTENT, RECORDS],
  },
  liquidator: {
    holds: "[takeovers](takeovers.md) of accounts in danger, and their ledger",
    mayImport: [...GROUND, "chain", "market", "account", "risk", "executor", INTENT, RECORDS],
  },
  monitoring: {
    holds: "[metrics](../reference/metrics.md), logs, the screen",
    mayImport: TRADING,
  },
  bot: {
    holds: "everything above put together, turn by turn",
    mayImport: [...TRADING, "chain", "liquidator", "monitoring", NOTICES, DAYS],
  },
  notify: {
    holds:
      "[messages](../reference/notify.md) about a bot to people, and the chat that commands it",
    mayImport: ["core", NOTIFIED],
  },
  simulator: {
    holds: "the embedded exchange, its [chain](chain.md) and [settlement](settlement.md)",
    mayImport: [...GROUND, "market/book", CONTRACT],
  },
  history: {
    holds: "[recorded markets](../guides/history.md) as Parquet files, one a day",
    mayImport: [...GROUND, "market/book", "reference", "exchange"],
  },
  ledger: {
    holds:
      "the [account's books](../reference/ledger.md), and [day files](../reference/live-report.md)",
    mayImport: [...GROUND, "exchange", "account", "hedge", "history", OPPORTUNITIES],
  },
  backtest: {
    holds: "the bot on [recorded history](../guides/backtest.md), sweeps, comparisons, reports",
    mayImport: [...TRADING, "history", "monitoring", "bot", DAYS],
  },
  simulation: {
    holds: "the bot on an exchange in this process, in virtual time, with faults",
    mayImport: [...TRADING, "bot", "simulator"],
  },
  rehearsal: {
    holds: "a user's bot under every kind of fault, and its measures: `rehearse`",
    mayImport: [...TRADING, "bot", "simulator", "simulation", "monitoring", THREAD_ERRORS, PAGES],
  },
  testing: {
    holds:
      "the [test kit](../reference/testing-strategies.md) of strategies: `marketwright/testing`",
    mayImport: [...TRADING, "history", "bot", "backtest"],
  },
  cockpit: {
    holds: "the [page](../reference/cockpit.md) of all running bots: a server in its own thread",
    mayImport: ["core", CONTROL],
  },
  viewer: {
    holds: "the [page](../reference/journal-viewer.md) of a journal: each turn of a run",
    mayImport: ["core", "bot", LOCAL_PAGES, CALENDAR],
  },
  cli: {
    holds: "the commands, and what `--help` prints of them",
    mayImport: ["*"],
  },
};

/** The public entries: they assemble the code that users import. */
export const ENTRIES = new Set(["index"]);

/** True if a module of a room may import another, given below src and without an extension. */
export function mayImport(room, target) {
  const folder = `${target.slice(0, target.lastIndexOf("/"))}/*`;
  const names = ["*", ...roomsOf(target), target, folder];
  return ROOMS[room].mayImport
    .flatMap((allowed) => (typeof allowed === "string" ? [allowed] : allowed.modules))
    .some((name) => names.includes(name));
}

/** The rooms of a module below src, the outermost first; none for a public entry. */
export function roomsOf(module) {
  const folders = module.split("/").slice(0, -1);
  return folders
    .map((_folder, at) => folders.slice(0, at + 1).join("/"))
    .filter((name, at) => at === 0 || Object.hasOwn(ROOMS, name));
}

/** The permitted imports of a room, in words. */
export function allowedText(room) {
  const allowed = ROOMS[room].mayImport.map((name) =>
    typeof name !== "string" ? name.name : name === "*" ? "everything" : `\`${name}\``,
  );
  return allowed.length === 0 ? "nothing of ours" : allowed.join(", ");
}

/** The table of rooms, as Markdown. */
export function roomsTable() {
  const rows = Object.entries(ROOMS).map(
    ([room, { holds }]) => `| \`${room}\` | ${holds} | ${allowedText(room)} |`,
  );
  return ["| folder | holds | may import |", "|---|---|---|", ...rows].join("\n");
}

const BEGIN = "<!-- rooms: written by npm run docs -->\n";
const END = "<!-- end of rooms -->";

/** A page with the current table of rooms between its two marks. */
export function withRooms(page) {
  const start = page.indexOf(BEGIN) + BEGIN.length;
  return `${page.slice(0, start)}\n${roomsTable()}\n\n${page.slice(page.indexOf(END))}`;
}
