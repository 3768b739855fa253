import type { DidDocument } from '@ssb/bus';
import { methodOf, USUAL_METHOD, type Did } from '@ssb/identity';
import type { RoleRecord } from '../roles/role-state.js';

/** W3C DID Core 1.0 §4.1 and the suite of keys that are known by their address alone. */
const CONTEXT = [
  'https://www.w3.org/ns/did/v1',
  'https://w3id.org/security/suites/secp256k1recovery-2020/v2',
];

/** EIP-155 numbers of the networks that DIDs name; another one is named by its number (`did:ethr:0x12047:…`). */
const CHAINS: Readonly<Record<string, number>> = {
  mainnet: 1,
  ewc: 246,
  volta: 73_799,
  sepolia: 11_155_111,
};

/**
 * `did:ethr` without a network part means the main network (ERC-1056 method specification, "Target System"); of other methods none is
 * known.
 */
const MAIN_NETWORK = 'mainnet';

/**
 * The DID document of an identity: the one key that its address stands for, and the roles that it has added and still holds.
 * @param did as it was asked for; it is the document's id
 * @param address with its EIP-55 checksum
 * @param records of this identity, in any order
 */
export function didDocument(did: Did, address: string, records: readonly RoleRecord[]): DidDocument {
  const controller = `${did}#controller`;
  const chain = chainOf(did);
  return {
    '@context': CONTEXT,
    id: did,
    verificationMethod: [
      {
        id: controller,
        type: 'EcdsaSecp256k1RecoveryMethod2020',
        controller: did,
        // Of a network that is not known here the account's number cannot be told: the id's last part still names the address.
        ...(chain !== undefined && { blockchainAccountId: `eip155:${chain}:${address}` }),
      },
    ],
    authentication: [controller],
    assertionMethod: [controller],
    service: records.flatMap((record) => serviceOf(did, record)).sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function serviceOf(did: string, { role, state, published }: RoleRecord): DidDocument['service'] {
  if (state !== 'APPROVED' || published === undefined) return [];
  const { issuer, issuedAt, token } = published;
  return [{ id: `${did}#${role}`, type: 'RoleClaim', serviceEndpoint: { role, issuer, issuedAt, token } }];
}

function chainOf(did: Did): number | undefined {
  const parts = did.split(':');
  const unnamed = methodOf(did) === USUAL_METHOD ? MAIN_NETWORK : '';
  const network = parts.length > 3 ? (parts.at(-2) ?? '') : unnamed;
  if (/^0x[0-9a-fA-F]{1,12}$/.test(network)) return Number(network);
  return Object.hasOwn(CHAINS, network) ? CHAINS[network] : undefined;
}
