import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { WebhookReceiver } from './webhook-receiver.js';

const key = Buffer.alloc(32, 3);
let receiver: WebhookReceiver;
let url: string;

beforeEach(async () => {
  receiver = new WebhookReceiver(`whsec_${key.toString('base64')}`);
  url = await receiver.start();
});

afterEach(() => receiver.stop());

/** Signs as the Standard Webhooks specification says, without the tested library. */
function post(body: string, signedBody = body, id = 'evt-1'): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${signedBody}`).digest('base64');
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  return fetch(url, { method: 'POST', body, headers });
}

it('accepts a signed delivery and counts a repeat as an attempt', async () => {
  expect((await post('{"a":1}')).status).toBe(204);
  expect((await post('{"a":1}')).status).toBe(204);
  expect(receiver.deliveries).toMatchObject([{ id: 'evt-1', body: '{"a":1}', attempts: 2 }]);
});

it('rejects a body with another signature', async () => {
  expect((await post('{"a":2}', '{"a":1}')).status).toBe(401);
  expect(receiver.deliveries).toEqual([]);
});

it('keeps the newest deliveries', async () => {
  receiver.maxKeptBytes = 8_000;
  const body = JSON.stringify('x'.repeat(2_000));
  for (const id of ['evt-1', 'evt-2', 'evt-3', 'evt-4', 'evt-5']) await post(body, body, id);
  expect(receiver.deliveries.map(({ id }) => id)).toEqual(['evt-3', 'evt-4', 'evt-5']);
});

it('refuses a body of more than 8 MiB', async () => {
  expect((await post('x'.repeat(8 * 1024 * 1024 + 1))).status).toBe(413);
  expect(receiver.deliveries).toEqual([]);
});

it('continues when a sender breaks the connection', async () => {
  const headers = { 'content-length': 9, expect: '100-continue' };
  const broken = request(url, { method: 'POST', headers });
  broken.flushHeaders();
  await once(broken, 'continue');
  const closed = new Promise((resolve) => broken.once('close', resolve));
  broken.on('error', () => undefined).destroy();
  await closed;
  expect((await post('{"a":1}')).status).toBe(204);
});
