import { createLogger } from '@ssb/platform';
import { BadSchemaError } from './drafts/prepare-schema.js';
import { SchemaValidator } from './schema-validator.js';

const LIMIT_MS = 250;
const SLOW = '{"pattern":"^(a+)+$"}';
const SLOW_PAYLOAD = `"${'a'.repeat(60)}b"`;
const TOO_SLOW = [{ path: '', message: 'takes too long to be checked against this schema' }];

const lines: string[] = [];
const stream = { write: (line: string) => void lines.push(line) };
const log = createLogger({ name: 'test', level: 'warn', format: 'json', stream });
const schemas = new SchemaValidator(LIMIT_MS, log);
/** For checks that must end on a busy machine too. */
const patient = new SchemaValidator(20_000, log);

beforeEach(() => void lines.splice(0));

afterAll(async () => {
  await schemas.close();
  await patient.close();
});

describe('the validation of payloads', () => {
  it.each([
    ['true', 'not JSON at all', []],
    ['{"type":"object"}', '{}', []],
    ['{"type":"object"}', '1', [{ path: '', message: 'must be object' }]],
    // These need the worker.
    ['{"items":{"$ref":"#"},"type":"array"}', '[[]]', []],
    ['{"items":{"$ref":"#"},"type":"array"}', '[[1]]', [{ path: '/0/0', message: 'must be array' }]],
    ['{"pattern":"^(?=a)(a+)+$"}', '"aa"', []],
    [
      '{"items":{"$ref":"#"},"not":{"const":{"toString":1}}}',
      '[{"toString":1}]',
      [{ path: '/0', message: 'must NOT be valid' }],
    ],
  ])('%s of %s', async (schema, payload, problems) => {
    expect(await patient.validate(schema, payload)).toEqual(problems);
    expect(await patient.validate(schema, payload)).toEqual(problems);
  });

  it('blocks a schema after a timeout, and neither others nor the main thread meanwhile', async () => {
    await schemas.compile(SLOW);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    const all = await Promise.all([
      ...Array.from({ length: 50 }, () => schemas.validate(SLOW, SLOW_PAYLOAD)),
      schemas.validate('{"pattern":"^(b+)+$"}', '"b"'),
    ]);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
    expect(all).toEqual([...Array.from({ length: 50 }, () => TOO_SLOW), []]);
    expect(await schemas.validate(SLOW, '"a"')).toEqual(TOO_SLOW);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { limitMs: LIMIT_MS, restMs: 100 * LIMIT_MS, msg: 'topic schema check timed out' },
    ]);
  });

  it('of one schema does not delay another schema', async () => {
    const list = '{"items":{"$ref":"#"},"type":"array"}';
    const order: string[] = [];
    const record = (name: string) => () => void order.push(name);
    await Promise.all([
      ...Array.from({ length: 20 }, async () => patient.validate(list, '[[]]')).map((one) =>
        one.then(record('many')),
      ),
      Promise.resolve(patient.validate('{"pattern":"^(?=b)(b+)+$"}', '"bb"')).then(record('one')),
    ]);
    expect(order.indexOf('one')).toBeLessThan(5);
  });
});

it('a check that fails refuses the payload, and is logged once for each schema', async () => {
  const schema = '{"pattern":"^a$"}';
  await patient.validate(schema, '"a"');
  const test = jest.spyOn(RegExp.prototype, 'test').mockImplementation(() => {
    throw new TypeError('secret');
  });
  const problems = [patient.validate(schema, '"a"'), patient.validate(schema, '"a"')];
  test.mockRestore();
  const failure = [{ path: '', message: 'cannot be checked against this schema' }];
  expect(problems).toEqual([failure, failure]);
  expect(patient.validate(schema, '"a"')).toEqual([]);
  expect(lines.join()).not.toContain('secret');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: 'topic schema check failed' },
  ]);
});

it('a stored schema that is invalid now refuses every payload, until a valid one replaces it', async () => {
  const schema = '{"type":"text"}';
  const problems = [{ path: '', message: expect.stringContaining('its schema is invalid: by draft-07') }];
  expect(await patient.validate(schema, '1')).toEqual(problems);
  expect(await patient.validate(schema, '1')).toEqual(problems);
  await expect(patient.compile(schema)).rejects.toThrow(BadSchemaError);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ msg: 'topic schema invalid' }]);
});
