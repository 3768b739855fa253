import { createTestDelivery } from '@ssb/events';
import { readAlerts } from '@ssb/testing/sinks';
import { pendingDelivery } from '../../../test/support/pending-delivery.js';
import type { ProblemPart } from '../content/message-body.js';
import { AlertmanagerSink } from './alertmanager-sink.js';
import type { JsonPoster } from './json-poster.js';

/** A sink, and the bodies that it has posted. */
function openSink(labels?: Record<string, string>) {
  const posted: string[] = [];
  const post = (alerts: object) => {
    posted.push(JSON.stringify(alerts));
    return Promise.resolve({ kind: 'delivered' as const, status: 200 });
  };
  const sink = new AlertmanagerSink('alerts', { post } as unknown as JsonPoster, labels && { labels });
  return { sink, posted };
}

it('a reminder and the repetition after it have the same annotations, with who has acknowledged the problem', async () => {
  const { sink, posted } = openSink();
  const signal = new AbortController().signal;
  const problem: ProblemPart = {
    kind: 'margin',
    state: 'acknowledged',
    since: '2026-03-01T08:00:00+08:00',
    worsened: 1,
    figures: { tradingMargin: '-60000.5' },
    worstFigures: { tradingMargin: '-90000' },
    acknowledged: { at: '2026-03-02T02:20:00+00:00', by: 'jane' },
    reminders: 2,
  };
  const alert = pendingDelivery({ problemState: 'acknowledged', problem });
  const event = JSON.parse(alert.text) as object;
  const text = JSON.stringify({
    type: 'settlementbus.delivery.reminder.v1',
    data: { number: 2, problem, event },
  });
  await sink.deliver({ ...alert, eventId: 'reminder', kind: 'reminder', text }, signal);
  await sink.deliver(alert, signal);
  await sink.repeat([alert], signal);
  const annotations = posted.map((body) => (JSON.parse(body) as [{ annotations: object }])[0].annotations);
  for (const each of annotations) expect(each).toEqual(annotations[0]);
  expect(annotations[0]).toMatchObject({
    summary: expect.stringMatching(/^ACKNOWLEDGED, CRITICAL WPGENCO: /) as string,
    description: expect.stringMatching(/^jane knows of this\. /) as string,
    figures: expect.stringContaining('Trading margin at worst: -90,000 AUD') as string,
    event: 'e1',
  });
});

it('posts a test as an alert that ends after a minute', async () => {
  const { sink, posted } = openSink({ release: 'one' });
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
