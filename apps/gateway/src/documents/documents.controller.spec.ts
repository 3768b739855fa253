import { readdir, readFile } from 'node:fs/promises';
import {
  acknowledgement,
  channel,
  CLOSE_REFUSED,
  CLOSE_SUPERSEDED,
  CLOSE_TOO_SLOW,
  enrolment,
  errorBody,
  EVENTS_PATH,
  failedFrame,
  GAP_HEADER,
  gapFrame,
  identity,
  identityConfig,
  message,
  MORE_HEADER,
  MAX_NAMED_CHANNELS,
  sendMessage,
  sendMessageSuccess,
  sentFrame,
  verifySignature,
  verifySignatureSuccess,
} from '@ssb/bus';
import { listRoutes } from '@ssb/testing/nest-routes';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseEventsQuery } from '../events/events-query.js';
import { DEFAULT_CLIENT_ID } from '../messages/bus-names.js';
import { MAX_MESSAGES_PER_FRAME } from '../events/events-request.js';
import { GatewayModule } from '../gateway.module.js';
import { definition } from '../settings.js';
import { applySettings, readDocument } from './documents.controller.js';
import { ReadMessagesDto } from '../messages/read-messages.dto.js';

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly [];
  readonly parameters?: readonly { name: string; schema: Record<string, number>; example: string | number }[];
  readonly responses: Readonly<Record<string, Content & { readonly headers?: object }>>;
}

interface ErrorSchema {
  readonly allOf: readonly [object, { properties: { err: { properties: { code: { enum: string[] } } } } }];
}

