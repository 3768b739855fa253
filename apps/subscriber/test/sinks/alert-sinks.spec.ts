import { readWebhook } from '@ssb/testing/sinks';
import { describeAlertSink } from './alert-sink.conformance.js';
import { httpAdapter } from './http-adapter.js';
import type { SinkAdapter } from './sink-adapter.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

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
    return readWebhook(headers, body, SECRET);
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
