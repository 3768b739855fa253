import fc from 'fast-check';
import { addressOfKey } from '../keys/address.js';
import { addressFromDid, didOf, didOfKey, InvalidDidError, isSameIdentity } from '../keys/did.js';
import { PrivateKey } from '../keys/private-key.js';
import { recoverSigner, SIGNATURE_SCHEMES, signMessage, verifyMessage } from './bus-signature.js';
import { signDetachedJws, signJws, verifyDetachedJws, verifyJws } from './jws.js';

/** Nearly every 32 bytes are a key; the first of them is kept off both ends of the range. */
const keys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => new PrivateKey(Uint8Array.of(1 + ((bytes[0] ?? 0) % 254), ...bytes.subarray(1))));

/** Texts of every script, well formed. */
const payloads = fc.string({ unit: 'binary', maxLength: 200 });

/** Which bit is turned: of a text the bits of its UTF-16 units, so that what results is a text again. */
const places = fc.nat();

describe.each(SIGNATURE_SCHEMES)('one bit turned, %s:', (scheme) => {
  it('no signature is good for the payload that results', () => {
    fc.assert(
      fc.property(keys, payloads, places, (key, payload, place) => {
        fc.pre(payload !== '');
        const [signature, did] = [signMessage(payload, key, scheme), didOfKey(key)];
        expect(verifyMessage(payload, signature, did, scheme).ok).toBe(true);
        expect(verifyMessage(turned(payload, place), signature, did, scheme).ok).toBe(false);
      }),
    );
  });

  it('no signature that results is good for the payload', () => {
    fc.assert(
      fc.property(keys, payloads, places, (key, payload, place) => {
        const [signature, did] = [signMessage(payload, key, scheme), didOfKey(key)];
        const bytes = Buffer.from(signature.slice(2), 'hex');
        const at = place % (65 * 8);
        bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at % 8));
        expect(verifyMessage(payload, `0x${bytes.toString('hex')}`, did, scheme).ok).toBe(false);
      }),
    );
  });

  it('no text of a signature that results is good for the payload, save in the case of its digits', () => {
    fc.assert(
      fc.property(keys, payloads, places, (key, payload, place) => {
        const signature = signMessage(payload, key, scheme);
        const result = turned(signature, place);
        const same = /^0x/.test(result) && result.toLowerCase() === signature;
        expect(verifyMessage(payload, result, didOfKey(key), scheme).ok).toBe(same);
      }),
    );
  });

  // A signature tells an address; that a DID of another method, with the same address, is another one is told by comparing DIDs.
  it('no DID that results is the signer', () => {
    fc.assert(
      fc.property(keys, payloads, places, (key, payload, place) => {
        const [signature, did] = [signMessage(payload, key, scheme), didOfKey(key)];
        const result = turned(did, place);
        fc.pre(!isWithoutChecksum(result));
        const verdict = verifyMessage(payload, signature, result, scheme);
        expect(verdict.ok && isSameIdentity(result, did)).toBe(false);
      }),
    );
  });

  it('the signer that is recovered, if any, is another one', () => {
    fc.assert(
      fc.property(keys, payloads, places, (key, payload, place) => {
        fc.pre(payload !== '');
        const recovery = recoverSigner(turned(payload, place), signMessage(payload, key, scheme), scheme);
        if (recovery.ok) expect(recovery.address).not.toBe(addressFromDid(didOfKey(key)));
      }),
    );
  });
});

describe('one bit turned in a JWS:', () => {
  it("none of its bits can be, nor any of its signer's DID", () => {
    fc.assert(
      fc.property(keys, payloads, places, (key, payload, place) => {
        fc.pre(payload !== '');
        const [jws, did] = [signJws(payload, key), didOfKey(key)];
        expect(verifyJws(jws, did)).toMatchObject({ ok: true, payload });
        expect(verifyJws(turned(jws, place), did).ok).toBe(false);
        const result = turned(did, place);
        fc.pre(!isWithoutChecksum(result));
        expect(verifyJws(jws, result).ok && isSameIdentity(result, did)).toBe(false);
      }),
    );
  });

  it('detached, neither can one of the payload', () => {
    fc.assert(
      fc.property(keys, payloads, places, (key, payload, place) => {
        fc.pre(payload !== '');
        const [jws, did] = [signDetachedJws(payload, key), didOfKey(key)];
        expect(verifyDetachedJws(jws, payload, did).ok).toBe(true);
        expect(verifyDetachedJws(turned(jws, place), payload, did).ok).toBe(false);
        expect(verifyDetachedJws(jws, turned(payload, place), did).ok).toBe(false);
      }),
    );
  });
});

it.each(['ethr', 'example'])('a DID of did:%s with one bit turned is none, or another identity', (method) => {
  fc.assert(
    fc.property(keys, places, (key, place) => {
      const right = didOfKey(key, { method });
      const did = turned(right, place);
      fc.pre(!isWithoutChecksum(did));
      expect(isSameIdentity(did, right)).toBe(false);
      // The same key may stand behind a DID of another method, and behind nothing else that is so near.
      if (methodsDiffer(did, right)) return;
      expect(addressOrNothing(did)).not.toBe(addressFromDid(right));
    }),
    { numRuns: 300 },
  );
});

it('in a DID with a network, only the network may be another: it is no part of the identity', () => {
  fc.assert(
    fc.property(keys, places, (key, place) => {
      const address = addressOfKey(key);
      const did = turned(didOf(address, { network: 'volta' }), place);
      fc.pre(!isWithoutChecksum(did));
      const isOfNetwork = /^did:ethr:[^:]*:/.test(did) && did.endsWith(`:${address}`);
      const isOne = addressOrNothing(did) !== undefined;
      expect(isSameIdentity(did, didOf(address))).toBe(isOfNetwork && isOne);
    }),
    { numRuns: 300 },
  );
});

/** The text with one bit of one of its UTF-16 units turned. */
function turned(text: string, place: number): string {
  const at = Math.floor(place / 16) % text.length;
  const unit = text.charCodeAt(at) ^ (1 << (place % 16));
  return text.slice(0, at) + String.fromCharCode(unit) + text.slice(at + 1);
}

function addressOrNothing(did: string): string | undefined {
  try {
    return addressFromDid(did);
  } catch (error) {
    if (error instanceof InvalidDidError) return undefined;
    throw error;
  }
}

function methodsDiffer(did: string, right: string): boolean {
  return addressOrNothing(did) !== undefined && did.split(':')[1] !== right.split(':')[1];
}

/** Rare: of an address with a single capital (or small) letter the turned bit can make one that has no checksum (EIP-55). */
function isWithoutChecksum(did: string): boolean {
  const digits = did.split(':').at(-1)?.slice(2) ?? '';
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
}
