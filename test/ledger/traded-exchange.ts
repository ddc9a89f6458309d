import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadBotConfig } from "#bot/config.js";
import { stateDirFor } from "#bot/state-dir.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { type OpenExchange, openConfiguredExchange } from "#simulator/configured-exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { captureCli } from "../cli/captured-cli.js";
import { ReferenceClient } from "../simulator/reference-client.js";

const { clock } = createLiveRuntime();

/**
 * An exchange over real HTTP that pays funding each second and fails a fifth of its settlements,
 * and a bot whose account this test's own client shares.
 */
export class TradedExchange {
  readonly folder = mkdtempSync(join(tmpdir(), "mw-"));
  readonly key: Hex = `0x${"5c".repeat(32)}`;
  readonly env = { BOT_KEY: this.key, XDG_RUNTIME_DIR: this.folder };
  readonly file = join(this.folder, "bot.yaml");
  /** The bot's account by hand. */
  readonly client: ReferenceClient;

  private constructor(
    readonly open: OpenExchange,
    readonly server: ExchangeServer,
  ) {
    this.client = new ReferenceClient(open.exchange, () => clock.nowMs(), this.key, "10.0.0.9");
    writeFileSync(
      this.file,
      `exchange: { rest: "${server.restUrl}", stream: "${server.streamUrl}" }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc:
    strategy: ladder
    params: { halfSpreadBps: 0.2, sizeBase: 0.02 }
    limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 }
risk: { maxDrawdownQuote: 5000, maxLoopLagMs: 60000 }
`,
    );
  }

  static async start(): Promise<TradedExchange> {
    const config = parseExchangeConfig({
      port: 0,
      seed: 7,
      settlement: { delayMs: 300, failureRate: 0.2 },
      markets: {
        btcusdc: {
          tickSize: "0.1",
          stepSize: "0.001",
          flow: { kind: "synthetic", startPriceQuote: 60_000 },
          funding: { mode: "fixed", rate: "0.0001", intervalMs: 1000 },
        },
      },
    });
    const open = await openConfiguredExchange(config, { clock, random: seededRandom("exchange") });
    open.exchange.start();
    return new TradedExchange(open, await serveExchange(open.exchange));
  }

  get stateDir(): string {
    return stateDirFor(loadBotConfig(this.file, this.env), ecdsaScheme.signer(this.key).address);
  }

  /** Runs the bot for a while. */
  async run(time: string): Promise<void> {
    const { code, err } = await captureCli(["run", this.file, "--json", "--for", time], this.env);
    if (code !== 0) throw new Error(err);
  }

  /** Moves money by hand: from or to the account. */
  move(path: "/withdraw" | "/faucet", amount: string): void {
    const named = { account: this.client.address, amount };
    const parameters = path === "/faucet" ? named : this.client.signed({ amount });
    const { status, body } = this.client.raw("POST", path, parameters);
    if (status >= 300) throw new Error(body);
  }

  /** Trades by hand, as the bot's account while no bot runs. */
  trade(side: "BUY" | "SELL", amount: string): void {
    const price = side === "BUY" ? "61000" : "59000";
    const { status, body } = this.client.place(side, price, amount, { timeInForce: "IOC" });
    if (status !== 200) throw new Error(body);
  }

  ledger(...args: readonly string[]) {
    const [action = "", ...rest] = args;
    return captureCli(["ledger", action, this.file, ...rest], this.env);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.open.close();
  }
}
