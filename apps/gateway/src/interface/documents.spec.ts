import { readdir, readFile } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { RequestMethod } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { parse } from 'yaml';
import { readEventsMode } from '../domain/events-query.js';
import { ReadMessagesDto } from '../http/message.dto.js';
import { GatewayModule } from '../gateway.module.js';
import { committedDocuments } from './committed-documents.js';
import { errorCodes } from './errors.js';
import { eventsDocument } from './events-document.js';
import { eventsQuerySchema } from './events-query-schema.js';
import { operations } from './operations.js';
import { frameSchemas, resourceSchemas } from './resources.js';
import { restDocument } from './rest-document.js';
import { yamlText } from './yaml-text.js';

it.each(committedDocuments())(
  '$name is committed as the code makes it: node apps/gateway/dist/interface/write-documents.js mends a difference',
  async ({ name, document }) => {
    const committed = await readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
    expect(parse(committed)).toEqual(document);
  },
);

describe('rest.yaml', () => {
  it('is OpenAPI 3.1 without a fault', async () => {
    // `license` is the owner's to say; `servers` is this server, and health needs no 4XX.
    const config = await createConfig({
      extends: ['recommended'],
      rules: { 'info-license': 'off', 'operation-4xx-response': 'off' },
    });
    const source = yamlText(restDocument());
    const problems = await lintFromString({ source, absoluteRef: 'rest.yaml', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  /** Document 002, Endpoints and Authentication 2, copied by hand. */
  const ENDPOINTS = [
    'post /api/v1/config/identity',
    'get /api/v1/config/identity',
    'post /api/v1/config/enrol',
    'get /api/v1/config/enrol',
    'post /api/v1/message',
    'get /api/v1/message',
    'get /api/v1/channels',
    'get /api/v1/docs/rest.yaml open',
    'get /api/v1/docs/ws.yaml open',
    'get /api/health open',
    'post /api/v1/verifysignature',
  ];

  it('has the eleven operations of the document, open where it declares no authentication', () => {
    expect(operations.map(({ method, path, open }) => `${method} ${path}${open ? ' open' : ''}`)).toEqual(
      ENDPOINTS,
    );
  });

  it('has what the gateway routes, and nothing else', () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      routesOf(GatewayModule).sort(),
    );
  });

  /** Document 002, Errors, copied by hand: status, code, operations. */
  const ERRORS: readonly (readonly [status: number, code: string, ids: readonly string[]])[] = [
    [400, 'ID::INVALID_PRIVATE_KEY', ['setIdentity']],
    [400, 'ID::NO_PRIVATE_KEY', ['enrol']],
    [500, 'ID::FETCH_CLAIMS_FAILED', ['enrol']],
    [401, 'BUS::CHANNEL_UNAUTHORIZED', ['sendMessage', 'getMessages']],
    [401, 'BUS::LOGIN_FAILED', ['sendMessage', 'getMessages']],
    [403, 'BUS::FORBIDDEN_RESOURCE', ['sendMessage', 'getMessages']],
    [403, 'BUS::FORBIDDEN', ['getChannels']],
    [404, 'BUS::CHANNEL_NOT_FOUND', ['sendMessage', 'getMessages']],
    [502, 'BUS::REQUEST_FAILED', ['sendMessage', 'getMessages', 'getChannels', 'getHealth']],
    [503, 'BUS::UNHEALTHY', ['getHealth']],
    [400, 'SIG::CHECK_FAILED', ['verifySignature']],
  ];

  const codesOf = (id: string): Record<number, readonly string[]> => {
    const operation = operations.find((each) => each.id === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    return errorCodes(operation);
  };

  it.each(ERRORS)('has %i %s where the table of the document has it', (status, code, ids) => {
    for (const id of ids) expect(codesOf(id)[status]).toContain(code);
  });

  it.each(['setIdentity', 'enrol', 'sendMessage', 'verifySignature'])(
    'has what a body may be refused for: %s',
    (id) => {
      expect(codesOf(id)).toMatchObject({
        400: expect.arrayContaining(['REQ::INVALID_REQUEST']),
        413: ['REQ::TOO_LARGE'],
        415: ['REQ::UNSUPPORTED_MEDIA_TYPE'],
      });
    },
  );

  it('names every error code that stands in the code of the gateway', async () => {
    const folder = new URL('../', import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter(
      (name) => name.endsWith('.ts') && !/\.spec\.ts$|^(testing|interface)\//.test(name),
    );
    const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
    const thrown = texts.flatMap((text) => [...text.matchAll(/'((?:BUS|ID|SIG|REQ)::[A-Z_]+)'/g)]);
    // Codes of addresses and methods that are not in the file.
    const elsewhere = new Set(['REQ::NOT_FOUND', 'REQ::METHOD_NOT_ALLOWED']);
    const described = committedDocuments()
      .map(({ document }) => yamlText(document))
      .join('\n');
    const missing = new Set(thrown.map(([, code = '']) => code).filter((code) => !described.includes(code)));
    expect([...missing].filter((code) => !elsewhere.has(code))).toEqual([]);
  });

  it('asks for no more and no less than GET message takes', () => {
    const parameters = operations.find(({ id }) => id === 'getMessages')?.parameters ?? [];
    expect(parameters.map(({ name }) => name)).toEqual(['fqcn', 'amount', 'from', 'clientId']);
    const amount = parameters.find(({ name }) => name === 'amount')?.schema;
    const { minimum, maximum } = amount as { minimum: number; maximum: number };
    const isAccepted = (query: object): boolean =>
      validateSync(plainToInstance(ReadMessagesDto, query)).length === 0;
    const takes = (value: number): boolean => isAccepted({ fqcn: 'c', amount: String(value) });
    expect([minimum - 1, minimum, maximum, maximum + 1].map(takes)).toEqual([false, true, true, false]);
    const examples = Object.fromEntries(parameters.map(({ name, example }) => [name, String(example)]));
    expect(isAccepted(examples)).toBe(true);
  });
});

describe('ws.yaml', () => {
  it.each([
    ['with the default settings', { protocol: 'dsb-messages', secure: false, port: 4011 }],
    ['with others', { protocol: 'bus.v2', secure: true, port: 443 }],
  ])('is AsyncAPI 3.1 without a fault, %s', async (_name, options) => {
    const { document, diagnostics } = await new Parser().parse(yamlText(eventsDocument(options)));
    // Information alone is left: that ids and tags could be added.
    expect(diagnostics.filter(({ severity }) => Number(severity) <= 1).map(({ message }) => message)).toEqual(
      [],
    );
    expect(document?.version()).toBe('3.1.0');
    expect(document?.channels().get('events')?.address()).toBe('/events');
  });

  it('asks for no more and no less than the upgrade takes', () => {
    const { window, clientId, replies, ack } = eventsQuerySchema.properties as Readonly<
      Record<string, { minimum: number; maximum: number; maxLength: number; enum: string[] }>
    >;
    const taken = (query: string): boolean => readEventsMode(new URLSearchParams(query)).ok;
    const [min = 0, max = 0] = [window?.minimum, window?.maximum];
    const windows = [min - 1, min, max, max + 1];
    expect(windows.map((size) => taken(`window=${size}`))).toEqual([false, true, true, false]);
    const longest = clientId?.maxLength ?? 0;
    const names = [0, 1, longest, longest + 1].map((length) => 'n'.repeat(length));
    expect(names.map((name) => taken(`clientId=${name}`))).toEqual([false, true, true, false]);
    expect(replies?.enum.every((value) => taken(`replies=${value}`))).toBe(true);
    expect(ack?.enum.every((value) => taken(`clientId=a&ack=${value}`))).toBe(true);
  });
});

it('shows nanoseconds as the number that stands on the wire, in both files', () => {
  for (const schemas of [resourceSchemas(), frameSchemas()]) {
    const { properties } = schemas.Message as { properties: Record<string, object> };
    expect(properties['timestampNanos']).toMatchObject({ type: 'integer', minimum: 0 });
    expect(properties['timestampNanos']).not.toHaveProperty('anyOf');
  }
});

/** Method and path of every handler, as Nest's decorators noted them; HEAD is no operation of its own. */
function routesOf(module: object): string[] {
  const controllers = Reflect.getMetadata('controllers', module) as { prototype: Record<string, object> }[];
  return controllers.flatMap((controller) => {
    const base = Reflect.getMetadata('path', controller) as string;
    return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
      const handler = controller.prototype[name];
      const path = handler && (Reflect.getMetadata('path', handler) as string | undefined);
      if (handler === undefined || path === undefined) return [];
      const method = RequestMethod[Reflect.getMetadata('method', handler) as number]?.toLowerCase();
      if (method === undefined || method === 'head') return [];
      return [`${method} ${`/${base}/${path}`.replace(/\/+$/, '')}`];
    });
  });
}
