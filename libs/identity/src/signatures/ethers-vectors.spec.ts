import { hashMessage, keccak256, SigningKey, toUtf8Bytes, Wallet } from 'ethers';
import { addressOf, publicKeyOf } from '../keys/address.js';
import { didOfKey } from '../keys/did.js';
import { parsePrivateKey } from '../keys/private-key.js';
import { loadImplementations } from '../../test/implementations.js';
import { busSignatureVectors } from '../../test/vectors.js';
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
  describe.each(SIGNATURE_SCHEMES)('under %s', (scheme) => {
    it('every payload is signed as ethers signs it', () => {
      const wrong = VECTORS.filter(
        ({ key, payload, [scheme]: { signature } }) =>
          signMessage(payload, parsePrivateKey(key), scheme, primitives) !== signature,
      );
      expect(wrong).toEqual([]);
    });

    it('every signature gives the address and the public key of ethers', () => {
      const verdicts = VECTORS.map(({ payload, address, [scheme]: { signature } }) => [
        recoverSigner(payload, signature, scheme, primitives),
        verifyMessage(payload, signature, `did:ethr:${address}`, scheme, primitives),
      ]);
      expect(verdicts).toEqual(
        VECTORS.map(({ address, publicKey }) => [
          { ok: true, address, publicKey },
          { ok: true, signer: `did:ethr:${address}`, publicKey },
        ]),
      );
    });
  });

  it('every key has the public key and address of ethers', () => {
    const made = VECTORS.map((vector) => {
      const key = parsePrivateKey(vector.key);
      return {
        curve: Buffer.from(primitives.curve.publicKey(key.bytes)).toString('hex'),
        address: addressOf(vector.publicKey, primitives.keccak),
        publicKey: publicKeyOf(key),
        did: didOfKey(key),
      };
    });
    expect(made).toEqual(
      VECTORS.map(({ publicKey, address }) => ({
        curve: publicKey.slice(2),
        address,
        publicKey,
        did: `did:ethr:${address}`,
      })),
    );
  });
});
