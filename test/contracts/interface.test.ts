import { execFileSync } from "node:child_process";
import { id } from "ethers";
import { describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../project/checkout.js";
import { DEALER, PERPETUAL } from "./world.js";

// Both lists are the published contracts'; their selectors were computed there.
const DEALER_SELECTORS = {
  domainSeparator: "0xf698da25",
  deposit: "0x8dbdbe6d",
  requestWithdraw: "0x3a2bf94e",
  executeWithdraw: "0x17a4dbaa",
  fastWithdraw: "0xda22b46c",
  setOperator: "0x558a7297",
  handleBadDebt: "0x11fd52e1",
  isSafe: "0x769a28ac",
  isAllSafe: "0x181f4922",
  getTraderRisk: "0x6e753010",
  getLiquidationPrice: "0x1867b480",
  getLiquidationCost: "0x59cd592d",
  getRiskParams: "0x4f33cb53",
  getAllRegisteredPerps: "0x92e189a6",
  getMarkPrice: "0x5d6f9c14",
  getPositions: "0x3eeb530e",
  getCreditOf: "0xc97ab30c",
};
const PERPETUAL_SELECTORS = {
  balanceOf: "0x70a08231",
  trade: "0x1037ea51",
  liquidate: "0xc1790370",
  getFundingRate: "0x95196f7e",
};

const RISK_PARAMS = "(uint256,uint256,uint256,uint256,address,string,bool)";

const DEALER_FUNCTIONS = [
  "version() returns (string)",
  "domainSeparator() returns (bytes32)",
  "state() returns (address,address,uint256,bool,address,address,uint256)",
  "deposit(uint256,uint256,address)",
  "requestWithdraw(address,uint256,uint256)",
  "executeWithdraw(address,address,bool,bytes)",
  "fastWithdraw(address,address,uint256,uint256,bool,bytes)",
  "setOperator(address,bool)",
  "approveFundOperator(address,uint256,uint256)",
  "handleBadDebt(address)",
  "isSafe(address) returns (bool)",
  "isIMSafe(address) returns (bool)",
  "isAllSafe(address[]) returns (bool)",
  "getTraderRisk(address) returns (int256,uint256,uint256,uint256)",
  "getLiquidationPrice(address,address) returns (uint256)",
  "getLiquidationCost(address,address,int256) returns (int256,int256)",
  `getRiskParams(address) returns (${RISK_PARAMS})`,
  "getAllRegisteredPerps() returns (address[])",
  "getMarkPrice(address) returns (uint256)",
  "getFundingRate(address) returns (int256)",
  "getPositions(address) returns (address[])",
  "getCreditOf(address) returns (int256,uint256,uint256,uint256,uint256)",
  "getOrderFilledAmount(bytes32) returns (uint256)",
  "isOrderSenderValid(address) returns (bool)",
  "isFastWithdrawalValid(address) returns (bool)",
  "isOperatorValid(address,address) returns (bool)",
  "isCreditAllowed(address,address) returns (uint256,uint256)",
  "approveTrade(address,bytes) returns (address[],int256[],int256[])",
  "requestLiquidation(address,address,address,int256) returns (int256,int256,int256,int256)",
  "openPosition(address)",
  "realizePnl(address,int256)",
  "updateFundingRate(address[],int256[])",
  `setPerpRiskParams(address,${RISK_PARAMS})`,
  "setOrderSender(address,bool)",
  "setInsurance(address)",
  "setFundingRateKeeper(address)",
  "setMaxPositionAmount(uint256)",
  "setWithdrawTimeLock(uint256)",
  "setSecondaryAsset(address)",
  "disableFastWithdraw(bool)",
  "setFastWithdrawalWhitelist(address,bool)",
  "setWithdrawlWhitelist(address,bool)",
  "getSetOperatorCallData(address,bool) returns (bytes)",
  "getRequestWithdrawCallData(address,uint256,uint256) returns (bytes)",
  "getExecuteWithdrawCallData(address,address,bool,bytes) returns (bytes)",
  "owner() returns (address)",
  "transferOwnership(address)",
  "renounceOwnership()",
];

const PERPETUAL_FUNCTIONS = [
  "owner() returns (address)",
  "transferOwnership(address)",
  "renounceOwnership()",
  "balanceOf(address) returns (int256,int256)",
  "updateFundingRate(int256)",
  "getFundingRate() returns (int256)",
  "trade(bytes)",
  "liquidate(address,address,int256,int256) returns (int256,int256)",
];

// Full topics are the hashes of these; those whose beginning was published are compared with it.
const DEALER_EVENTS: readonly (readonly [string, string, string?])[] = [
  ["Deposit", "Deposit(address indexed,address indexed,uint256,uint256)"],
  ["Withdraw", "Withdraw(address indexed,address indexed,uint256,uint256)"],
  ["RequestWithdraw", "RequestWithdraw(address indexed,uint256,uint256,uint256)"],
  ["TransferIn", "TransferIn(address,uint256,uint256)"],
  ["TransferOut", "TransferOut(address,uint256,uint256)"],
  [
    "OrderFilled",
    "OrderFilled(bytes32 indexed,address indexed,address indexed,int256,int256,uint256,int256)",
    "0x37b2a69d",
  ],
  [
    "BeingLiquidated",
    "BeingLiquidated(address indexed,address indexed,int256,int256,uint256)",
    "0x2fb7b7e9",
  ],
  [
    "JoinLiquidation",
    "JoinLiquidation(address indexed,address indexed,address indexed,int256,int256,uint256)",
    "0x3cd850c8",
  ],
  ["ChargeInsurance", "ChargeInsurance(address indexed,address indexed,uint256)", "0x64f29979"],
  ["HandleBadDebt", "HandleBadDebt(address indexed,int256,uint256)", "0x9a85af69"],
  ["SetOperator", "SetOperator(address indexed,address indexed,bool)"],
  ["UpdateFundingRate", "UpdateFundingRate(address indexed,int256,int256)", "0x45481379"],
  ["UpdatePerpRiskParams", `UpdatePerpRiskParams(address indexed,${RISK_PARAMS})`],
  [
    "FundOperatorAllowedChange",
    "FundOperatorAllowedChange(address indexed,address indexed,uint256,uint256)",
  ],
  ["SetInsurance", "SetInsurance(address,address)"],
  ["SetFundingRateKeeper", "SetFundingRateKeeper(address,address)"],
  ["SetOrderSender", "SetOrderSender(address,bool)"],
  ["SetSecondaryAsset", "SetSecondaryAsset(address)"],
  ["SetFastWithdrawalWhitelist", "SetFastWithdrawalWhitelist(address,bool)"],
  ["SetMaxPositionAmount", "SetMaxPositionAmount(uint256,uint256)"],
  ["SetWithdrawTimeLock", "SetWithdrawTimeLock(uint256,uint256)"],
  ["FastWithdrawDisabled", "FastWithdrawDisabled(bool)"],
  ["OwnershipTransferred", "OwnershipTransferred(address indexed,address indexed)"],
];
const PERPETUAL_EVENTS: readonly (readonly [string, string, string?])[] = [
  ["BalanceChange", "BalanceChange(address indexed,int256,int256)", "0x46715464"],
  ["UpdateFundingRate", "UpdateFundingRate(int256,int256)", "0x41a4e7ee"],
];

describe("the published interface", () => {
  it.each(Object.entries(DEALER_SELECTORS))("the dealer's %s is called by %s", (name, selector) => {
    expect(DEALER.getFunction(name)?.selector).toBe(selector);
  });

  it.each(Object.entries(PERPETUAL_SELECTORS))(
    "the perpetual's %s is called by %s",
    (name, selector) => {
      expect(PERPETUAL.getFunction(name)?.selector).toBe(selector);
    },
  );

  it.each([
    ...DEALER_FUNCTIONS.map((signature) => ["dealer", signature, DEALER] as const),
    ...PERPETUAL_FUNCTIONS.map((signature) => ["perpetual", signature, PERPETUAL] as const),
  ])("the %s has %s", (_, signature, contract) => {
    const [call = "", results = ""] = signature.split(" returns ");
    const fragment = contract.getFunction(call);
    expect(fragment?.outputs.map((output) => output.format("sighash")).join(",")).toBe(
      results.slice(1, -1),
    );
  });

  it.each([
    ["dealer", DEALER, DEALER_EVENTS],
    ["perpetual", PERPETUAL, PERPETUAL_EVENTS],
  ] as const)(
    "the %s's events have the published topics and indexed fields",
    (_, contract, events) => {
      for (const [name, declaration, topic] of events) {
        const fragment = contract.getEvent(name);
        expect(
          `${name}(${fragment?.inputs.map((input) => input.format("sighash") + (input.indexed ? " indexed" : "")).join(",")})`,
        ).toBe(declaration);
        expect(fragment?.topicHash).toBe(id(declaration.replaceAll(" indexed", "")));
        if (topic !== undefined) expect(fragment?.topicHash.slice(0, 10)).toBe(topic);
      }
    },
  );

  it.each([
    ["dealer", DEALER, DEALER_EVENTS],
    ["perpetual", PERPETUAL, PERPETUAL_EVENTS],
  ] as const)("the %s has no other events", (_, contract, events) => {
    const names: string[] = [];
    contract.forEachEvent(({ name }) => void names.push(name));
    // The signature library's own, which is never emitted here.
    expect(names.filter((name) => name !== "EIP712DomainChanged").sort()).toEqual(
      events.map(([name]) => name).sort(),
    );
  });
});

describe("the generated modules", () => {
  it("are what contracts/ compiles to", () => {
    const script = ["--import", "tsx", "scripts/contracts.ts", "--check"];
    expect(() =>
      execFileSync(process.execPath, script, { cwd: PROJECT_ROOT, stdio: "pipe" }),
    ).not.toThrow();
  });
});
