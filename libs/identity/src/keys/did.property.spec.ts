import fc from 'fast-check';
import { withChecksum } from './address.js';
import {
  addressFromDid,
  didOf,
  lowerCaseAddress,
  InvalidDidError,
  methodOf,
  parseDid,
  isSameIdentity,
} from './did.js';

const characters = (allowed: string) => fc.constantFrom(...allowed);
const lowerCase = 'abcdefghijklmnopqrstuvwxyz0123456789';

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => withChecksum(Buffer.from(bytes).toString('hex')));
// DID Core §3.1: method-name = 1*method-char.
const methods = fc.string({ unit: characters(lowerCase), minLength: 1, maxLength: 32 });
const networks = fc.option(
  fc.string({ unit: characters(`${lowerCase}ABCXYZ._-`), minLength: 1, maxLength: 100 }),
  {
    nil: undefined,
  },
);

describe('a DID of any method, network and address', () => {
  it('is parsed as it was written', () => {
    fc.assert(
      fc.property(addresses, methods, networks, (address, method, network) => {
        const did = didOf(address, { method, ...(network !== undefined && { network }) });
        expect(parseDid(did)).toBe(did);
        expect([methodOf(did), addressFromDid(did)]).toEqual([method, address]);
        for (const written of [did, did.toLowerCase()])
          expect(lowerCaseAddress(written)).toBe(address.toLowerCase());
      }),
      { numRuns: 40 },
    );
  });

  it('is the same identity as another DID only if method and address are the same', () => {
    fc.assert(
      fc.property(
        ...[fc.tuple(addresses, methods), fc.tuple(addresses, methods), networks, fc.boolean(), fc.boolean()],
        ([address, method], [otherAddress, otherMethod], network, swapAddress, swapMethod) => {
          const one = didOf(address, { method });
          const other = didOf(swapAddress ? otherAddress : address, {
            method: swapMethod ? otherMethod : method,
            ...(network !== undefined && { network }),
          });
          const same = (!swapAddress || otherAddress === address) && (!swapMethod || otherMethod === method);
          expect(isSameIdentity(one, other)).toBe(same);
          expect(isSameIdentity(other, one)).toBe(same);
        },
      ),
      { numRuns: 40 },
    );
  });
});

it('any text is either a DID or refused with InvalidDidError', () => {
  const texts = fc
    .array(fc.integer({ min: 0, max: 0x10ffff }))
    .map((codes) => String.fromCodePoint(...codes));
  const almostDids = fc.tuple(fc.string(), addresses, fc.string()).map(([head, address, tail]) => {
    return `did:${head}:${address}${tail}`;
  });
  fc.assert(
    fc.property(fc.oneof(texts, almostDids), (text) => {
      try {
        expect(addressFromDid(text)).toMatch(/^0x[0-9a-fA-F]{40}$/);
        expect(text).toMatch(/^did:[a-z0-9]{1,32}:/);
      } catch (error) {
        if (!(error instanceof InvalidDidError)) throw error;
      }
    }),
  );
});
