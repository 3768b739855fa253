import type { DidDocument } from '@ssb/bus';
import { methodOf, DEFAULT_DID_METHOD, type Did } from '@ssb/identity';
import type { RoleRecord } from '../roles/role-state.js';

/** W3C DID Core 1.0 §4.1, and the suite that defines `EcdsaSecp256k1RecoveryMethod2020`. */
const CONTEXT = [
  'https://www.w3.org/ns/did/v1',
  'https://w3id.org/security/suites/secp256k1recovery-2020/v2',
];

/** EIP-155 chain ids of network names. Other networks appear by number (`did:ethr:0x12047:…`). */
const CHAIN_IDS: Readonly<Record<string, number>> = {
  mainnet: 1,
  ewc: 246,
  volta: 73_799,
  sepolia: 11_155_111,
};

/** The network of a `did:ethr` without a network part (ERC-1056 method specification, "Target System"). */
const MAIN_NETWORK = 'mainnet';

/**
 * The DID document of an identity. It contains the identity's key, and its approved roles that it has added to the document.
 * @param did as the client wrote it; it is the document's id
 * @param address with its EIP-55 checksum
 * @param records of this identity, in any order
 */
export function buildDidDocument(did: Did, address: string, records: readonly RoleRecord[]): DidDocument {
  const controller = `${did}#controller`;
  const chainId = findChainId(did);
  return {
    '@context': CONTEXT,
    id: did,
    verificationMethod: [
      {
        id: controller,
        type: 'EcdsaSecp256k1RecoveryMethod2020',
        controller: did,
        // Without a chain id there is no account id; the last part of `id` still is the address.
        ...(chainId !== undefined && { blockchainAccountId: `eip155:${chainId}:${address}` }),
      },
    ],
    authentication: [controller],
    assertionMethod: [controller],
    service: records.flatMap((record) => buildServices(did, record)).sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function buildServices(did: string, { role, state, published }: RoleRecord): DidDocument['service'] {
  if (state !== 'APPROVED' || published === undefined) return [];
  const { issuer, issuedAt, token } = published;
  return [{ id: `${did}#${role}`, type: 'RoleClaim', serviceEndpoint: { role, issuer, issuedAt, token } }];
}

/** Undefined for an unknown network, and for another DID method without a network part. */
function findChainId(did: Did): number | undefined {
  const parts = did.split(':');
  const defaultNetwork = methodOf(did) === DEFAULT_DID_METHOD ? MAIN_NETWORK : '';
  const network = parts.length > 3 ? (parts.at(-2) ?? '') : defaultNetwork;
  if (/^0x[0-9a-fA-F]{1,12}$/.test(network)) return Number(network);
  return Object.hasOwn(CHAIN_IDS, network) ? CHAIN_IDS[network] : undefined;
}
