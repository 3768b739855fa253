import { startScriptedServer, waitFor, type ScriptedServer } from '@ssb/testing/in-process';
import type { MalformedMessageError } from '../gateway/message.js';
import { GatewayClient } from './gateway-client.js';
import { GatewayError, GatewayResponseTooLargeError, GatewayUnreachableError } from './gateway-errors.js';

/** Responses of gateways that differ from document 002 as the public gateway 0.6.1 does. */
let server: ScriptedServer;
let client: GatewayClient;

beforeEach(async () => {
  server = await startScriptedServer();
  client = new GatewayClient({ baseUrl: server.url, username: 'u', password: 'p', timeoutMs: 30_000 });
});

afterEach(async () => {
  await client.close();
  await server.stop();
});

function respond(status: number, body: unknown): void {
  server.respond = () => ({ status, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

const MESSAGE =
  '{"id":"5","topic":"t","payload":"p","signature":"s","sender":"d","timestampNanos":1763600702123456800}';

describe('responses of other gateways', () => {
  it('gives messages without a channel the channel of the query', async () => {
    respond(200, `[${MESSAGE}]`);
    expect(await client.readMessages({ fqcn: 'c' })).toMatchObject([{ id: '5', fqcn: 'c' }]);
  });

  it('leaves out a malformed message with onMalformed, and refuses the response otherwise', async () => {
    respond(200, `[${MESSAGE},{"id":"6","timestampNanos":7},${MESSAGE.replace('"5"', '"7"')}]`);
    const malformed: MalformedMessageError[] = [];
    const messages = await client.readMessages({ fqcn: 'c', onMalformed: (error) => malformed.push(error) });
    expect(messages.map(({ id }) => id)).toEqual(['5', '7']);
    expect(malformed).toMatchObject([
      { message: expect.stringContaining('payload'), readableFields: { id: '6', timestampNanos: 7n } },
    ]);
    await expect(client.readMessages({ fqcn: 'c' })).rejects.toThrow('payload');
  });

  it('reads topic schemas that are objects, and null for a missing value', async () => {
    const schema = { type: 'object' };
    const topics = [
      { namespace: 'object', schema },
      { namespace: 'text', schema: '{"type":"string"}' },
    ];
    respond(200, [{ fqcn: 'c', topics, publishers: null, maxMsgAge: 1, unknown: true }]);
    expect(await client.channels()).toEqual([
      {
        fqcn: 'c',
        topics: [
          { namespace: 'object', schema: '{"type":"object"}' },
          { namespace: 'text', schema: '{"type":"string"}' },
        ],
        maxMsgAge: 1,
      },
    ]);
  });

  it('leaves out a channel and a topic that cannot be read', async () => {
    const topics = [{ schema: '{}' }, { namespace: 't', schema: '{}' }];
    respond(200, ['c', { fqcn: 1 }, { fqcn: 'd', topics }]);
    expect(await client.channels()).toEqual([{ fqcn: 'd', topics: [{ namespace: 't', schema: '{}' }] }]);
  });

  it.each([
    [{ approved: true, waiting: false, roles: { user: 'APPROVED' } }, true, false],
    [{ approved: false, waiting: true, roles: { user: 'AWAITING_APPROVAL' } }, false, true],
    [{ roles: { user: 'APPROVED' } }, true, false],
    [{ roles: { user: 'AWAITING_APPROVAL' } }, false, true],
    [{ ready: false, approved: true, waiting: false, roles: { user: 'APPROVED' } }, false, false],
  ])('reads the enrolment %j', async (state, ready, waiting) => {
    respond(200, { did: 'did:ethr:0x1', state });
    expect(await client.enrolment()).toEqual({
      did: 'did:ethr:0x1',
      state: { ready, waiting, roles: { user: state.roles.user, messagebroker: 'NOT_WANTED' } },
    });
  });

  it.each([
    [{ code: 'DSB::CHANNEL_NOT_FOUND', reason: ['no such channel', 'c'] }, 'no such channel; c'],
    [{ code: 'DSB::CHANNEL_NOT_FOUND', reason: null }, ''],
    [{ code: 'DSB::CHANNEL_NOT_FOUND' }, ''],
  ])('reads the error %j', async (err, reason) => {
    respond(404, { err });
    const failure = client.sendMessage({ fqcn: 'c', payload: '{}' });
    await expect(failure).rejects.toBeInstanceOf(GatewayError);
    await expect(failure).rejects.toMatchObject({ status: 404, kind: 'CHANNEL_NOT_FOUND', reason });
  });

  it('reads an error that is a text', async () => {
    respond(400, { err: 'Duplicate transaction id.' });
    await expect(client.sendMessage({ fqcn: 'c', payload: '{}' })).rejects.toMatchObject({
      status: 400,
      code: '',
      kind: undefined,
      reason: 'Duplicate transaction id.',
    });
  });

  it('reads a message id that is a number', async () => {
    respond(200, '{"id":5}');
    expect(await client.sendMessage({ fqcn: 'c', payload: '{}' })).toEqual({ id: '5' });
  });

  it('ignores the body of a successful health check', async () => {
    respond(200, 'OK');
    await client.health();
  });

  it('reads the documents of the gateway as text', async () => {
    respond(200, 'openapi: 3.0.0\n');
    expect(await client.document('rest.yaml')).toBe('openapi: 3.0.0\n');
    expect(server.received).toMatchObject([{ url: '/api/v1/docs/rest.yaml', headers: { accept: '*/*' } }]);
  });

  it('reads at most a mebibyte of a document', async () => {
    respond(200, 'x'.repeat(1_048_577));
    await expect(client.document('ws.yaml')).rejects.toBeInstanceOf(GatewayResponseTooLargeError);
  });

  it('aborts a request that has no response', async () => {
    server.respond = () => undefined;
    const aborted = new GatewayClient({
      baseUrl: server.url,
      username: 'u',
      password: 'p',
      timeoutMs: 30_000,
    });
    const request = expect(aborted.readMessages({ fqcn: 'c' })).rejects.toThrow(GatewayUnreachableError);
    await waitFor('the request', () => server.received.length === 1);
    await aborted.abort();
    await request;
  });
});
