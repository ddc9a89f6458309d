import { ContractDecoder } from "@nomicfoundation/edr";

/**
 * A decoder of stack traces that knows no contract: reverts are read from their data here, as on any chain.
 *
 * It holds one contract that nobody deploys, since an empty one is slow. To name the contract of every call, edr 0.13 looks its code up
 * in a trie, and where no known code begins with the first byte it tries each further byte as the first one: 20,000 steps for a dealer
 * that is called. Compiled contracts begin with PUSH1, and so does this one, so that the search ends at the second byte.
 */
export function noContractNames(): ContractDecoder {
  return ContractDecoder.withContracts({ buildInfos: [Buffer.from(JSON.stringify(BUILD))] });
}

const NAME = "Nobody";
const SOURCE = "nobody.sol";

/** In the form that the decoder reads: PUSH1 of a number that no compiler begins with, INVALID where the constructor ends. */
const BUILD = {
  _format: "hh-sol-build-info-1",
  id: NAME,
  solcVersion: "0.8.37",
  solcLongVersion: "0.8.37",
  input: { language: "Solidity", sources: { [SOURCE]: { content: "" } } },
  output: {
    sources: {
      [SOURCE]: {
        id: 0,
        ast: {
          nodes: [
            {
              nodeType: "ContractDefinition",
              contractKind: "contract",
              name: NAME,
              id: 0,
              src: "0:0:0",
              linearizedBaseContracts: [],
              nodes: [],
            },
          ],
        },
      },
    },
    contracts: {
      [SOURCE]: {
        [NAME]: {
          abi: [],
          evm: {
            bytecode: bytecode("6000fe"),
            deployedBytecode: bytecode("6001"),
            methodIdentifiers: {},
          },
        },
      },
    },
  },
};

function bytecode(object: string) {
  return { object, opcodes: "", sourceMap: "", linkReferences: {}, immutableReferences: {} };
}
