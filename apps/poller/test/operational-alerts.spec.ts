import { startScriptedServer, waitFor } from '@ssb/testing';
import { server, setUpPollerTests, start } from './support/running-poller.js';

setUpPollerTests();

it('an unavailable Redis is reported to the operations webhook, and so is its end', async () => {
  const receiver = await startScriptedServer();
  receiver.answer = () => ({ status: 204 });
  const types = (): unknown[] => receiver.received.map(({ body }) => JSON.parse(body).type);
  const { url } = await start({
    OPERATIONS_WEBHOOK_URL: receiver.url,
    OPERATIONS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    QUEUE_UNAVAILABLE_AFTER_MS: '300',
  });
  try {
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
