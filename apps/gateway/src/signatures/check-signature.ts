import {
  addressFromDid,
  InvalidDidError,
  parseDid,
  recoverSigner,
  type Did,
  type SignatureScheme,
} from '@ssb/identity';
import type { VerifySignature, VerifySignatureSuccess } from '@ssb/bus';
import { GatewayException, signatureCheckFailed } from '../http/gateway-exception.js';

/** An identity with its public key. A DID contains only the address. */
export interface KnownIdentity {
  readonly address: string;
  readonly publicKey: string;
}

/**
 * Document 002, rule 4. Compares addresses, because a `did:ethr` contains no public key.
 * On a mismatch `expected` is the public key of the gateway's own DID, or the address of another DID.
 * @throws GatewayException 200 SIG::NO_MATCH on a mismatch, 400 SIG::CHECK_FAILED when nothing can be recovered or compared
 */
export function checkSignature(
  { signature, did, payload }: VerifySignature,
  scheme: SignatureScheme,
  ownIdentity: KnownIdentity | undefined,
): VerifySignatureSuccess {
  if (signature === undefined || did === undefined || payload === undefined) {
    throw signatureCheckFailed('A check needs a signature, a did and a payload.');
  }
  const address = addressFromDid(readDid(did));
  const signer = recoverSigner(payload, signature, scheme);
  if (!signer.ok) throw signatureCheckFailed(`No public key can be recovered: ${signer.reason}.`);
  if (isSameAddress(signer.address, address)) return { ok: true };
  const isOwn = ownIdentity !== undefined && isSameAddress(ownIdentity.address, address);
  throw new GatewayException(200, 'SIG::NO_MATCH', 'The signature is not of the given DID.', {
    expected: isOwn ? ownIdentity.publicKey : address,
    actual: signer.publicKey,
    expectedAddress: address,
    actualAddress: signer.address,
  });
}

function readDid(text: string): Did {
  try {
    return parseDid(text);
  } catch (error) {
    // The message distinguishes a wrong form from a wrong checksum, and has the right one.
    if (error instanceof InvalidDidError) throw signatureCheckFailed(`The did is wrong: ${error.message}.`);
    throw error;
  }
}

/** The case of an address is its checksum (EIP-55). */
function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
