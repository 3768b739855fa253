import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { EVENT_TYPES, isEventType, type EventType } from '@ssb/events';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { renderAsyncApi } from './asyncapi.js';
import { ASYNCAPI_FILE } from './events-page.js';
import { readExample } from './example-files.js';

interface Channel {
  readonly address: string;
  readonly messages: Readonly<Record<string, unknown>>;
}

const CHANNELS: readonly (readonly [types: RegExp, channel: string])[] = [
  [/^(statement|invoice|payment|estimation|timeline)\./, 'settlement'],
  [/^(position|margin|credit-support|market)\./, 'prudential'],
  [/^bridge\.alert\./, 'operations'],
];

describe('the published document', () => {
  const text = readFileSync(join(REPOSITORY_ROOT, ASYNCAPI_FILE), 'utf8');

  it('is valid AsyncAPI 3.1', async () => {
    expect(await findFaults(text)).toEqual([]);
  });

  it('has each type on its channel, and heartbeats on each channel', () => {
    const { channels } = parse(text) as { channels: Readonly<Record<string, Channel>> };
    const expected = (channel: string) =>
      EVENT_TYPES.map((type) => type.replace(/^settlementbus\.|\.v1$/g, '')).filter(
        (name) => CHANNELS.find(([types]) => types.test(name))?.[1] === channel,
      );
    for (const [key, { address, messages }] of Object.entries(channels)) {
      expect(address).toBe(`${key}.channels.bridge.apps.participant.iam.market`);
      expect(Object.keys(messages)).toEqual([...expected(key), 'bridge.heartbeat']);
    }
    expect(Object.keys(channels).sort()).toEqual(['operations', 'prudential', 'settlement']);
  });
});

describe('renderAsyncApi', () => {
  const type: EventType = 'settlementbus.margin.breached.v1';
  const render = (...channels: readonly string[]) =>
    renderAsyncApi(
      channels.map((channel) => ({ channel, topic: `topic of ${channel}`, type })),
      readExample,
    );

  it('has the topics of the routes, and the payload of each type with an example', async () => {
    const text = render('a.channels.x', 'b.channels.x');
    expect(await findFaults(text)).toEqual([]);
    const { components } = parse(text) as {
      components: { messages: Record<string, Record<string, unknown>> };
    };
    const message = components.messages['margin.breached'];
    expect(message?.['headers']).toMatchObject({
      properties: { topic: { enum: ['topic of a.channels.x', 'topic of b.channels.x'] } },
    });
    expect(message?.['payload']).toMatchObject({
      schema: { $id: `urn:settlement-bus-bridge:schema:${type}` },
    });
    expect(message?.['examples']).toEqual([{ name: 'margin.breached', payload: readExample(type) }]);
    const names = Object.values(components.messages).map(({ name }) => name);
    expect(names.filter((name) => !isEventType(name))).toEqual([]);
    expect(names).toHaveLength(EVENT_TYPES.length);
  });

  it('uses full names where two channels begin alike', () => {
    const { channels } = parse(render('a.channels.x', 'a.channels.y')) as { channels: object };
    expect(Object.keys(channels)).toEqual(['a.channels.x', 'a.channels.y']);
  });
});

/** Errors and warnings of the parser; hints are left out. */
async function findFaults(text: string): Promise<string[]> {
  const { document, diagnostics } = await new Parser().parse(text);
  const faults = diagnostics.filter(({ severity }) => Number(severity) <= 1).map(({ message }) => message);
  return document?.version() === '3.1.0' ? faults : [...faults, 'not a document of AsyncAPI 3.1'];
}
