import type { ContractDecoder } from "@nomicfoundation/edr";
import { loadOptional } from "../../core/optional-part.js";

/**
 * A decoder of stack traces without contract names; reverts are read from their data, as on any
 * chain.
 *
 * It holds one contract that is never deployed, since an empty decoder is slow. To name the
 * contract of every call, edr 0.13 looks its code up in a trie. Where no known code begins with the
 * first byte it tries each further byte as the first: 20,000 steps for a call to the dealer.
 * Compiled contracts begin with PUSH1, and so does this one, so that the search ends at the second
 * byte.
 */
export async function noContractNames(): Promise<ContractDecoder> {
  const { ContractDecoder } = await loadOptional("@nomicfoundation/edr");
  return ContractDecoder.withContracts({ buildInfos: [Buffer.from(JSON.stringify(BUILD))] });
}

const NAME = "Nobody";
const SOURCE = "nobody.sol";

/**
 * The decoder's input: PUSH1 of a number that no compiler begins with, and INVALID at the end of
 * the constructor.
 */
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
