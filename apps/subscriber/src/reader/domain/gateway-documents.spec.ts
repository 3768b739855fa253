import { readFileSync } from 'node:fs';
import { declaresAcknowledgement } from './gateway-documents.js';

const query = (ack: string): string => `
    bindings: { ws: { query: { type: object, properties: { ack: ${ack} } } } }`;

const OUR_DOCUMENT = new URL('../../../../../gateway/ws.yaml', import.meta.url);

describe('declaresAcknowledgement', () => {
  it.each([
    ['the document of our gateway', readFileSync(OUR_DOCUMENT, 'utf8'), true],
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

/** Ten levels of ten aliases each. */
function aliasBomb(): string {
  const levels = Array.from({ length: 10 }, (_, at) => {
    const items = Array.from({ length: 10 }, () => (at === 0 ? 'x' : `*a${at - 1}`));
    return `a${at}: &a${at} [${items.join(', ')}]`;
  });
  return `${levels.join('\n')}\nchannels: { /events: *a9 }`;
}
