import {
  GatewayError,
  GatewayResponseTooLargeError,
  GatewayUnreachableError,
  InvalidGatewayResponseError,
} from '@ssb/bus';
import { ACKNOWLEDGING_DOCUMENT } from '../../test/support/fake-gateway.js';
import { detectDelivery } from './delivery-detector.js';

/** A gateway with these documents; an error stands for its response. */
function gateway(documents: Partial<Record<'rest.yaml' | 'ws.yaml', string | Error>>) {
  const requested: string[] = [];
  const document = (name: 'rest.yaml' | 'ws.yaml'): Promise<string> => {
    requested.push(name);
    const response = documents[name] ?? refused(404);
    return typeof response === 'string' ? Promise.resolve(response) : Promise.reject(response);
  };
  return { requested, document };
}

const refused = (status: number): Error => new GatewayError(status, { code: 'DSB::X', reason: 'no' });
const OURS = { 'ws.yaml': ACKNOWLEDGING_DOCUMENT };
const PLAIN_WS = 'channels: { /events: {} }';

it('detects our gateway with one request', async () => {
  const ours = gateway(OURS);
  expect(await detectDelivery(ours, undefined)).toEqual({
    mode: 'acknowledged',
    reason: 'ws.yaml declares ack=explicit',
  });
  expect(ours.requested).toEqual(['ws.yaml']);
});

it.each([
  ['a document without it', { 'ws.yaml': PLAIN_WS }],
  ['no documents', {}],
  ['403', { 'ws.yaml': refused(403) }],
  ['a page of a proxy', { 'ws.yaml': new InvalidGatewayResponseError(404, 'not JSON') }],
  ['a document that is too large', { 'ws.yaml': new GatewayResponseTooLargeError(200) }],
])('regards %s as plain', async (_, documents) => {
  const plain = gateway(documents);
  expect(await detectDelivery(plain, undefined, 1)).toMatchObject({ mode: 'plain' });
  expect(new Set(plain.requested)).toEqual(new Set(['ws.yaml']));
});

it.each([
  ['ws.yaml', new GatewayUnreachableError('no response')],
  ['ws.yaml', refused(502)],
  ['ws.yaml', refused(429)],
  ['ws.yaml', refused(401)],
  ['ws.yaml', new InvalidGatewayResponseError(503, 'not JSON')],
])('rethrows when %s fails with %s', async (name, error) => {
  await expect(detectDelivery(gateway({ 'ws.yaml': PLAIN_WS, [name]: error }), undefined)).rejects.toBe(
    error,
  );
});

it('follows GATEWAY_DELIVERY without a request', async () => {
  const unreachable = gateway({ 'ws.yaml': new GatewayUnreachableError('no response') });
  expect(await detectDelivery(unreachable, 'plain')).toEqual({ mode: 'plain', reason: 'GATEWAY_DELIVERY' });
  expect(await detectDelivery(unreachable, 'acknowledged')).toMatchObject({ mode: 'acknowledged' });
  expect(unreachable.requested).toEqual([]);
});

it.each([403, 404])('does not regard a transient page of a proxy (%d) as plain', async (status) => {
  const page = new InvalidGatewayResponseError(status, 'an error without its error object');
  const responses = [page, page, page];
  const ours = gateway(OURS);
  const starting = {
    document: (name: 'rest.yaml' | 'ws.yaml') => {
      const response = responses.shift();
      return response === undefined ? ours.document(name) : Promise.reject(response);
    },
  };
  expect(await detectDelivery(starting, undefined, 1)).toMatchObject({ mode: 'acknowledged' });
});
