import { createHmac } from 'node:crypto';
import { WebhookSink } from './webhook-receiver.js';

const key = Buffer.alloc(32, 3);
let sink: WebhookSink;
let url: string;

beforeEach(async () => {
  sink = new WebhookSink(`whsec_${key.toString('base64')}`);
  url = await sink.start();
});

afterEach(() => sink.stop());

/** Signs as the Standard Webhooks specification says, without the library under test. */
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

it('takes a signed delivery, and counts a repeat as the same one', async () => {
  expect((await post('{"a":1}')).status).toBe(204);
  expect((await post('{"a":1}')).status).toBe(204);
  expect(sink.deliveries).toMatchObject([{ id: 'evt-1', body: '{"a":1}', attempts: 2 }]);
});

it('refuses a body that was not signed', async () => {
  expect((await post('{"a":2}', '{"a":1}')).status).toBe(401);
  expect(sink.deliveries).toEqual([]);
  expect(sink.refused).toBe(1);
});
