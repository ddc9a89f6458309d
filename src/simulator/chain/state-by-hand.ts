/**
 * Methods of development nodes that change the chain's state manually. They need the development
 * methods to be enabled, and are logged for a rebuild.
 */
export const STATE_BY_HAND = [
  "hardhat_dropTransaction",
  "hardhat_impersonateAccount",
  "hardhat_setBalance",
  "hardhat_setCode",
  "hardhat_setCoinbase",
  "hardhat_setNextBlockBaseFeePerGas",
  "hardhat_setNonce",
  "hardhat_setPrevRandao",
  "hardhat_setStorageAt",
  "hardhat_stopImpersonatingAccount",
] as const;
