import { HDNodeWallet, Mnemonic, toUtf8Bytes } from "ethers";
import { bytesToHex, hexToBytes } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import { ecdsaScheme, type Signer } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import type { Hex, MarketId } from "../../core/units.js";

/** A key of the chain and its signer. */
export interface ChainAccount {
  readonly privateKey: Hex;
  readonly signer: Signer;
}

/** The accounts of a chain, all derived from one mnemonic. */
export interface ChainKeys {
  /** For traders, wallets and tools: `m/44'/60'/0'/0/i` (BIP-44), as on every development chain. */
  readonly accounts: readonly ChainAccount[];
  /** Deploys and owns the dealer, the token, the lens and the funding limiter. */
  readonly owner: ChainAccount;
  /** Sends the trades. */
  readonly orderSender: ChainAccount;
  /** Covers bad debt and receives the insurance fee. */
  readonly insurance: ChainAccount;
  /** Updates the funding rates, directly or through the limiter. */
  readonly fundingKeeper: ChainAccount;
  /**
   * Deploys a market's contracts and sets its price. Derived from the market's id alone, so that
   * other markets do not change its addresses.
   */
  market(marketId: MarketId): ChainAccount;
  /**
   * A market's house: the account of its order flow, which trades with all participants. Derived
   * from the market's id alone.
   */
  house(marketId: MarketId): ChainAccount;
}

/** @throws ConfigError for an invalid BIP-39 mnemonic; the error does not contain it. */
export function chainKeys(phrase: string, count: number): ChainKeys {
  const root = rootOf(phrase);
  const plain = root.derivePath("m/44'/60'/0'/0");
  // Roles have a branch of their own, so that the holder of the ordinary accounts has none of their
  // keys.
  const roles = root.derivePath("m/44'/60'/1'/0");
  const role = (index: number) => account(roles.deriveChild(index).privateKey);
  const [markets, houses] = [4, 5].map((index) =>
    hexToBytes(roles.deriveChild(index).privateKey),
  ) as [Uint8Array, Uint8Array];
  const named = (secret: Uint8Array, name: string) =>
    account(bytesToHex(keccak256(Uint8Array.from([...secret, ...toUtf8Bytes(name)]))));
  return {
    accounts: Array.from({ length: count }, (_, index) =>
      account(plain.deriveChild(index).privateKey),
    ),
    owner: role(0),
    orderSender: role(1),
    insurance: role(2),
    fundingKeeper: role(3),
    market: (marketId) => named(markets, marketId),
    house: (marketId) => named(houses, marketId),
  };
}

function account(privateKey: Hex): ChainAccount {
  return { privateKey, signer: ecdsaScheme.signer(privateKey) };
}

function rootOf(phrase: string): HDNodeWallet {
  if (!Mnemonic.isValidMnemonic(phrase)) {
    throw new ConfigError("is not a valid BIP-39 phrase", {
      field: "mnemonic",
      expected: "12, 15, 18, 21 or 24 words of its English list, the last with their checksum",
    });
  }
  return HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(phrase), "m");
}
