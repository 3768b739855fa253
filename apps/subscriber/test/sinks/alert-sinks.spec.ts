import { createHmac } from 'node:crypto';
import { describeAlertSink } from './alert-sink.conformance.js';
import { httpAdapter } from './http-adapter.js';
import type { SinkAdapter } from './sink-adapter.js';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;

const webhook = httpAdapter({
  kind: 'webhook',
  files: () => ({ secret: SECRET, token: 'token-of-the-treasury', key: 'key-of-the-gateway' }),
  config: (url) => ({
    name: 'treasury',
    kind: 'webhook',
    url,
    secretFile: 'secret',
    bearerTokenFile: 'token',
    headerFiles: { 'X-Api-Key': 'key' },
  }),
  read: ({ headers }, body) => {
    expect(headers).toMatchObject({
      authorization: 'Bearer token-of-the-treasury',
      'x-api-key': 'key-of-the-gateway',
    });
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
    const signed = createHmac('sha256', KEY).update(`${String(id)}.${String(time)}.${body}`);
    expect(signature).toBe(`v1,${signed.digest('base64')}`);
    return JSON.parse(body) as { id: string; subject: string };
  },
});

/** The log is its own receiver. */
const log: SinkAdapter = {
  kind: 'log',
  behaviours: ['accept'],
  hasFiles: false,
  shows: (text) => text,
  start: async (lines) => ({
    config: { name: 'log', kind: 'log' },
    files: {},
    get received() {
      return lines.filter(({ msg }) => msg === 'delivery succeeded').map(readLine);
    },
    connections: 0,
    behaviour: 'accept',
    stop: () => Promise.resolve(),
  }),
};

function readLine({ eventId, subject }: Record<string, unknown>) {
  return { id: String(eventId), subject: String(subject) };
}

[webhook, log].forEach(describeAlertSink);
