import { createHmac } from 'node:crypto';
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
function post(body: string, signedBody = body): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`evt-1.${timestamp}.${signedBody}`).digest('base64');
  const headers = {
    'webhook-id': 'evt-1',
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
  expect(receiver.rejectedCount).toBe(1);
});
