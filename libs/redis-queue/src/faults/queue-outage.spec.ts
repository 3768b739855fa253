import { ContentAuthenticator, FixedKeys, parseKeyRing, toAuthenticatedText } from '@ssb/keys';
import { createLogger, Degradations, Metrics } from '@ssb/platform';
import { openEventQueue } from '../queue/event-queue.js';
import { checkDurability } from '../redis/durability.js';
import { connectRedis } from '../redis/connect.js';
import { RedisUnavailableError } from '../redis/connection-errors.js';
import { startScriptedServer, startTestRedis, waitFor } from '@ssb/testing';
import { QueueFaultReporting } from './queue-fault-reporting.js';
import { reportUnavailableQueue } from './queue-outage.js';

const app = 'poller';
const log = createLogger({ name: 'spec', level: 'silent', format: 'json' });
const keys = new FixedKeys(parseKeyRing('a secret of more than thirty-two characters'));

const key = '{outage}:alerts:poller:check';
const textOf = (writtenAt: Date): string =>
  toAuthenticatedText(new ContentAuthenticator(keys, 'operational-alerts'), key, String(writtenAt.getTime()));

it('a start without Redis posts one alert, and the next start posts its end', async () => {
  const receiver = await startScriptedServer();
  receiver.respond = () => ({ status: 204 });
  const posted = () => receiver.received.map(({ body }) => JSON.parse(body));
  const settings = {
    OPERATIONS_WEBHOOK_URL: receiver.url,
    OPERATIONS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    QUEUE_PREFIX: '{outage}',
    QUEUE_UNAVAILABLE_AFTER_MS: 2_500,
  };
  const unavailable = new RedisUnavailableError('ECONNREFUSED');
  const start = reportUnavailableQueue(app, settings, log, () => Promise.reject(unavailable));
  await expect(start).rejects.toBe(unavailable);
  expect(posted()).toMatchObject([{ data: { app, reason: 'queue-unavailable', count: 1 } }]);

  const server = await startTestRedis();
  const redis = connectRedis(server.url, { name: 'outage-spec' });
  const queue = openEventQueue({ redis, prefix: '{outage}', keys });
  await reportUnavailableQueue(app, settings, log, () => checkDurability(redis, { production: false }));
  // The last write of a run that ended in the outage.
  const writtenAt = new Date(Date.now() - 10_000);
  const metrics = new Metrics();
  const newReporting = (metrics = new Metrics()): QueueFaultReporting =>
    new QueueFaultReporting({
      app,
      settings,
      redis,
      queue,
      integrityKeys: keys,
      degradations: new Degradations(),
      metrics,
      log,
    });
  // Neither a list of another client, nor a time that it wrote, is an outage.
  await redis.rpush(key, 'x');
  const surprised = newReporting(metrics);
  surprised.start();
  await waitFor('a write', async () => (await redis.type(key)) === 'string');
  await waitFor('the report', async () =>
    /reason="malformed"} 1/.test(
      await metrics.registry.getSingleMetricAsString('settlement_bridge_state_discarded_total'),
    ),
  );
  await surprised.stop();
  await redis.set(key, writtenAt.getTime() - 5_000);
  const deceived = newReporting();
  deceived.start();
  await waitFor('a write', async () => (await redis.get(key))?.startsWith('v1:'));
  await deceived.stop();
  await redis.set(key, textOf(writtenAt));
  const reporting = newReporting();
  reporting.start();
  await waitFor('the end', () => receiver.received.length === 2);
  await reporting.stop();
  expect(posted()[1]).toMatchObject({
    type: 'settlementbus.bridge.alert.cleared.v1',
    subject: posted()[0].subject,
    data: { since: writtenAt.toISOString() },
  });
  await queue.close();
  redis.disconnect();
  await server.stop();
  await receiver.stop();
});
