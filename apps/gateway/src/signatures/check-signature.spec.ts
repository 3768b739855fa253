import { Wallet, getBytes, keccak256, toUtf8Bytes } from 'ethers';
import { checkSignature } from './check-signature.js';
import { GatewayException } from '../http/gateway-exception.js';

const wallet = new Wallet(`0x${'11'.repeat(32)}`);
const other = new Wallet(`0x${'22'.repeat(32)}`);
const payload = '{"grün":"1.10"}';
const did = `did:ethr:${wallet.address}`;
const signature = await wallet.signMessage(payload);

function refusal(
  request: { signature?: string; did?: string; payload?: string },
  own?: Wallet,
): GatewayException {
  try {
    checkSignature(request, 'eip191', own && { address: own.address, publicKey: own.signingKey.publicKey });
  } catch (error) {
    if (error instanceof GatewayException) return error;
    throw error;
  }
  throw new Error('the signature was accepted');
}

describe('a signature', () => {
  it.each([
    ['in its usual form', did],
    ['with the address in lower case', did.toLowerCase()],
    ['with a network part', `did:ethr:volta:${wallet.address}`],
  ])('of a wallet library matches the DID %s', (_name, given) => {
    expect(checkSignature({ signature, did: given, payload }, 'eip191', undefined)).toEqual({ ok: true });
  });

  it('over the plain hash matches with the scheme keccak256', () => {
    const bare = wallet.signingKey.sign(getBytes(keccak256(toUtf8Bytes(payload)))).serialized;
    expect(checkSignature({ signature: bare, did, payload }, 'keccak256', undefined)).toEqual({ ok: true });
  });

  it('of another key does not match: 200, with the address of the DID and the recovered public key', () => {
    const failure = refusal({ signature, did: `did:ethr:${other.address}`, payload });
    expect(failure).toMatchObject({
      status: 200,
      code: 'SIG::NO_MATCH',
      additionalInformation: {
        expected: other.address,
        actual: wallet.signingKey.publicKey,
        expectedAddress: other.address,
        actualAddress: wallet.address,
      },
    });
  });

  it('of another key does not match with the gateway’s own DID: 200, with both public keys', () => {
    expect(refusal({ signature, did: `did:ethr:${other.address}`, payload }, other)).toMatchObject({
      additionalInformation: { expected: other.signingKey.publicKey, actual: wallet.signingKey.publicKey },
    });
  });

  it.each([
    ['no signature', { did, payload }],
    ['no DID', { signature, payload }],
    ['no payload', { signature, did }],
    ['a DID of another form', { signature, did: 'did:web:example.org', payload }],
    ['a signature that is too short', { signature: signature.slice(0, -2), did, payload }],
    ['a signature that is not hexadecimal', { signature: signature.replace('0x', '0z'), did, payload }],
    ['an empty signature', { signature: '', did, payload }],
    ['a recovery value that does not exist', { signature: `${signature.slice(0, -2)}05`, did, payload }],
  ])('cannot be checked with %s', (_name, request) => {
    expect(refusal(request)).toMatchObject({ status: 400, code: 'SIG::CHECK_FAILED' });
  });
});
