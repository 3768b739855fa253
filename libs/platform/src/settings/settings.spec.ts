import {
  choice,
  flag,
  httpUrl,
  integer,
  keyPrefix,
  list,
  milliseconds,
  networks,
  optional,
  port,
  redisUrl,
  text,
} from './schemas.js';
import { defineSettings, readSettings, SettingsError } from './settings.js';

const definition = defineSettings({
  PORT: { schema: port(), default: '4021', doc: 'Port of health and metrics.' },
  REPORTING_URL: { schema: httpUrl(), doc: 'Base address of the reporting API.' },
  CLIENT_SECRET: {
    schema: integer({ min: 1, max: 9 }),
    default: '1',
    doc: 'Kept out of errors.',
    secret: true,
  },
  NOTE: { schema: optional(text()), doc: 'May be absent.' },
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(definition, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('readSettings', () => {
  it('returns typed values, defaults, and undefined for an absent optional setting', () => {
    expect(readSettings(definition, { REPORTING_URL: 'https://127.0.0.1:4002/' })).toEqual({
      PORT: 4021,
      REPORTING_URL: 'https://127.0.0.1:4002',
      CLIENT_SECRET: 1,
      NOTE: undefined,
    });
  });

  it('treats an empty variable as unset', () => {
    expect(readSettings(definition, { REPORTING_URL: 'http://a', PORT: '' }).PORT).toBe(4021);
  });

  it('names the variable, its value and what is allowed', () => {
    expect(problemsOf({ REPORTING_URL: 'http://a', PORT: '70000' })).toEqual([
      'PORT is "70000", but it takes a whole number from 0 to 65535. Port of health and metrics.',
    ]);
  });

  it('reports that a required variable is not set', () => {
    expect(problemsOf({})).toEqual([
      'REPORTING_URL is not set; it takes an address that starts with http:// or https://. Base address of the reporting API.',
    ]);
  });

  it('never shows a secret', () => {
    const [problem] = problemsOf({ REPORTING_URL: 'http://a', CLIENT_SECRET: 'hunter2' });
    expect(problem).toContain('CLIENT_SECRET');
    expect(problem).not.toContain('hunter2');
  });

  it('reports every mistake at once', () => {
    expect(problemsOf({ PORT: 'x', CLIENT_SECRET: 'y' })).toHaveLength(3);
  });
});

describe('the schemas', () => {
  it.each([
    ['10.0.0.0/8, ::1', true],
    ['::1 10.0.0.0/8', true],
    ['0.0.0.0/0', true],
    ['192.0.2.0/24', false],
  ])('networks %s', (text, expected) => {
    expect(networks().parse(text).includes('10.1.2.3')).toBe(expected);
  });

  it.each([
    ['integer', integer({ min: -5, max: 5 }), '-5', -5],
    ['milliseconds', milliseconds(), '1500', 1500],
    ['flag true', flag(), 'true', true],
    ['flag 0', flag(), '0', false],
    ['choice', choice(['a', 'b']), 'b', 'b'],
    ['list', list(), ' a, b,,c ', ['a', 'b', 'c']],
    ['redis address', redisUrl(), 'rediss://host:6379', 'rediss://host:6379'],
    ['key prefix', keyPrefix(), 'bridge-2', 'bridge-2'],
    ['key prefix in braces', keyPrefix(), '{bridge.a}', '{bridge.a}'],
  ])('%s parses a valid value', (_, schema, given, expected) => {
    expect(schema.parse(given)).toEqual(expected);
  });

  it.each([
    ['integer below', integer({ min: 0, max: 5 }), '-1'],
    ['integer with a fraction', integer({ min: 0, max: 5 }), '1.5'],
    ['integer with words', integer({ min: 0, max: 5 }), '5 apples'],
    ['flag', flag(), 'yes'],
    ['choice', choice(['a', 'b']), 'c'],
    ['http address', httpUrl(), 'ftp://host'],
    ['http address without scheme', httpUrl(), 'localhost:80'],
    ['no networks', networks(), ' , '],
    ['all networks of proxies', networks({ every: false }), '10.0.0.0/8,::/0'],
    ['networks with a name', networks(), '10.0.0.0/8, proxy.example'],
    ['redis address', redisUrl(), 'http://host'],
    ['redis address with a database that is not a number', redisUrl(), 'redis://host/text'],
    ['key prefix with a space', keyPrefix(), 'my bridge'],
    ['key prefix with a colon', keyPrefix(), 'a:b'],
    ['key prefix with one brace', keyPrefix(), '{bridge'],
    ['key prefix with an empty brace', keyPrefix(), '{}'],
  ])('%s refuses an invalid value', (_, schema, given) => {
    expect(schema.safeParse(given).success).toBe(false);
  });
});
