import { startScriptedServer, waitFor } from '@ssb/testing';
import { readiness } from './support/health.js';
import {
  leads,
  metric,
  participant,
  redis,
  server,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

it('an unavailable Redis is reported to the operations webhook, and neither the queue nor an ended lease is shown', async () => {
  const receiver = await startScriptedServer();
  receiver.respond = () => ({ status: 204 });
  const types = (): unknown[] => receiver.received.map(({ body }) => JSON.parse(body).type);
  const { url } = await start({
    LEASE_TTL_MS: '600',
    OPERATIONS_WEBHOOK_URL: receiver.url,
    OPERATIONS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    // A busy machine does not pause Redis so long.
    QUEUE_UNAVAILABLE_AFTER_MS: '3000',
  });
  const leader = `settlement_bridge_poller_leader{participant="${participant}"}`;
  const waiting = 'settlement_bridge_queue_jobs{state="waiting"}';
  const oldest = 'settlement_bridge_queue_oldest_waiting_seconds ';
  try {
    await waitFor('the lease', () => leads(url));
    // No publisher runs.
    await waitFor('an event on the queue', async () => /[1-9]\d*$/.test((await metric(url, waiting)) ?? ''));
    expect(await metric(url, oldest)).toMatch(/ \d+(\.\d+)?$/);
    // Connections stay open without any response.
    server.pause();
    try {
      await waitFor('the alert', () => receiver.received.length === 1);
      expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
        participant: '*',
        data: { app: 'poller', reason: 'queue-unavailable', count: 1 },
      });
      const health = await (await fetch(`${url}/health`)).json();
      expect(health).toMatchObject({ faults: [{ reason: 'queue-unavailable' }] });
      await waitFor('the end of the lease', async () => (await metric(url, leader)) === `${leader} 0`);
      await waitFor('the unknown queue', async () => (await metric(url, waiting)) === undefined);
      expect(await metric(url, oldest)).toBeUndefined();
    } finally {
      server.resume();
    }
    await waitFor('the end', () => receiver.received.length === 2);
    expect(types()).toEqual([
      'settlementbus.bridge.alert.raised.v1',
      'settlementbus.bridge.alert.cleared.v1',
    ]);
  } finally {
    await receiver.stop();
  }
});

it('a Redis that refuses writes makes the poller unready', async () => {
  const { url } = await start();
  expect((await readiness(url)).status).toBe(200);
  const [, previous = '0'] = await redis.config('GET', 'maxmemory');
  await redis.config('SET', 'maxmemory', '1');
  try {
    expect((await readiness(url)).status).toBe(503);
  } finally {
    await redis.config('SET', 'maxmemory', previous);
  }
});
