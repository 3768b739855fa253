import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createLogger,
  describeStartFailure,
  generateSecret,
  readSettings,
  writeEncryptedFile,
} from '@ssb/platform';
import { runToEnd, startTestRedis } from '@ssb/testing';
import { PublisherModule } from '../src/publisher.module.js';
import { definition } from '../src/settings.js';

/** The app as it is shipped. */
const bundle = new URL('../../../../bundles/bus-publisher.js', import.meta.url).pathname;
const SECRET = 'a secret of more than thirty-two bytes';

const CONFIG = `participants: [{ code: WPGENCO, margin: { warning: '2', breach: '1', hysteresis: '0' } }]
routes: [{ types: ['settlementbus.*'], channel: a.channels.b.apps.c.iam.d }]
senders: []
alerts: { unattended: true, sinks: [{ name: log, kind: log }], rules: [{ types: ['*'], sinks: [log] }] }
`;

let folder: string;
let path: (name: string) => string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'publisher-start-'));
  path = (name) => join(folder, name);
  writeFileSync(path('secret'), SECRET);
  writeFileSync(path('bridge.yaml'), CONFIG);
  writeFileSync(path('silent.yaml'), CONFIG.replace("'settlementbus.*'", "'settlementbus.invoice.*'"));
  for (const name of ['integrity.keys', 'ids.keys']) writeFileSync(path(name), generateSecret());
  await writeEncryptedFile(path('origin.key'), Buffer.from('1'.repeat(64)), Buffer.from(SECRET));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = (change: Record<string, string>) => ({
  PORT: '0',
  REDIS_URL: 'redis://127.0.0.1:1',
  CONFIG_FILE: path('bridge.yaml'),
  GATEWAY_USERNAME: 'bridge',
  GATEWAY_PASSWORD: 'password',
  ORIGIN_KEY_FILE: path('origin.key'),
  ORIGIN_KEY_SECRET_FILE: path('secret'),
  INTEGRITY_KEYS_FILE: path('integrity.keys'),
  TRANSACTION_ID_KEYS_FILE: path('ids.keys'),
  LOG_FORMAT: 'json',
  ...change,
});

it('a Redis that refuses the password ends the publisher with exit status 78 and one sentence', async () => {
  const redis = await startTestRedis();
  writeFileSync(path('redis.password'), 'hunter2\n');
  const { status, stderr, stdout } = await runToEnd(
    bundle,
    [],
    environment({
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      REDIS_PASSWORD_FILE: path('redis.password'),
    }),
  );
  await redis.stop();
  expect(stderr).toMatch(/^bus-publisher cannot start: its configuration is wrong\.\n/);
  expect(stderr).toMatch(/^ {2}The Redis of REDIS_URL refuses the user name or password: /m);
  expect(status).toBe(78);
  expect(stdout + stderr).not.toMatch(/hunter2| {4}at /);
});

it.each([
  [
    'margin.breached without a route',
    () => ({ CONFIG_FILE: path('silent.yaml') }),
    /silent\.yaml:2: routes have no route for settlementbus\.margin\.breached\.v1, so a margin breach alerts no person; add the type to a route\.$/,
  ],
  [
    'a password and a file with the password',
    () => ({ GATEWAY_PASSWORD_FILE: path('secret') }),
    /^Each of GATEWAY_PASSWORD and GATEWAY_PASSWORD_FILE is set\. Set exactly one of them\.$/,
  ],
])('%s is refused before anything is connected', async (_, change, sentence) => {
  const log = createLogger({ name: 'bus-publisher', level: 'silent', format: 'json' });
  const settings = readSettings(definition, environment(change()));
  const error = await PublisherModule.register(settings, log).catch((cause: unknown) => cause);
  expect(describeStartFailure(error)).toMatchObject({
    exitStatus: 78,
    problems: [expect.stringMatching(sentence)],
  });
});
