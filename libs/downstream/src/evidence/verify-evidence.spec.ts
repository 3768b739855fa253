import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { encodeUtf8 } from '@ssb/identity';
import {
  createEvidence,
  createUnsignedEvidence,
  readExample,
  signAgain,
  trustFile,
} from '../../test/evidence-files.js';
import { evidenceVectors } from '../../test/evidence-vectors.js';
import { Trust } from '../verify/trust.js';
import { CONSISTENT_REASONS, INVALID_REASONS } from './evidence-result.js';
import { writeEvidence, type OpenEvidence } from './evidence-text.js';
import { verifyEvidence } from './verify-evidence.js';

const trust = Trust.fromJson(trustFile());
const margin = createEvidence(readExample('settlementbus.margin.breached.v1'));
const { trusts, vectors } = evidenceVectors();

it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
  const file = vector.trust === null ? undefined : trusts[vector.trust];
  const result = verifyEvidence(vector.text, file && { trust: Trust.fromJson(file) });
  const states =
    result.status !== 'invalid' && result.gateway !== undefined
      ? { gateway: result.gateway.state, origin: result.origin?.state }
      : { gateway: undefined, origin: undefined };
  const expected = { reason: undefined, gateway: undefined, origin: undefined, ...vector.result };
  expect({ reason: undefined, ...result, ...states }).toMatchObject(expected);
});

// When this fails: npm run build && node libs/downstream/dist/test/write-schemas.js && npm run format
it('the published vectors are these', () => {
  const file = new URL('../../../../events/vectors/evidence.json', import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ trusts, vectors });
});

it('the vectors have every reason of its own', () => {
  const reasons = new Set(vectors.map(({ result }) => result.reason));
  for (const reason of [...CONSISTENT_REASONS, ...INVALID_REASONS]) expect(reasons).toContain(reason);
});

it('one changed byte anywhere is found', () => {
  const bytes = encodeUtf8(writeEvidence(margin));
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ change;
      expect(verifyEvidence(changed, { trust })).toMatchObject({ status: 'invalid', reason: 'damaged' });
    }),
    { numRuns: 300 },
  );
  expect(verifyEvidence(bytes.subarray(1), { trust }).ok).toBe(false);
  expect(verifyEvidence(bytes.subarray(0, -1), { trust }).ok).toBe(false);
});

describe('a change with a new digest is found in everything that is signed', () => {
  type Path = readonly string[];
  const pathsOf = (value: unknown, path: Path = []): Path[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]))
      : [path];
  const changeAt = (value: unknown, [name, ...rest]: Path): unknown => {
    if (name === undefined) return typeof value === 'string' ? `${value}1` : null;
    const object = value as Record<string, unknown>;
    const changed = { ...object, [name]: changeAt(object[name], rest) };
    return Array.isArray(value) ? Object.values(changed) : changed;
  };
  const { eventId, signatureScheme, event, message, gateway, origin } = margin;
  const { fqcn, topic, payload, signature, sender } = message;
  const signed = { fqcn, topic, payload, signature, sender };
  const checked = { eventId, signatureScheme, event, message: signed, gateway, origin };

  it.each(pathsOf(checked).map((path) => [path.join('/'), path] as const))('%s', (_, path) => {
    const changed = writeEvidence(changeAt(margin, path) as OpenEvidence);
    expect(verifyEvidence(changed, { trust })).toMatchObject({ ok: false, status: 'invalid' });
  });

  it('and the result says that the other members are not signed', () => {
    const result = verifyEvidence(writeEvidence({ ...margin, deliveries: [] }), { trust });
    expect(result).toMatchObject({ ok: true });
    expect(JSON.stringify(result)).toContain('records of the subscriber, which nobody signed');
    const unsigned = verifyEvidence(writeEvidence(createUnsignedEvidence()));
    expect(unsigned).toMatchObject({
      reason: 'unsigned',
      participant: expect.any(String) as string,
      proved: [],
    });
  });
});

it('has the event unless the file is invalid', () => {
  const text = writeEvidence(margin);
  const unsigned = createUnsignedEvidence();
  expect(verifyEvidence(text, { trust })).toMatchObject({ status: 'verified', event: margin.event });
  expect(verifyEvidence(text)).toMatchObject({ status: 'consistent', event: margin.event });
  expect(verifyEvidence(writeEvidence(unsigned))).toMatchObject({ event: unsigned.event });
  expect(verifyEvidence(`${text} `)).not.toHaveProperty('event');
});

it('details are sentences', () => {
  for (const { text } of vectors) {
    const result = verifyEvidence(text);
    if ('detail' in result) expect(result.detail).toMatch(/^[A-Z].*[^.]\.$/);
  }
});

it('evidence that another bridge signed is consistent, and its signer is not trusted', () => {
  const forged = createEvidence(signAgain(readExample('settlementbus.margin.breached.v1')));
  const text = writeEvidence(forged);
  expect(verifyEvidence(text)).toMatchObject({ status: 'consistent', reason: 'signer-not-verified' });
  expect(verifyEvidence(text, { trust })).toMatchObject({ reason: 'origin-not-allowed' });
});
