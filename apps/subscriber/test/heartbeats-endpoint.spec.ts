import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp, createLogger, readSettings, type BuiltApp } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { definition } from '../src/settings.js';
import { SubscriberModule } from '../src/subscriber.module.js';
import { heartbeatMessage } from './support/signed-messages.js';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const TOKEN = 'a token of at least thirty-two bytes';

let fixture: SubscriberFixture;
let app: BuiltApp | undefined;

beforeEach(async () => {
  fixture = await SubscriberFixture.open();
});
afterEach(async () => {
  await app?.close();
  await fixture.close();
});

it('serves the time of the newest verified heartbeat with the management token', async () => {
  const environment = fixture.environment();
  const tokenFile = join(environment.folder, 'token');
  writeFileSync(tokenFile, TOKEN);
  chmodSync(tokenFile, 0o600);
  const settings = readSettings(definition, {
    ...environment.variables,
    DATABASE_URL: fixture.storage.url,
    MANAGEMENT_TOKEN_FILE: tokenFile,
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
