import { createLogger } from '@ssb/platform';
import { BadSchemaError } from './topic-schema.js';
import { SchemaValidator } from './schema-validator.js';

const LIMIT_MS = 500;
const SLOW = '{"pattern":"^(a+)+$"}';
const SLOW_PAYLOAD = `"${'a'.repeat(60)}b"`;
const TOO_LONG = [{ path: '', message: 'takes too long to be checked against this schema' }];

let lines: string[];
let schemas: SchemaValidator;

beforeEach(() => {
  lines = [];
  const stream = { write: (line: string) => void lines.push(line) };
  schemas = new SchemaValidator(
    LIMIT_MS,
    createLogger({ name: 'test', level: 'warn', format: 'json', stream }),
  );
});

afterEach(() => schemas.close());

describe('checks of payloads', () => {
  it.each([
    ['true', 'not JSON at all', []],
    ['{"type":"object"}', '{}', []],
    ['{"type":"object"}', '1', [{ path: '', message: 'must be object' }]],
    // In the worker.
    ['{"items":{"$ref":"#"},"type":"array"}', '[[]]', []],
    ['{"items":{"$ref":"#"},"type":"array"}', '[[1]]', [{ path: '/0/0', message: 'must be array' }]],
    ['{"pattern":"^(?=a)(a+)+$"}', '"aa"', []],
  ])('%s of %s', async (schema, payload, problems) => {
    expect(await schemas.check(schema, payload)).toEqual(problems);
    expect(await schemas.check(schema, payload)).toEqual(problems);
  });

  it('a slow one times out once, its schema rests, and others are checked', async () => {
    const all = await Promise.all([
      ...Array.from({ length: 50 }, () => schemas.check(SLOW, SLOW_PAYLOAD)),
      schemas.check('{"pattern":"^(b+)+$"}', '"b"'),
    ]);
    expect(all).toEqual([...Array.from({ length: 50 }, () => TOO_LONG), []]);
    expect(await schemas.check(SLOW, '"a"')).toEqual(TOO_LONG);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { limitMs: LIMIT_MS, restMs: 100 * LIMIT_MS, msg: 'topic schema check timed out' },
    ]);
  });

  it('of one schema do not hold up those of another', async () => {
    const list = '{"items":{"$ref":"#"},"type":"array"}';
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    await Promise.all([
      ...Array.from({ length: 20 }, async () => schemas.check(list, '[[]]')).map((one) =>
        one.then(note('many')),
      ),
      Promise.resolve(schemas.check('{"pattern":"^(?=b)(b+)+$"}', '"bb"')).then(note('one')),
    ]);
    expect(order.indexOf('one')).toBeLessThan(5);
  });

  it('do not stop this thread', async () => {
    await schemas.compile(SLOW);
    const slow = schemas.check(SLOW, SLOW_PAYLOAD);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    await slow;
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });
});

describe('compiling', () => {
  it('tells what is wrong with a schema', async () => {
    await expect(schemas.compile('{"type":"text"}')).rejects.toThrow(BadSchemaError);
    await expect(schemas.check('{"type":"text"}', '1')).rejects.toThrow(BadSchemaError);
    await schemas.compile('{"type":"string"}');
  });
});
