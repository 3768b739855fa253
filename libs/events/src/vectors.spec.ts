import { createPublicKey, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { base64url, canonical, type Json } from '../test/vectors/make-message.js';
import { BETA_BRIDGE, BRIDGE, OTHER_BRIDGE } from '../test/vectors/parties.js';
import type { Vector } from '../test/vectors/vector.js';
import { EVIDENCE_FILE, VECTOR_FOLDER, vectorFiles } from '../test/vectors/vector-files.js';
import { EVENT_TYPES } from './envelope/event-type.js';

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, VECTOR_FOLDER), 'utf8'));
const valid = (read('valid.json') as Vector[]).map(({ name, message }) => ({
  name,
  event: JSON.parse(message.payload) as Json,
}));

// When this fails: npm run build && node libs/events/dist/test/write-schemas.js
it('the committed vectors are those of the generator', () => {
  const files = vectorFiles();
  const names = readdirSync(VECTOR_FOLDER).filter((name) => name !== 'README.md' && name !== EVIDENCE_FILE);
  expect(names.toSorted()).toEqual([...files.keys()].toSorted());
  const changed = names.filter((name) => JSON.stringify(read(name)) !== JSON.stringify(files.get(name)));
  expect(changed).toEqual([]);
});

it('the names of a file are unique, and each refused message names what is wrong', () => {
  const invalid = read('invalid.json') as Vector[];
  for (const vectors of [valid, invalid]) {
    const names = vectors.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  }
  expect(invalid.filter(({ breaks, verdict }) => breaks === undefined || verdict.ok)).toEqual([]);
});

it('there is a valid message of each type', () => {
  const types = new Set(valid.map(({ event }) => event['type']));
  expect([...types].toSorted()).toEqual(EVENT_TYPES.toSorted());
});

it('OpenSSL accepts the proof of each valid message', () => {
  const keys = [BRIDGE, BETA_BRIDGE, OTHER_BRIDGE].map(({ key }) => {
    const point = Buffer.from(key.publicKey.slice(4), 'hex');
    const [x, y] = [base64url(point.subarray(0, 32)), base64url(point.subarray(32))];
    return createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x, y }, format: 'jwk' });
  });
  const wrong = valid.filter(({ event: { proof, ...unsigned } }) => {
    const [head = '', , signature = ''] = String(proof).split('.');
    const input = Buffer.from(`${head}.${base64url(canonical(unsigned))}`);
    return !keys.some((key) =>
      verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')),
    );
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
