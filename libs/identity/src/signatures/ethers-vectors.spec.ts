import { hashMessage, keccak256, SigningKey, toUtf8Bytes, Wallet } from 'ethers';
import { addressOf, publicKeyOf } from '../keys/address.js';
import { didOfKey } from '../keys/did.js';
import { parsePrivateKey } from '../keys/private-key.js';
import { loadImplementations } from '../testing/implementations.js';
import { busSignatureVectors } from '../testing/vectors.js';
import { recoverSigner, SIGNATURE_SCHEMES, signMessage, verifyMessage } from './bus-signature.js';

const VECTORS = busSignatureVectors();

it('the committed vectors are those that ethers computes', () => {
  const made = VECTORS.map(({ key, payload }) => {
    const wallet = new Wallet(`0x${key}`);
    const bare = keccak256(toUtf8Bytes(payload));
    return {
      key,
      publicKey: new SigningKey(`0x${key}`).publicKey,
      address: wallet.address,
      payload,
      eip191: { digest: hashMessage(payload), signature: wallet.signMessageSync(payload) },
      keccak256: { digest: bare, signature: wallet.signingKey.sign(bare).serialized },
    };
  });
  expect(VECTORS).toEqual(made);
  expect(VECTORS.length).toBeGreaterThan(10);
});

describe.each(await loadImplementations())('with $curve.name and $keccak.name', (primitives) => {
  describe.each(VECTORS)('a payload of $payload.length characters', (vector) => {
    const key = parsePrivateKey(vector.key);
    const { address, publicKey, payload } = vector;

    it.each(SIGNATURE_SCHEMES)('is signed as ethers signs it under %s', (scheme) => {
      expect(signMessage(payload, key, scheme, primitives)).toBe(vector[scheme].signature);
    });

    it.each(SIGNATURE_SCHEMES)('gives the address and the public key of ethers under %s', (scheme) => {
      const { signature } = vector[scheme];
      expect(recoverSigner(payload, signature, scheme, primitives)).toEqual({
        ok: true,
        address,
        publicKey,
      });
      expect(verifyMessage(payload, signature, `did:ethr:${address}`, scheme, primitives)).toEqual({
        ok: true,
        signer: `did:ethr:${address}`,
        publicKey,
      });
    });

    it('has the public key and address of ethers', () => {
      expect(Buffer.from(primitives.curve.publicKey(key.bytes)).toString('hex')).toBe(publicKey.slice(2));
      expect(addressOf(publicKey, primitives.keccak)).toBe(address);
      expect([publicKeyOf(key), didOfKey(key)]).toEqual([publicKey, `did:ethr:${address}`]);
    });
  });
});
