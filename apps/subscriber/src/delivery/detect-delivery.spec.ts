import {
  GatewayError,
  GatewayResponseTooLargeError,
  GatewayUnreachableError,
  InvalidGatewayResponseError,
} from '@ssb/bus';
import { gatewayDocument } from '../../test/support/fake-gateway.js';
import { detectDelivery } from './detect-delivery.js';

/** A gateway with these documents; an error stands for its answer. */
function gateway(documents: Partial<Record<'rest.yaml' | 'ws.yaml', string | Error>>) {
  const requested: string[] = [];
  const document = (name: 'rest.yaml' | 'ws.yaml'): Promise<string> => {
    requested.push(name);
    const answer = documents[name] ?? refused(404);
    return typeof answer === 'string' ? Promise.resolve(answer) : Promise.reject(answer);
  };
  return { requested, document };
}

const refused = (status: number): Error => new GatewayError(status, { code: 'DSB::X', reason: 'no' });
const OURS = { 'ws.yaml': gatewayDocument('ws.yaml'), 'rest.yaml': gatewayDocument('rest.yaml') };
const PLAIN_WS = 'channels: { /events: {} }';
const PLAIN_REST = 'paths: { /api/v1/message: { get: { parameters: [] } } }';

it('detects our gateway with one request', async () => {
  const ours = gateway(OURS);
  expect(await detectDelivery(ours, undefined)).toEqual({
    mode: 'acknowledged',
    reason: 'ws.yaml declares ack=explicit',
    clientIdDeclared: false,
  });
  expect(ours.requested).toEqual(['ws.yaml']);
});

it.each([
  ['a document without it', { 'ws.yaml': PLAIN_WS, 'rest.yaml': PLAIN_REST }, false],
  ['a declared client id', { 'ws.yaml': PLAIN_WS, 'rest.yaml': OURS['rest.yaml'] }, true],
  ['no documents', {}, false],
  ['403', { 'ws.yaml': refused(403), 'rest.yaml': refused(403) }, false],
  ['a page of a proxy', { 'ws.yaml': new InvalidGatewayResponseError(404, 'not JSON') }, false],
  ['a document that is too large', { 'ws.yaml': new GatewayResponseTooLargeError(200) }, false],
])('regards %s as plain', async (_, documents, clientIdDeclared) => {
  expect(await detectDelivery(gateway(documents), undefined, 1)).toMatchObject({
    mode: 'plain',
    clientIdDeclared,
  });
});

it.each([
  ['ws.yaml', new GatewayUnreachableError('no response')],
  ['ws.yaml', refused(502)],
  ['ws.yaml', refused(429)],
  ['ws.yaml', refused(401)],
  ['ws.yaml', new InvalidGatewayResponseError(503, 'not JSON')],
  ['rest.yaml', new GatewayUnreachableError('no response')],
])('rethrows when %s fails with %s', async (name, error) => {
  await expect(detectDelivery(gateway({ 'ws.yaml': PLAIN_WS, [name]: error }), undefined)).rejects.toBe(
    error,
  );
});

it('follows GATEWAY_DELIVERY', async () => {
  const ours = gateway(OURS);
  expect(await detectDelivery(ours, 'plain')).toEqual({
    mode: 'plain',
    reason: 'GATEWAY_DELIVERY',
    clientIdDeclared: true,
  });
  const unreachable = gateway({ 'ws.yaml': new GatewayUnreachableError('no response') });
  expect(await detectDelivery(unreachable, 'acknowledged')).toMatchObject({ mode: 'acknowledged' });
  expect([...ours.requested, ...unreachable.requested]).toEqual(['rest.yaml']);
});

it.each([403, 404])('does not regard a transient page of a proxy (%d) as plain', async (status) => {
  const page = new InvalidGatewayResponseError(status, 'an error without its error object');
  const answers = [page, page, page];
  const ours = gateway(OURS);
  const starting = {
    document: (name: 'rest.yaml' | 'ws.yaml') => {
      const answer = answers.shift();
      return answer === undefined ? ours.document(name) : Promise.reject(answer);
    },
  };
  expect(await detectDelivery(starting, undefined, 1)).toMatchObject({ mode: 'acknowledged' });
});

it.each([refused(503), new InvalidGatewayResponseError(502, 'not JSON')])(
  'starts with GATEWAY_DELIVERY=plain while rest.yaml is broken: %s',
  async (error) => {
    const broken = gateway({ 'rest.yaml': error });
    expect(await detectDelivery(broken, 'plain', 1)).toMatchObject({
      mode: 'plain',
      clientIdDeclared: false,
    });
    expect(broken.requested).toEqual(Array(4).fill('rest.yaml'));
  },
);
