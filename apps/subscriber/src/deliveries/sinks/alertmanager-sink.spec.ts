import { createTestDelivery } from '@ssb/events';
import { readAlerts } from '@ssb/testing/sinks';
import { pendingDelivery } from '../../../test/support/pending-delivery.js';
import { AlertmanagerSink } from './alertmanager-sink.js';
import type { JsonPoster } from './json-poster.js';

it('posts a test as an alert that ends after a minute', async () => {
  const posted: string[] = [];
  const post = (alerts: object) => {
    posted.push(JSON.stringify(alerts));
    return Promise.resolve({ kind: 'delivered' as const, status: 200 });
  };
  const sink = new AlertmanagerSink('alerts', { post } as unknown as JsonPoster, {
    labels: { release: 'one' },
  });
  const requestedAt = new Date('2026-03-02T02:20:00.000Z');
  const test = createTestDelivery({
    sink: 'alerts',
    requestId: '7',
    requestedAt,
    author: 'jane',
    comment: undefined,
  });
  const message = {
    ...pendingDelivery({ eventId: test.id, kind: 'test', severity: 'info', subject: test.subject }),
    problemId: null,
    problemState: null,
    text: JSON.stringify(test),
  };
  expect(await sink.deliver(message, new AbortController().signal)).toMatchObject({ status: 200 });
  expect(readAlerts(posted[0] ?? '')).toEqual({ id: test.id, subject: 'sink/alerts' });
  const [alert] = JSON.parse(posted[0] ?? '') as [{ startsAt: string; endsAt: string; labels: object }];
  expect(alert.labels).toMatchObject({ alertname: 'SettlementTest', test: test.id, release: 'one' });
  expect(Date.parse(alert.endsAt) - Date.parse(alert.startsAt)).toBe(60_000);
});
