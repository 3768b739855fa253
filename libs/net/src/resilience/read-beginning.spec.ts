import { Readable } from 'node:stream';
import { readBeginning } from './read-beginning.js';

const read = (chunks: readonly (string | Buffer)[], secrets: readonly string[] = [], headers = {}) =>
  readBeginning(
    { headers, body: Readable.from(chunks.map((chunk) => Buffer.from(chunk))) },
    { limitBytes: 100_000, secrets },
  );

it.each<[string, (string | Buffer)[], string | undefined]>([
  ['nothing', [], undefined],
  ['chunks', ['on', 'e'], 'one'],
  ['a character in two chunks', [Buffer.from([0xe2, 0x82]), Buffer.from([0xac])], '\u20ac'],
  ['a NUL and a byte that is not UTF-8', [Buffer.from([0x61, 0, 0xff, 0x62])], 'a\ufffd\ufffdb'],
  ['a character that is cut off', [`${'x'.repeat(2_047)}\u20ac`], 'x'.repeat(2_047)],
  ['bytes that become longer as text', [Buffer.alloc(4_000, 0xff)], '\ufffd'.repeat(682)],
])('%s', async (_, chunks, expected) => {
  expect(await read(chunks)).toBe(expected);
});

it('shows no secret, also not one that the end of the text cuts off', async () => {
  expect(await read(['Bearer s3cret!, again s3cret!'], ['s3cret!', ''])).toBe(
    'Bearer *******, again *******',
  );
  expect(await read([`${'x'.repeat(2_045)}s3cret!`], ['s3cret!'])).toBe(`${'x'.repeat(2_045)}***`);
});

it.each([
  ['as it is', 'a+/"\\é'],
  ['in JSON', JSON.stringify('a+/"\\é')],
  ['in JSON with an escaped solidus', String.raw`a+\/\"\\é`],
  ['in JSON with escaped characters', String.raw`a\u002b\u002F\u0022\u005c\u00E9`],
])('masks a secret %s', async (_, text) => {
  expect(await read([`key ${text}`], ['a+', 'a+/"\\é'])).toMatch(/^key "?\*{6}"?$/);
});

it('leaves out a body in an encoding', async () => {
  expect(await read(['one'], [], { 'content-encoding': 'gzip' })).toBeUndefined();
});

it('gives what came before a body breaks off', async () => {
  const body = Readable.from(
    (function* () {
      yield Buffer.from('one');
      throw new Error('closed');
    })(),
  );
  expect(await readBeginning({ headers: {}, body }, { limitBytes: 10 })).toBe('one');
});
