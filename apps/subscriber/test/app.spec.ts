import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp, createLogger, readSettings, type BuiltApp } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { definition } from '../src/settings.js';
import { SubscriberModule } from '../src/subscriber.module.js';
import { createTestEnvironment, type TestEnvironment } from './support/running-subscriber.js';
import { heartbeatMessage, marketTime, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

/** The app as `main.ts` starts it. */

const TOKEN = 'a token of at least thirty-two bytes';

const fixture = new SubscriberFixture();
let environment: TestEnvironment;
let app: BuiltApp;
let managementUrl: string;

beforeAll(async () => {
  await fixture.open();
  environment = fixture.environment();
  const tokenFile = join(environment.folder, 'token');
  writeFileSync(tokenFile, TOKEN);
  chmodSync(tokenFile, 0o600);
  const settings = readSettings(definition, {
    ...environment.variables,
    DATABASE_URL: fixture.storage.url,
    MANAGEMENT_TOKEN_FILE: tokenFile,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    CONFIG_RELOAD_INTERVAL_MS: '20',
  });
  app = await buildApp(
    {
      name: 'subscriber',
      definition,
      module: (given, log) => SubscriberModule.register(given, log),
      http: ({ PORT }) => ({ port: PORT }),
    },
    settings,
    createLogger({ name: 'subscriber', level: 'silent', format: 'json' }),
  );
  ({ managementUrl = '' } = await app.listen());
});
afterAll(async () => {
  await app.close();
  await fixture.close();
});

it('serves the time of the newest verified heartbeat with the management token', async () => {
  const url = `${managementUrl}/heartbeats`;
  expect((await fetch(url)).status).toBe(401);
  const read = async () =>
    (await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })).json() as Promise<{
      newest: string | null;
    }>;
  expect(await read()).toEqual({ newest: null, heartbeats: [] });
  const message = await heartbeatMessage();
  await fixture.deliver(message);
  const { time } = JSON.parse(message.payload) as { time: string };
  await waitFor('the heartbeat', async () => (await read()).newest === new Date(time).toISOString());
});

it('refuses a changed file with a webhook outside WEBHOOK_ALLOWED_NETWORKS, and delivers to the previous webhook', async () => {
  const elsewhere = createTestEnvironment('http://127.0.0.1:1', 'https://192.0.2.1/hook');
  const fileOf = ({ variables }: TestEnvironment): string => variables['CONFIG_FILE'] ?? '';
  const refusals = async (): Promise<unknown[]> => {
    const response = await fetch(`${managementUrl}/health`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const { faults } = (await response.json()) as { faults: { reason: string; detail: string }[] };
    return faults.flatMap(({ reason, detail }) => (reason === 'configuration-refused' ? [detail] : []));
  };
  const usable = readFileSync(fileOf(environment));
  writeFileSync(fileOf(environment), readFileSync(fileOf(elsewhere)));
  elsewhere.remove();
  await waitFor('the refusal', async () => (await refusals()).length === 1);
  expect(await refusals()).toEqual([
    expect.stringContaining('The address of sink treasury is not in WEBHOOK_ALLOWED_NETWORKS'),
  ]);
  await fixture.deliver(await signedMessage({ fact: { calculatedAt: marketTime(1) }, signedAt: new Date() }));
  await fixture.waitForDeliveries(1);
  writeFileSync(fileOf(environment), usable);
  await waitFor('the end of the refusal', async () => (await refusals()).length === 0);
});
