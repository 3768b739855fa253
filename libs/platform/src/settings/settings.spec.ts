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
  parseRedisAddresses,
  port,
  postgresUrl,
  redisAddresses,
  redisUrl,
  text,
  webhookSecret,
  webSocketUrl,
} from './schemas.js';
import { redisSettings } from './redis-settings.js';
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
      'REPORTING_URL is not set; it takes an address that starts with http:// or https://, without user, password, query and fragment. Base address of the reporting API.',
    ]);
  });

  it('drops the line end of the file that a value was read from', () => {
    const environment = { REPORTING_URL: 'http://a\r\n', CLIENT_SECRET: '7\n', NOTE: '\n' };
    expect(readSettings(definition, environment)).toMatchObject({
      REPORTING_URL: 'http://a',
      CLIENT_SECRET: 7,
      NOTE: undefined,
    });
  });

  it.each(['https://user:hunter2@host', 'https://host/path?key=hunter2'])(
    'refuses the address %s without showing it',
    (REPORTING_URL) => {
      expect(problemsOf({ REPORTING_URL })).toEqual([
        'REPORTING_URL is a value that is not shown here, but it takes an address that starts with http:// or https://, without user, password, query and fragment. Base address of the reporting API.',
      ]);
    },
  );

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
    ['WebSocket address', webSocketUrl(), 'wss://host/a@b?c=d', 'wss://host/a@b?c=d'],
    ['webhook secret', webhookSecret(), `whsec_${'A'.repeat(34)}==`, `whsec_${'A'.repeat(34)}==`],
    ['key prefix', keyPrefix(), 'bridge-2', 'bridge-2'],
    ['key prefix in braces', keyPrefix(), '{bridge.a}', '{bridge.a}'],
  ])('%s parses a valid value', (_, schema, given, expected) => {
    expect(schema.parse(given)).toEqual(expected);
  });

  it.each([
    ['integer below', integer({ min: 0, max: 5 }), '-1'],
    ['integer with words', integer({ min: 0, max: 5 }), '5 apples'],
    ['flag', flag(), 'yes'],
    ['choice', choice(['a', 'b']), 'c'],
    ['http address', httpUrl(), 'ftp://host'],
    ['http address without TLS', httpUrl({ tls: true }), 'http://host'],
    ['WebSocket address with a user', webSocketUrl(), 'wss://user@host'],
    ['PostgreSQL address with a fragment', postgresUrl(), 'postgres://host/database#part'],
    ['redis address with a fragment', redisUrl(), 'redis://host/0#part'],
    ['webhook secret of a wrong length', webhookSecret(), `whsec_${'A'.repeat(33)}`],
    ['webhook secret of 23 bytes', webhookSecret(), `whsec_${'A'.repeat(31)}=`],
    ['no networks', networks(), ' , '],
    ['all networks of proxies', networks({ every: false }), '10.0.0.0/8,::/0'],
    ['networks with a name', networks(), '10.0.0.0/8, proxy.example'],
    ['redis address', redisUrl(), 'http://host'],
    ['redis address with a database that is not a number', redisUrl(), 'redis://host/text'],
    ['redis addresses without a port', redisAddresses(), 'a'],
    ['redis addresses with and without TLS', redisAddresses(), 'a:1,rediss://b:2'],
    ['redis addresses with a port above the largest', redisAddresses(), 'a:65536'],
    ['redis addresses with a wrong IPv6 address', redisAddresses(), '[:::]:1'],
    ['key prefix with a space', keyPrefix(), 'my bridge'],
    ['key prefix with a colon', keyPrefix(), 'a:b'],
    ['key prefix with one brace', keyPrefix(), '{bridge'],
  ])('%s refuses an invalid value', (_, schema, given) => {
    expect(schema.safeParse(given).success).toBe(false);
  });
});

describe('the servers of Redis', () => {
  const read = (environment: Record<string, string>) => readSettings(redisSettings('state'), environment);

  it('are one server by default, which other servers replace', () => {
    expect(read({}).REDIS_URL).toBe('redis://127.0.0.1:6379');
    expect(read({ REDIS_CLUSTER_NODES: 'rediss://a:1, rediss://[::1]:2' }).REDIS_URL).toBeUndefined();
  });

  it('are parsed from a list, also with a space before it', () => {
    expect(parseRedisAddresses(' rediss://a.b:1, rediss://[::1]:65535')).toEqual({
      addresses: [
        { host: 'a.b', port: 1 },
        { host: '::1', port: 65_535 },
      ],
      tls: true,
    });
    expect(parseRedisAddresses('a:1')).toMatchObject({ tls: false });
  });

  it.each([
    [
      { REDIS_URL: 'redis://a', REDIS_CLUSTER_NODES: 'a:1' },
      /^REDIS_URL and REDIS_CLUSTER_NODES are set, but only one of them is allowed\. Unset the other\.$/,
    ],
    [
      { REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_MASTER: 'm', REDIS_CLUSTER_NODES: 'a:1' },
      /^REDIS_SENTINELS and REDIS_CLUSTER_NODES are set/,
    ],
    [{ REDIS_SENTINELS: 'a:1' }, /^REDIS_SENTINEL_MASTER is not set/],
    [
      { REDIS_CLUSTER_NODES: 'a:1,redis://user:hunter2@b:2' },
      /^REDIS_CLUSTER_NODES is a value that is not shown here, but it takes host:port/,
    ],
  ])('are refused: %j', (environment, problem) => {
    expect(() => read(environment as Record<string, string>)).toThrow(
      expect.objectContaining({ problems: [expect.stringMatching(problem)] }),
    );
  });
});
