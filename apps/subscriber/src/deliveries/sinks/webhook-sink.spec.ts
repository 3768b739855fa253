import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { SinkMessage } from './alert-sink.js';
import { startHttpSink, type HttpSink, type Received } from '@ssb/testing/sinks';
import { WebhookSink } from './webhook-sink.js';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;
const ALERT: SinkMessage = {
  eventId: '6f1c0b3e-2f4f-4d3e-9a66-0c2f5d1f7a10',
  kind: 'alert',
  severity: 'critical',
  problemId: 'd0c8a1f2-7a53-4c0b-8f39-5d1f0c1c2a77',
  problemState: 'open',
  marks: [],
  replayed: false,
  type: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
  participant: 'WPGENCO',
  text: '{"amount":"12345678901234567890123.12345678", "name":"Ünïcode \u{1F50C}"}',
};
const NEVER_ABORTED = new AbortController().signal;

describe('WebhookSink', () => {
  let server: HttpSink;
  let sink: WebhookSink;

  afterEach(async () => {
    await sink.close();
    await server.stop();
  });

  async function deliver(
    respond: (received: Received, response: ServerResponse) => void,
    change: {
      credentials?: string;
      timeoutMs?: number;
      signal?: AbortSignal;
      message?: Partial<SinkMessage>;
    } = {},
  ) {
    const { credentials = '', timeoutMs = 30_000, signal = NEVER_ABORTED, message } = change;
    server = await startHttpSink(respond);
    sink = new WebhookSink('treasury', {
      url: server.url.replace('//', `//${credentials}`),
      secrets: () => [SECRET],
      timeoutMs,
      responseLimitBytes: 1_000,
      connections: 1,
    });
    return sink.deliver({ ...ALERT, ...message }, signal);
  }

  it('posts the archived text byte for byte, signed according to Standard Webhooks', async () => {
    const outcome = await deliver((_, response) => response.writeHead(204).end());
    expect(outcome).toEqual({ kind: 'delivered', status: 204 });
    const [request] = server.requests;
    expect(request?.path).toBe('/hooks/margin?team=treasury');
    expect(request?.body).toBe(ALERT.text);
    const {
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': signature,
    } = request?.headers ?? {};
    expect(id).toBe(ALERT.eventId);
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(10);
    const signed = createHmac('sha256', KEY)
      .update(`${ALERT.eventId}.${String(time)}.${ALERT.text}`, 'utf8')
      .digest('base64');
    expect(signature).toBe(`v1,${signed}`);
    expect(request?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(bridgeHeaders(request)).toEqual({
      'bridge-kind': 'alert',
      'bridge-severity': 'critical',
      'bridge-problem': ALERT.problemId,
      'bridge-state': 'open',
    });
  });

  it('sends marks and a replay in headers, and leaves the body as it is', async () => {
    await deliver((_, response) => response.writeHead(204).end(), {
      message: {
        kind: 'notice',
        problemId: null,
        problemState: null,
        marks: ['late', 'clockSkew'],
        replayed: true,
      },
    });
    const [request] = server.requests;
    expect(bridgeHeaders(request)).toEqual({
      'bridge-kind': 'notice',
      'bridge-severity': 'critical',
      'bridge-marks': 'late,clockSkew',
      'bridge-replayed': 'true',
    });
    expect(request?.body).toBe(ALERT.text);
  });

  it.each([
    [200, { kind: 'delivered', status: 200, response: 'well' }],
    [299, { kind: 'delivered', status: 299, response: 'well' }],
    [410, { kind: 'rejected', status: 410, response: 'well' }],
    [503, { kind: 'rejected', status: 503, response: 'well' }],
  ])('status %i', async (status, expected) => {
    expect(await deliver((_, response) => response.writeHead(status).end('well'))).toEqual(expected);
  });

  it('sends the credentials of the address', async () => {
    await deliver((_, response) => response.end(), { credentials: 'bridge:p%40ss@' });
    const expected = `Basic ${Buffer.from('bridge:p@ss').toString('base64')}`;
    expect(server.requests[0]?.headers['authorization']).toBe(expected);
  });

  it('returns the Retry-After of the response', async () => {
    const outcome = await deliver((_, response) => response.writeHead(429, { 'retry-after': '7' }).end());
    expect(outcome).toEqual({ kind: 'rejected', status: 429, retryAfterMs: 7_000 });
  });

  it('does not follow a redirect', async () => {
    const outcome = await deliver((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect(outcome).toEqual({ kind: 'rejected', status: 307 });
    expect(server.requests).toHaveLength(1);
  });

  it('times out without a response', async () => {
    expect(await deliver(() => undefined, { timeoutMs: 500 })).toEqual({ kind: 'timeout' });
  });

  it('uses the status when the response never ends', async () => {
    const outcome = await deliver(
      (_, response) => {
        const fill = () => {
          while (!response.destroyed && response.write('x'.repeat(10_000)));
        };
        response.on('drain', fill).writeHead(200);
        fill();
      },
      { timeoutMs: 20_000 },
    );
    expect(outcome).toEqual({ kind: 'delivered', status: 200, response: 'x'.repeat(1_000) });
  });

  it('reports a broken connection by its code, without the address', async () => {
    const outcome = await deliver((_, response) => response.destroy());
    expect(outcome).toEqual({ kind: 'unreachable', detail: 'UND_ERR_SOCKET' });
  });

  it('is aborted by the signal', async () => {
    const controller = new AbortController();
    const outcome = await deliver(() => controller.abort(), { signal: controller.signal });
    expect(outcome).toEqual({ kind: 'unreachable', detail: 'aborted' });
  });
});

function bridgeHeaders(request: Received | undefined): object {
  return Object.fromEntries(
    Object.entries(request?.headers ?? {}).filter(([name]) => name.startsWith('bridge-')),
  );
}
