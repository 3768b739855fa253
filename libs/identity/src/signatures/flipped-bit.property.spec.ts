import fc from 'fast-check';
import { addressOfKey } from '../keys/address.js';
import { addressFromDid, didOf, didOfKey, isSameIdentity, tryAddressFromDid } from '../keys/did.js';
import { PrivateKey } from '../keys/private-key.js';
import { recoverSigner, SIGNATURE_SCHEMES, signMessage, verifyMessage } from './bus-signature.js';
import { signDetachedJws, signJws, verifyDetachedJws, verifyJws } from './jws.js';

/** Keys whose first byte is neither 0 nor 255, so that they are always in the valid range. */
const keys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => new PrivateKey(Uint8Array.of(1 + ((bytes[0] ?? 0) % 254), ...bytes.subarray(1))));

/** Every code point but surrogates. The unit `binary` of fast-check takes a second to build. */
const codePoints = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
/** Well-formed texts of every script. */
const payloads = fc
  .array(codePoints, { minLength: 1, maxLength: 200 })
  .map((codes) => String.fromCodePoint(...codes));

/** The index of the bit to flip. In a text it is a bit of a UTF-16 code unit, so that the result is a text. */
const places = fc.nat();

const RUNS = { numRuns: 25 };

describe('with one flipped bit', () => {
  it.each(SIGNATURE_SCHEMES)(
    'a payload, its signature and the DID of its signer do not match (%s)',
    (scheme) => {
      fc.assert(
        fc.property(keys, payloads, places, (key, payload, place) => {
          const [signature, did] = [signMessage(payload, key, scheme), didOfKey(key)];
          expect(verifyMessage(payload, signature, did, scheme).ok).toBe(true);

          const changed = flipped(payload, place);
          expect(verifyMessage(changed, signature, did, scheme).ok).toBe(false);
          const recovery = recoverSigner(changed, signature, scheme);
          if (recovery.ok) expect(recovery.address).not.toBe(addressFromDid(did));

          const bytes = Buffer.from(signature.slice(2), 'hex');
          const at = place % (65 * 8);
          bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at % 8));
          expect(verifyMessage(payload, `0x${bytes.toString('hex')}`, did, scheme).ok).toBe(false);

          // The digits of a signature may have any case.
          const text = flipped(signature, place);
          const same = /^0x/.test(text) && text.toLowerCase() === signature;
          expect(verifyMessage(payload, text, did, scheme).ok).toBe(same);

          // A signature identifies an address only, so a DID of another method is found by comparing DIDs.
          const other = flipped(did, place);
          fc.pre(!isWithoutChecksum(other));
          const verdict = verifyMessage(payload, signature, other, scheme);
          expect(verdict.ok && isSameIdentity(other, did)).toBe(false);
        }),
        RUNS,
      );
    },
  );

  it('no signature matches, whichever of its bits it is', () => {
    const key = new PrivateKey(new Uint8Array(32).fill(7));
    const [signature, did] = [Buffer.from(signMessage('x', key).slice(2), 'hex'), didOfKey(key)];
    const accepted = Array.from({ length: signature.length * 8 }, (_, bit) => {
      const bytes = Buffer.from(signature);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit % 8));
      return `0x${bytes.toString('hex')}`;
    }).filter((changed) => verifyMessage('x', changed, did).ok);
    expect(accepted).toEqual([]);
  });

  it("a JWS, a detached JWS with its payload, and their signer's DID are refused", () => {
    fc.assert(
      fc.property(keys, payloads, places, (key, payload, place) => {
        const [jws, detached, did] = [signJws(payload, key), signDetachedJws(payload, key), didOfKey(key)];
        expect(verifyJws(jws, did)).toMatchObject({ ok: true, payload });
        expect(verifyJws(flipped(jws, place), did).ok).toBe(false);
        expect(verifyDetachedJws(detached, payload, did).ok).toBe(true);
        expect(verifyDetachedJws(flipped(detached, place), payload, did).ok).toBe(false);
        expect(verifyDetachedJws(detached, flipped(payload, place), did).ok).toBe(false);
        const other = flipped(did, place);
        fc.pre(!isWithoutChecksum(other));
        expect(verifyJws(jws, other).ok && isSameIdentity(other, did)).toBe(false);
      }),
      RUNS,
    );
  });

  it.each(['ethr', 'example'])('a DID of did:%s is invalid or another identity', (method) => {
    fc.assert(
      fc.property(keys, places, (key, place) => {
        const right = didOfKey(key, { method });
        const did = flipped(right, place);
        fc.pre(!isWithoutChecksum(did));
        expect(isSameIdentity(did, right)).toBe(false);
        // Only a DID of another method can still have the same address.
        if (methodsDiffer(did, right)) return;
        expect(tryAddressFromDid(did)).not.toBe(addressFromDid(right));
      }),
      RUNS,
    );
  });

  it('a DID with a network keeps its identity only if the bit is in the network', () => {
    fc.assert(
      fc.property(keys, places, (key, place) => {
        const address = addressOfKey(key);
        const did = flipped(didOf(address, { network: 'volta' }), place);
        fc.pre(!isWithoutChecksum(did));
        const isOfNetwork = /^did:ethr:[^:]*:/.test(did) && did.endsWith(`:${address}`);
        const isOne = tryAddressFromDid(did) !== undefined;
        expect(isSameIdentity(did, didOf(address))).toBe(isOfNetwork && isOne);
      }),
      RUNS,
    );
  });
});

/** The text with one flipped bit in one of its UTF-16 code units. */
function flipped(text: string, place: number): string {
  const at = Math.floor(place / 16) % text.length;
  const unit = text.charCodeAt(at) ^ (1 << (place % 16));
  return text.slice(0, at) + String.fromCharCode(unit) + text.slice(at + 1);
}

function methodsDiffer(did: string, right: string): boolean {
  return tryAddressFromDid(did) !== undefined && did.split(':')[1] !== right.split(':')[1];
}

/** An address whose letters have one case has no checksum (EIP-55). A flipped bit rarely gives one. */
function isWithoutChecksum(did: string): boolean {
  const digits = did.split(':').at(-1)?.slice(2) ?? '';
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
}
