import { gatewayDocument } from '../../../test/support/fake-gateway.js';
import { declaresAcknowledgement, declaresClientId } from './gateway-documents.js';

const query = (ack: string): string => `
    bindings: { ws: { query: { type: object, properties: { ack: ${ack} } } } }`;

describe('declaresAcknowledgement', () => {
  it.each([
    ['the document of our gateway', gatewayDocument('ws.yaml'), true],
    ['AsyncAPI 2', `channels:\n  /events:${query('{ enum: [explicit] }')}`, true],
    ['AsyncAPI 3', `channels:\n  a:\n    address: /events${query('{ const: explicit }')}`, true],
    ['JSON', JSON.stringify({ channels: { '/events': {} } }), false],
    ['another value', `channels:\n  /events:${query('{ enum: [automatic] }')}`, false],
    ['another channel', `channels:\n  /admin:${query('{ enum: [explicit] }')}`, false],
    ['no bindings', 'asyncapi: 2.2.0\nchannels:\n  /events:\n    subscribe: {}', false],
    ['the words alone', 'info: ack explicit', false],
    ['no mapping', '- channels', false],
    ['nothing', '', false],
    ['no YAML', 'channels: [', false],
    ['an alias bomb', aliasBomb(), false],
  ])('reads %s', (_, text, expected) => {
    expect(declaresAcknowledgement(text)).toBe(expected);
  });
});

describe('declaresClientId', () => {
  const parameters = (list: string, path = '/api/v1/message'): string =>
    `paths:\n  ${path}:\n    get: { parameters: ${list} }`;

  it.each([
    ['the document of our gateway', gatewayDocument('rest.yaml'), true],
    ['a query', parameters('[{ name: fqcn, in: query }, { name: clientId, in: query }]'), true],
    ['a path below a base path', parameters('[{ name: clientId, in: query }]', '/message'), true],
    [
      'a reference',
      `${parameters('[{ $ref: "#/components/parameters/c" }]')}\ncomponents: { parameters: { c: { name: clientId, in: query } } }`,
      true,
    ],
    [
      'a parameter of the path',
      'paths: { /api/v1/message: { parameters: [{ name: clientId, in: query }] } }',
      true,
    ],
    ['a header', parameters('[{ name: clientId, in: header }]'), false],
    ['another path', parameters('[{ name: clientId, in: query }]', '/api/v1/messages'), false],
    [
      'a POST',
      'paths: { /api/v1/message: { post: { parameters: [{ name: clientId, in: query }] } } }',
      false,
    ],
    [
      'document 002',
      parameters('[{ name: fqcn, in: query }, { name: amount, in: query }, { name: from, in: query }]'),
      false,
    ],
    ['no YAML', '{', false],
  ])('reads %s', (_, text, expected) => {
    expect(declaresClientId(text)).toBe(expected);
  });
});

/** Ten levels of ten aliases each. */
function aliasBomb(): string {
  const levels = Array.from({ length: 10 }, (_, at) => {
    const items = Array.from({ length: 10 }, () => (at === 0 ? 'x' : `*a${at - 1}`));
    return `a${at}: &a${at} [${items.join(', ')}]`;
  });
  return `${levels.join('\n')}\nchannels: { /events: *a9 }`;
}
