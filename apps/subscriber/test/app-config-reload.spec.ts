import { readFileSync, writeFileSync } from 'node:fs';
import { buildApp, createLogger, readSettings, type BuiltApp } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { definition } from '../src/settings.js';
import { SubscriberModule } from '../src/subscriber.module.js';
import { createTestEnvironment, type TestEnvironment } from './support/running-subscriber.js';
import { marketTime, signedMessage } from './support/signed-messages.js';
import { SubscriberFixture } from './support/subscriber-fixture.js';

let fixture: SubscriberFixture;
let app: BuiltApp | undefined;
let elsewhere: TestEnvironment;

beforeEach(async () => {
  fixture = await SubscriberFixture.open();
  elsewhere = createTestEnvironment('http://127.0.0.1:1', 'http://192.0.2.1/hook');
});
afterEach(async () => {
  await app?.close();
  app = undefined;
  elsewhere.remove();
  await fixture.close();
});

const fileOf = ({ variables }: TestEnvironment): string => variables['CONFIG_FILE'] ?? '';

it('a changed file with a webhook outside WEBHOOK_ALLOWED_NETWORKS is refused, and alerts go to the previous webhook', async () => {
  const environment = fixture.environment();
  const settings = readSettings(definition, {
    ...environment.variables,
    DATABASE_URL: fixture.storage.url,
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
  const { managementUrl } = await app.listen();
  const refusals = async (): Promise<unknown[]> => {
    const { faults } = (await (await fetch(`${managementUrl}/health`)).json()) as {
      faults: { reason: string; detail: string }[];
    };
    return faults.flatMap(({ reason, detail }) => (reason === 'configuration-refused' ? [detail] : []));
  };
  const usable = readFileSync(fileOf(environment));
  writeFileSync(fileOf(environment), readFileSync(fileOf(elsewhere)));
  await waitFor('the refusal', async () => (await refusals()).length === 1);
  expect(await refusals()).toEqual([
    expect.stringContaining('The address of sink treasury is not in WEBHOOK_ALLOWED_NETWORKS'),
  ]);
  await fixture.deliver(await signedMessage({ fact: { calculatedAt: marketTime(1) }, signedAt: new Date() }));
  await fixture.waitForDeliveries(1);
  writeFileSync(fileOf(environment), usable);
  await waitFor('the end of the refusal', async () => (await refusals()).length === 0);
});
