import { randomUUID } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DetectedEvent } from '@ssb/events';
import { FixedKeys, formatKeyRing, KeyRing } from '@ssb/keys';
import { openEventQueue } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { Queue } from 'bullmq';
import {
  breach,
  deadLetters,
  folder,
  isQueueEmpty,
  keys,
  lines,
  prefix,
  published,
  queue,
  redis,
  sentAlerts,
  sentFacts,
  setUpPublisherTests,
  start,
} from './support/running-publisher.js';

setUpPublisherTests();

/** Adds jobs as any client of Redis can. */
async function addRaw(...jobs: readonly { id: string; data: unknown }[]): Promise<void> {
  const raw = new Queue('settlement-events', { connection: redis, prefix });
  for (const { id, data } of jobs) await raw.add('forged', data, { jobId: id, attempts: 1_000 });
  await raw.close();
}

const alertReasons = (): unknown[] =>
  sentAlerts().map(({ data, participant }) => ['reason' in data && data.reason, participant]);

it('a job that another client wrote is neither signed nor sent, and raises one alert', async () => {
  const { url } = await start();
  const forged = breach(1);
  const unknown = { ...breach(2), participant: 'NOTLISTED' };
  await addRaw(
    { id: forged.id, data: { event: forged, hmac: `v1:${'A'.repeat(43)}` } },
    { id: unknown.id, data: unknown },
    { id: '\u001b[2J', data: [1, 'text', null] },
  );
  await waitFor('the unverified dead letters', async () => (await deadLetters.countUnverified()) === 3);
  await waitFor('the alert', () => sentAlerts().length > 0);
  expect(alertReasons()).toEqual([['job-authentication-failed', '*']]);
  await waitFor('the end of the refusals', isQueueEmpty);
  // The genuine event of the id is published.
  await queue.enqueue([forged]);
  await waitFor('the genuine event', () => published().length === 1);
  expect(sentFacts().map(({ payload }) => (JSON.parse(payload) as DetectedEvent).id)).toEqual([forged.id]);
  await waitFor('an empty queue', isQueueEmpty);
  expect(await deadLetters.count()).toBe(0);
  await waitFor('the metrics', async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return (
      metrics.includes('settlement_bridge_publisher_refused_jobs_total{reason="missing"} 2') &&
      metrics.includes('settlement_bridge_publisher_refused_jobs_total{reason="mismatch"} 1') &&
      metrics.includes('settlement_bridge_queue_unverified_dead_letters 3')
    );
  });
  expect(JSON.stringify(lines)).not.toMatch(/NOTLISTED|(?<!\\)\\u001b/);
});

it('unverified dead letters that exceed their bounds are removed with an alert that has their number', async () => {
  await redis.set(`${prefix}:settlement-events-unverified:bytes`, 64 * 2 ** 20);
  await start();
  await addRaw({ id: 'forged', data: { event: breach(1) } });
  const details = (): unknown[] => sentAlerts().map(({ data }) => 'detail' in data && data.detail);
  await waitFor('the alert', () => details().some((detail) => String(detail).includes('removed since')));
  expect(details()).toContain(
    'Unverified dead letters that were removed since the start: 1. The newest 1000 are kept, up to 64 MiB.',
  );
});

it('an authentic event of a participant that is not configured is a dead letter with an alert', async () => {
  await start();
  // Until then CONFIG_FILE may not have been read again.
  const detectedat = new Date(Date.now() - 6 * 60_000).toISOString();
  const event: DetectedEvent = { ...breach(1), participant: 'NOTLISTED', detectedat };
  const nameless = { ...breach(3), participant: undefined } as unknown as DetectedEvent;
  await queue.enqueue([event, { ...breach(2), participant: '*' }, nameless]);
  await waitFor('the dead letters', async () => (await deadLetters.count()) === 3);
  await waitFor('the alert', () => sentAlerts().length > 0);
  expect(alertReasons()).toEqual([['dead-letter', '*']]);
  expect((await deadLetters.list()).map(({ reason }) => reason).toSorted()).toEqual([
    'CONFIG_FILE has no participant "*"',
    'CONFIG_FILE has no participant "NOTLISTED"',
    expect.stringContaining('CONFIG_FILE has no participant'),
  ]);
  expect(sentFacts()).toEqual([]);
});

it('a rotation of the keys: jobs of the former and of the new key are published, also before the next reading', async () => {
  const file = join(folder, 'rotated.keys');
  copyFileSync(join(folder, 'integrity.keys'), file);
  await start({ INTEGRITY_KEYS_FILE: file, KEYS_RELOAD_INTERVAL_MS: '3600000' });
  const [first] = keys.current().keys;
  if (first === undefined) throw new Error('no key');
  const activeFrom = new Date(Math.max(Date.now(), first.activeFrom.getTime() + 1));
  const ring = new KeyRing([first, { version: 2, activeFrom, secret: randomUUID() + randomUUID() }]);
  await queue.enqueue([breach(1)]);
  writeFileSync(file, formatKeyRing(ring));
  await waitFor('version 2', () => ring.activeAt(new Date()).version === 2);
  const rotated = openEventQueue({ redis, prefix, keys: new FixedKeys(ring) });
  await rotated.enqueue([breach(2)]);
  await rotated.close();
  await queue.enqueue([breach(3)]);
  await waitFor('the events', () => published().length === 3);
  expect(await deadLetters.list()).toEqual([]);
});