interface Rest {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Events {
  readonly channels: {
    readonly events: {
      readonly address: string;
      readonly bindings: {
        readonly ws: { readonly query: { readonly properties: Record<string, QueryParameter> } };
      };
    };
  };
  readonly components: { readonly schemas: Readonly<Record<string, unknown>>; readonly messages: object };
}

interface QueryParameter {
  readonly description: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly maxLength: number;
  readonly not: { readonly pattern: string };
  readonly maxItems: number;
  readonly enum: string[];
  readonly items: { readonly maxLength: number };
}

const texts = { rest: await readDocument('rest.yaml'), events: await readDocument('ws.yaml') };
const rest = parse(texts.rest) as Rest;
const events = parse(texts.events) as Events;

const operations = Object.entries(rest.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
);

/** Error codes of an operation by status. */
function codesOf(id: string): Record<string, readonly string[]> {
  const operation = operations.find(({ operationId }) => operationId === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  const failures = Object.entries(operation.responses).filter(([status]) => status !== '200');
  return Object.fromEntries(
    failures.map(([status, { content }]) => {
      const name = content?.['application/json']?.schema.$ref.replace('#/components/schemas/', '') ?? '';
      const { allOf } = rest.components.schemas[name] as ErrorSchema;
      return [status, allOf[1].properties.err.properties.code.enum];
    }),
  );
}

describe('rest.yaml', () => {
  /** Document 002, "Resources and their fields". */
  it.each(
    Object.entries({
      IdentityConfig: identityConfig,
      Identity: identity,
      Enrolment: enrolment,
      SendMessage: sendMessage,
      SendMessageSuccess: sendMessageSuccess,
      Message: message,
      Channel: channel,
      VerifySignature: verifySignature,
      VerifySignatureSuccess: verifySignatureSuccess,
      Error: errorBody,
    }),
  )('has the same schema of %s as the code', (name, type) => {
    expect(rest.components.schemas[name]).toEqual(schemaOf(type, 'draft-2020-12'));
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
    expect(
      operations.map(({ method, path, security }) => `${method} ${path}${security ? ' open' : ''}`).sort(),
    ).toEqual(ENDPOINTS.toSorted());
  });

  it('has exactly the routes of the gateway', () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      listRoutes(GatewayModule).sort(),
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

  it.each(ERRORS)('has %i %s for the operations that the document lists', (status, code, ids) => {
    for (const id of ids) expect(codesOf(id)[status]).toContain(code);
  });

  it('has no body of an enrolment, and refuses none for its type', () => {
    const enrol = operations.find(({ operationId }) => operationId === 'enrol');
    expect(enrol).not.toHaveProperty('requestBody');
    expect(codesOf('enrol')).toMatchObject({ 413: ['REQ::TOO_LARGE'] });
    expect(codesOf('enrol')).not.toHaveProperty('415');
  });

  it.each(operations.map(({ operationId, security }) => [operationId, security !== undefined] as const))(
    'has the errors that precede every operation: %s',
    (id, open) => {
      const codes = codesOf(id);
      expect(codes[500]).toContain('REQ::INTERNAL');
      if (open) return;
      expect(codes[401]).toContain('REQ::UNAUTHENTICATED');
      expect(codes[403]).toContain('REQ::FORBIDDEN');
      expect(codes[429]).toContain('REQ::TOO_MANY_REQUESTS');
    },
  );

  it.each([
    ['getRestSchema', rest],
    ['getEventsSchema', events],
  ])('describes the parsed document that %s returns (RFC 9512)', (id, document) => {
    const { content = {} } = operations.find(({ operationId }) => operationId === id)?.responses['200'] ?? {};
    const schema = z.fromJSONSchema(content['application/yaml']?.schema ?? {});
    expect([Object.keys(content), schema.safeParse(document).success]).toEqual([['application/yaml'], true]);
    expect(schema.safeParse({}).success).toBe(false);
  });

  it('names every error code of the source', async () => {
    const folder = new URL('../../../src/', import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
    );
    const code = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
    const thrown = code.flatMap((text) => [...text.matchAll(/'((?:BUS|ID|SIG|REQ)::[A-Z_]+)'/g)]);
    expect(thrown.length).toBeGreaterThan(10);
    // Errors of addresses and methods that the file does not have.
    const unlisted = new Set(['REQ::NOT_FOUND', 'REQ::METHOD_NOT_ALLOWED']);
    const described = texts.rest + texts.events;
    const missing = new Set(thrown.map(([, code = '']) => code).filter((code) => !described.includes(code)));
    expect([...missing].filter((code) => !unlisted.has(code))).toEqual([]);
  });

  it('describes the query of GET message as it is validated', () => {
    const { parameters = [], responses } =
      operations.find(({ operationId }) => operationId === 'getMessages') ?? {};
    expect(responses?.['200']?.headers).toMatchObject({ [GAP_HEADER]: {}, [MORE_HEADER]: {} });
    expect(parameters.map(({ name }) => name)).toEqual(['fqcn', 'amount', 'from', 'clientId']);
    const amount = parameters.find(({ name }) => name === 'amount')?.schema;
    const { minimum, maximum } = amount as { minimum: number; maximum: number };
    const isAccepted = (query: object): boolean =>
      validateSync(plainToInstance(ReadMessagesDto, query)).length === 0;
    const acceptsAmount = (value: number): boolean => isAccepted({ fqcn: 'c', amount: String(value) });
    expect([minimum - 1, minimum, maximum, maximum + 1].map(acceptsAmount)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const examples = Object.fromEntries(parameters.map(({ name, example }) => [name, String(example)]));
    expect(isAccepted(examples)).toBe(true);
    const { description, ...clientId } =
      events.channels.events.bindings.ws.query.properties['clientId'] ?? {};
    expect(description).toBeDefined();
    expect(parameters.at(-1)?.schema).toEqual({ ...clientId, default: DEFAULT_CLIENT_ID });
  });
});

describe('ws.yaml', () => {
  const defaults = {
    EVENTS_FRAMES: definition.EVENTS_FRAMES.default,
    EVENTS_PROTOCOL: definition.EVENTS_PROTOCOL.default,
    PORT: Number(definition.PORT.default),
    TLS_CERT_FILE: undefined,
  };

  it('is the same with the default settings', () => {
    expect(parse(applySettings(texts.events, defaults))).toEqual(events);
  });

  it.each([
    ['with the default settings', defaults, 'ws', '127.0.0.1:4011', 'dsb-messages', { type: 'array' }],
    [
      'with other settings',
      { EVENTS_FRAMES: 'object', EVENTS_PROTOCOL: 'bus.v2', TLS_CERT_FILE: 'cert.pem', PORT: 443 },
      'wss',
      '127.0.0.1:443',
      'bus.v2',
      { $ref: '#/components/schemas/Message' },
    ],
  ] as const)('describes the gateway %s', (_name, settings, scheme, host, protocol, payload) => {
    expect(parse(applySettings(texts.events, settings))).toMatchObject({
      servers: { gateway: { protocol: scheme, variables: { host: { default: host } } } },
      channels: {
        events: {
          address: EVENTS_PATH,
          bindings: {
            ws: { headers: { properties: { 'Sec-WebSocket-Protocol': { enum: [protocol] } } } },
          },
        },
      },
      components: { messages: { messages: { payload } } },
    });
  });

  it.each(
    Object.entries({
      Message: message,
      SendMessage: sendMessage,
      Failed: failedFrame,
      Sent: sentFrame,
      Gap: gapFrame,
      Acknowledgement: acknowledgement,
    }),
  )('has the same schema of %s as the code', (name, type) => {
    expect(events.components.schemas[name]).toEqual(schemaOf(type, 'draft-7'));
  });

  it('names the close codes and the maximum of messages of a frame', () => {
    for (const code of [CLOSE_REFUSED, CLOSE_SUPERSEDED, CLOSE_TOO_SLOW]) {
      expect(texts.events).toContain(` ${code} `);
    }
    expect(events.components.messages).toMatchObject({
      send: { payload: { oneOf: [{}, { maxItems: MAX_MESSAGES_PER_FRAME }] } },
    });
  });

  it('describes the query of the upgrade as it is validated', () => {
    const { window, clientId, replies, ack, gaps, fqcn } =
      events.channels.events.bindings.ws.query.properties;
    const isAccepted = (query: string): boolean => parseEventsQuery(new URLSearchParams(query)).ok;
    const [min = 0, max = 0] = [window?.minimum, window?.maximum];
    const windows = [min - 1, min, max, max + 1];
    expect(windows.map((size) => isAccepted(`window=${size}`))).toEqual([false, true, true, false]);
    const longest = clientId?.maxLength ?? 0;
    const names = [0, 1, longest, longest + 1].map((length) => 'n'.repeat(length));
    expect(names.map((name) => isAccepted(`clientId=${name}`))).toEqual([false, true, true, false]);
    expect(replies?.enum.every((value) => isAccepted(`replies=${value}`))).toBe(true);
    expect(ack?.enum.every((value) => isAccepted(`clientId=a&ack=${value}`))).toBe(true);
    expect(gaps?.enum.every((value) => isAccepted(`gaps=${value}`))).toBe(true);
    const most = fqcn?.items.maxLength ?? 0;
    const channels = [0, 1, most, most + 1].map((length) => 'c'.repeat(length));
    expect(channels.map((name) => isAccepted(`fqcn=${name}`))).toEqual([false, true, true, false]);
    expect(fqcn?.maxItems).toBe(MAX_NAMED_CHANNELS);
    const reserved = new RegExp(clientId?.not.pattern ?? '');
    for (const name of ['websocket', 'websocket:a', 'websockets']) {
      expect([name, isAccepted(`clientId=${name}`)]).toEqual([name, !reserved.test(name)]);
    }
  });
});

/** JSON Schema of a zod type, without the dialect. Nanoseconds are a number in JSON and a bigint in zod. */
function schemaOf(type: z.ZodType, target: 'draft-2020-12' | 'draft-7'): Record<string, unknown> {
  const schema: Record<string, unknown> = {
    ...z.toJSONSchema(type, {
      target,
      io: 'input',
      override: ({ zodSchema, jsonSchema }) => {
        if (zodSchema !== message.shape.timestampNanos) return;
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, {
          type: 'integer',
          minimum: 0,
          description:
            'Send time, nanoseconds since 1970: a JSON number with all its digits, more than a double has. Read it as a big integer.',
        });
      },
    }),
  };
  delete schema['$schema'];
  return schema;
}
