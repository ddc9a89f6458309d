import { Interface, type InterfaceAbi, Wallet } from "ethers";
import { dealerAbi, dealerBytecode } from "#chain/dealer.generated.js";
import { perpetualAbi, perpetualBytecode } from "#chain/perpetual.generated.js";
import {
  settablePriceSourceAbi,
  settablePriceSourceBytecode,
} from "#chain/settable-price-source.generated.js";
import { testTokenAbi, testTokenBytecode } from "#chain/test-token.generated.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { match, orderInfo, tradeData } from "../../contracts/signed-orders.js";
import { BTC_RATIOS, COIN, KEYS, USD } from "../../contracts/world.js";

const { clock } = createLiveRuntime();
const [DEALER, PERPETUAL, SOURCE, TOKEN] = [
  dealerAbi,
  perpetualAbi,
  settablePriceSourceAbi,
  testTokenAbi,
].map((abi) => new Interface(abi)) as [Interface, Interface, Interface, Interface];
const TRIES = 2000;

/**
 * The contracts on any chain behind a JSON-RPC address, with a market at 30,000 and four accounts;
 * everything sent over that address.
 */
export class RpcSite {
  /** Owns everything, and sends the trades. */
  readonly owner = KEYS[0] as Hex;
  readonly liquidator = KEYS[1] as Hex;
  readonly victim = KEYS[2] as Hex;
  /** Has the other side of the victim's position. */
  readonly counterparty = KEYS[3] as Hex;
  readonly insurance = addressOf(KEYS[7] as Hex);
  dealer: Hex = "";
  token: Hex = "";
  perp: Hex = "";
  source: Hex = "";
  #nonce = 0n;

  private constructor(
    readonly url: string,
    readonly chainId: number,
  ) {}

  static async deploy(url: string): Promise<RpcSite> {
    const site = new RpcSite(url, Number(await ask(url, "eth_chainId", [])));
    await site.#setUp();
    return site;
  }

  /** The victim is long a coin at 30,000 with 5,000 of its own. */
  async openVictim(): Promise<void> {
    for (const [key, dollars] of [
      [this.victim, 5_000n],
      [this.counterparty, 50_000n],
      [this.liquidator, 50_000n],
    ] as const) {
      await this.#send(
        this.owner,
        this.token,
        TOKEN.encodeFunctionData("mint", [addressOf(key), dollars * USD]),
      );
      await this.#send(
        key,
        this.token,
        TOKEN.encodeFunctionData("approve", [this.dealer, dollars * USD]),
      );
      await this.#send(
        key,
        this.dealer,
        DEALER.encodeFunctionData("deposit", [dollars * USD, 0n, addressOf(key)]),
      );
    }
    const separator = String(await this.read(this.dealer, DEALER, "domainSeparator"));
    const order = (key: Hex, paper: bigint) => {
      this.#nonce += 1n;
      const credit = -paper * 30_000n * USD;
      const info = orderInfo(0n, 0n, 2_051_222_400n, this.#nonce);
      return match(
        separator,
        { signer: ecdsaScheme.signer(key), perp: this.perp, paper, credit: credit / COIN, info },
        COIN,
      );
    };
    const data = PERPETUAL.encodeFunctionData("trade", [
      tradeData([order(this.victim, COIN), order(this.counterparty, -COIN)]),
    ]);
    await this.#send(this.owner, this.perp, data);
  }

  /** In whole dollars. */
  async setPrice(dollars: bigint): Promise<void> {
    await this.#send(
      this.owner,
      this.source,
      SOURCE.encodeFunctionData("setMarkPrice", [dollars * USD]),
    );
  }

  /** Paper and credit of an account in the market. */
  async balance(key: Hex): Promise<[bigint, bigint]> {
    const data = PERPETUAL.encodeFunctionData("balanceOf", [addressOf(key)]);
    const [paper, credit] = PERPETUAL.decodeFunctionResult(
      "balanceOf",
      String(await ask(this.url, "eth_call", [{ to: this.perp, data }, "latest"])),
    );
    return [paper as bigint, credit as bigint];
  }

  /** A view's first value. */
  async read(to: Hex, abi: Interface, name: string, ...args: readonly unknown[]): Promise<unknown> {
    const returned = await ask(this.url, "eth_call", [
      { to, data: abi.encodeFunctionData(name, args) },
      "latest",
    ]);
    return abi.decodeFunctionResult(name, String(returned))[0];
  }

  async #setUp(): Promise<void> {
    for (const key of [this.liquidator, this.victim, this.counterparty])
      await this.#send(this.owner, addressOf(key), "0x", 10n ** 18n);
    this.token = await this.#deploy(testTokenAbi, testTokenBytecode, "Test USD Coin", "USDC");
    this.dealer = await this.#deploy(dealerAbi, dealerBytecode, this.token);
    this.perp = await this.#deploy(perpetualAbi, perpetualBytecode, this.dealer);
    this.source = await this.#deploy(
      settablePriceSourceAbi,
      settablePriceSourceBytecode,
      "BTC/USD",
      10 ** 9,
    );
    const { initial, maintenance, discount, insuranceFee } = BTC_RATIOS;
    const params = [initial, maintenance, discount, insuranceFee, this.source, "btcusdc", true];
    for (const [name, ...args] of [
      ["setInsurance", this.insurance],
      ["setOrderSender", addressOf(this.owner), true],
      ["setMaxPositionAmount", 10],
      ["setPerpRiskParams", this.perp, params],
    ] as const) {
      await this.#send(this.owner, this.dealer, DEALER.encodeFunctionData(name, args));
    }
    await this.setPrice(30_000n);
  }

  async #deploy(abi: InterfaceAbi, bytecode: Hex, ...args: readonly unknown[]): Promise<Hex> {
    const receipt = await this.#send(
      this.owner,
      null,
      bytecode + new Interface(abi).encodeDeploy(args).slice(2),
    );
    return String(receipt.contractAddress);
  }

  /** Sends, and waits for the block. */
  async #send(
    key: Hex,
    to: Hex | null,
    data: Hex,
    value = 0n,
  ): Promise<Readonly<Record<string, unknown>>> {
    const nonce = Number(
      await ask(this.url, "eth_getTransactionCount", [addressOf(key), "latest"]),
    );
    const fees = { maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n };
    const raw = await new Wallet(key).signTransaction({
      type: 2,
      chainId: this.chainId,
      nonce,
      to,
      data,
      value,
      gasLimit: 8_000_000,
      ...fees,
    });
    const hash = await ask(this.url, "eth_sendRawTransaction", [raw]);
    for (let i = 0; i < TRIES; i += 1) {
      const receipt = (await ask(this.url, "eth_getTransactionReceipt", [hash])) as Readonly<
        Record<string, unknown>
      > | null;
      if (receipt?.status === "0x1") return receipt;
      if (receipt !== null) throw new Error(`${data.slice(0, 10)} was undone`);
      await new Promise<void>((resolve) => clock.setTimer(20, resolve));
    }
    throw new Error(`${data.slice(0, 10)} was not mined`);
  }
}

export function addressOf(key: Hex): Hex {
  return ecdsaScheme.signer(key).address;
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  const { result, error } = (await answer.json()) as {
    readonly result?: unknown;
    readonly error?: { readonly message: string };
  };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}
