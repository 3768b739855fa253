import { waitFor } from '@ssb/testing';
import { leads, metric, participant, server, setUpPollerTests, start } from './support/running-poller.js';

setUpPollerTests();

it('shows the queue, and while Redis does not respond neither the queue nor a lease that has ended', async () => {
  const { url } = await start({ LEASE_TTL_MS: '600' });
  await waitFor('the lease', () => leads(url));
  // No publisher runs.
  const waiting = 'settlement_bridge_queue_jobs{state="waiting"}';
  await waitFor('an event on the queue', async () => /[1-9]\d*$/.test((await metric(url, waiting)) ?? ''));
  expect(await metric(url, 'settlement_bridge_queue_oldest_waiting_seconds')).toMatch(/ \d+(\.\d+)?$/);
  server.pause();
  try {
    const leader = `settlement_bridge_poller_leader{participant="${participant}"}`;
    await waitFor('the end of the lease', async () => (await metric(url, leader)) === `${leader} 0`);
    await waitFor('the unknown queue', async () => (await metric(url, waiting)) === undefined);
    expect(await metric(url, 'settlement_bridge_queue_oldest_waiting_seconds ')).toBeUndefined();
  } finally {
    server.resume();
  }
});
