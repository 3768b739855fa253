import { formatKeyRing, KeyRing, KeyRingError, MAX_KEYS, parseKeyRing } from './key-ring.js';

const SECRET = 'k'.repeat(32);
const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
const keyOf = (version: number, day = version) => ({
  version,
  activeFrom: at(day),
  secret: `${version}${SECRET}`,
});
const json = (...keys: object[]): string => JSON.stringify({ keys });
const jsonKey = { version: 1, activeFrom: '2026-01-01T00:00:00Z', secret: SECRET };

it('parses what it formats, in any order, and a plain text as version 1', () => {
  const ring = new KeyRing([keyOf(2), keyOf(1)]);
  expect(parseKeyRing(formatKeyRing(ring))).toEqual(ring);
  expect(ring.keys.map(({ version }) => version)).toEqual([1, 2]);
  expect(parseKeyRing(`  ${SECRET}\n`).keys).toEqual([
    { version: 1, activeFrom: new Date(0), secret: SECRET },
  ]);
});

it.each([
  ['no JSON', `{"keys": "${SECRET}`],
  ['no keys', json()],
  ['another field', JSON.stringify({ keys: [jsonKey], [SECRET]: 1 })],
  ['another field of a key', json({ ...jsonKey, [SECRET]: 1 })],
  ['version 0', json({ ...jsonKey, version: 0 })],
  ['a version that is not an integer', json({ ...jsonKey, version: 1.5 })],
  ['a time without a zone', json({ ...jsonKey, activeFrom: '2026-01-01T00:00:00' })],
  ['a short secret', json({ ...jsonKey, secret: SECRET.slice(1) })],
  ['a short plain text', SECRET.slice(1)],
  ['an empty text', ''],
  ['a repeated version', json(jsonKey, jsonKey)],
  [
    'a later version that is active earlier',
    json(jsonKey, { ...jsonKey, version: 2, activeFrom: '2025-01-01T00:00:00Z' }),
  ],
  [
    'too many keys',
    json(...Array.from({ length: MAX_KEYS + 1 }, (_, index) => ({ ...jsonKey, version: index + 1 }))),
  ],
])('refuses %s without showing the content', (_, text) => {
  const parse = (): KeyRing => parseKeyRing(text);
  expect(parse).toThrow(KeyRingError);
  expect(parse).not.toThrow(/kkk/);
});

it('signs with the latest key that is active, and before any is active with the oldest', () => {
  const ring = new KeyRing([keyOf(1, 10), keyOf(3, 20), keyOf(7, 30)]);
  const versions = [1, 10, 19, 20, 29, 30, 31].map((day) => ring.activeAt(at(day)).version);
  expect(versions).toEqual([1, 1, 1, 3, 3, 7, 7]);
  expect(ring.find(3)?.secret).toBe(keyOf(3).secret);
  expect(ring.find(2)).toBeUndefined();
});
