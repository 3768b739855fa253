import {
  addressFromDid,
  InvalidDidError,
  parseDid,
  recoverSigner,
  type Did,
  type SignatureScheme,
} from '@ssb/identity';
import type { VerifySignature, VerifySignatureSuccess } from '@ssb/bus';
import { GatewayFailure, signatureCheckFailed } from '../http/gateway-exception.js';

/** An identity whose public key is known; a DID of another carries an address alone. */
export interface KnownIdentity {
  readonly address: string;
  readonly publicKey: string;
}

/**
 * Document 002, rule 4: recovers the public key of the signature and compares it with the DID's. A DID of `did:ethr` holds the
 * address (the hashed public key), so addresses are what is compared; `expected` is the public key where it is known, that is for
 * the gateway's own DID, and the address otherwise.
 * @throws GatewayFailure 200 SIG::NO_MATCH on a mismatch, 400 SIG::CHECK_FAILED when nothing can be recovered or compared
 */
export function checkSignature(
  { signature, did, payload }: VerifySignature,
  scheme: SignatureScheme,
  own: KnownIdentity | undefined,
): VerifySignatureSuccess {
  if (signature === undefined || did === undefined || payload === undefined) {
    throw signatureCheckFailed('A check needs a signature, a did and a payload.');
  }
  const address = addressFromDid(readDid(did));
  const signer = recoverSigner(payload, signature, scheme);
  if (!signer.ok) throw signatureCheckFailed(`No public key can be recovered: ${signer.reason}.`);
  if (sameAddress(signer.address, address)) return { ok: true };
  throw new GatewayFailure(200, 'SIG::NO_MATCH', 'The signature is not of the given DID.', {
    expected: own && sameAddress(own.address, address) ? own.publicKey : address,
    actual: signer.publicKey,
    expectedAddress: address,
    actualAddress: signer.address,
  });
}

function readDid(text: string): Did {
  try {
    return parseDid(text);
  } catch (error) {
    // Its own words tell a wrong form from a wrong checksum, and what the right one is.
    if (error instanceof InvalidDidError) throw signatureCheckFailed(`The did is wrong: ${error.message}.`);
    throw error;
  }
}

/** The case of an address is its checksum, not its identity (EIP-55). */
function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
