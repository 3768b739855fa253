import type { DetectedEvent } from '@ssb/events';
import { createLogger } from '@ssb/platform';
import { startScriptedServer, waitFor, type ScriptedServer } from '@ssb/testing/in-process';
import { WebhookClient } from '@ssb/net';
import { Webhook } from 'standardwebhooks';
import { createFaultEvent } from './create-fault-event.js';
import { MAX_WAITING_ALERTS, OperationsWebhook } from './operations-webhook.js';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const log = createLogger({ name: 'spec', level: 'silent', format: 'json' });

let receiver: ScriptedServer;
let webhook: OperationsWebhook;
let dropped: number;

beforeEach(async () => {
  receiver = await startScriptedServer();
  const url = `${receiver.url}/alerts`;
  const client = new WebhookClient({
    url,
    secrets: () => [SECRET],
    timeoutMs: 5_000,
    responseLimitBytes: 1_000,
    connections: 1,
  });
  dropped = 0;
  webhook = new OperationsWebhook({
    client,
    log,
    dropped: { inc: () => (dropped += 1) },
    backoff: { baseMs: 5, maxMs: 50 },
  });
});
afterEach(async () => {
  await webhook.stop();
  await receiver.stop();
});

function alert(sequence: number): DetectedEvent {
  const topic = { app: 'poller', reason: 'queue-unavailable', participant: '*' } as const;
  const report = { ...topic, since: new Date(0), count: 1, detail: 'x', sequence };
  return createFaultEvent({ kind: 'raised', report }, new Date());
}

it('posts the unsigned event as Standard Webhooks, until it is accepted, and once', async () => {
  receiver.respond = (_, count) => ({ status: count < 3 ? 503 : 204 });
  const event = alert(1);
  expect(webhook.post(event)).toBe(true);
  await waitFor('three attempts', () => receiver.received.length === 3);
  await waitFor('the acceptance', () => !webhook.post(event));
  webhook.post(alert(2));
  await waitFor('the other alert', () => receiver.received.length === 4);
  for (const { headers, body } of receiver.received.slice(0, 3)) {
    expect(headers).toMatchObject({ 'webhook-id': event.id });
    expect(headers['content-type']).toContain('application/cloudevents+json');
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(event);
  }
});

it('delivers the other alerts when the receiver refuses one', async () => {
  const refused = alert(1);
  receiver.respond = ({ headers }) => ({ status: headers['webhook-id'] === refused.id ? 400 : 204 });
  webhook.post(refused);
  webhook.post(alert(2));
  await waitFor('the other alert', () =>
    receiver.received.some(({ headers }) => headers['webhook-id'] !== refused.id),
  );
});

it('keeps the newest alerts while the receiver is down, and counts the others', async () => {
  receiver.respond = () => ({ status: 503 });
  const alerts = Array.from({ length: MAX_WAITING_ALERTS + 10 }, (_, n) => alert(n));
  for (const each of alerts) webhook.post(each);
  await waitFor('an attempt', () => receiver.received.length > 0);
  const accepted: unknown[] = [];
  receiver.respond = ({ headers }) => {
    accepted.push(headers['webhook-id']);
    return { status: 204 };
  };
  await waitFor('the alerts', () => accepted.length >= MAX_WAITING_ALERTS);
  expect(accepted).toEqual(alerts.slice(10).map(({ id }) => id));
  expect(dropped).toBe(10);
});
