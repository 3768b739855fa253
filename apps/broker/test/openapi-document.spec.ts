import 'reflect-metadata';
import {
  busMessage,
  channel,
  didDocument,
  errorBody,
  loginSuccess,
  messageOutcome,
  MAX_MESSAGES_PER_REQUEST,
  publishSuccess,
  roleClaim,
} from '@ssb/bus';
import { listRoutes } from '@ssb/testing/nest-routes';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { z } from 'zod';
import { BrokerModule } from '../src/broker.module.js';
import { ChannelDto, ChannelPathDto } from '../src/channels/channel.controller.js';
import { STATUS_BY_CODE } from '../src/errors/bus-error.js';
import { LoginDto } from '../src/identity/auth.controller.js';
import { DidPathDto } from '../src/identity/did.controller.js';
import { AcknowledgeDto, parsePublishRequest, ReadMessagesDto } from '../src/messages/message.dto.js';
import { ListClaimsDto, RoleClaimDto, SignedTokenDto } from '../src/roles/role.controller.js';
import { Actor } from './support/actor.js';
import {
  bodyOf,
  findFaults,
  findOperation,
  listOutcomes,
  operations,
  resolve,
  schemas,
  text,
  type Schema,
} from './support/openapi.js';

/** Compares openapi.yaml with the code. openapi-responses.spec compares it with a running broker. */

it('has exactly the routes of the broker', () => {
  const described = operations.map(({ method, path }) => `${method.toLowerCase()} ${path}`);
  const routes = listRoutes(BrokerModule).map((route) => route.replace(/:(\w+)/g, '{$1}'));
  expect(described.sort()).toEqual(routes.sort());
});

describe('its responses', () => {
  it.each(
    Object.entries({
      LoginSuccess: loginSuccess,
      PublishSuccess: publishSuccess,
      MessageOutcome: messageOutcome,
      BusMessage: busMessage,
      RoleClaim: roleClaim,
      DidDocument: didDocument,
      Error: errorBody,
    }),
  )('have the same %s as the clients of libs/bus', (name, type) => {
    expect(withoutNotes(schemas[name])).toEqual(withoutNotes(z.toJSONSchema(type, { io: 'input' })));
  });

  it('have the fields of a channel of document 002', () => {
    expect(Object.keys(schemas['Channel']?.['properties'] ?? {})).toEqual(Object.keys(channel.shape));
  });

  it('have the error codes of the broker, each with its status', () => {
    const outcomes = operations.flatMap(listOutcomes).map((outcome) => outcome.split(' '));
    const described = outcomes.flatMap(([, status, code]) =>
      code === undefined ? [] : [`${code} ${status}`],
    );
    // A stream alone is superseded; the description names the address and method errors.
    const elsewhere = ['BUS::SUPERSEDED', 'BUS::METHOD_NOT_ALLOWED'];
    const expected = Object.entries(STATUS_BY_CODE).filter(([code]) => !elsewhere.includes(code));
    expect([...new Set(described)].sort()).toEqual(
      expected.map(([code, status]) => `${code} ${status}`).sort(),
    );
    expect(text).toContain('`BUS::METHOD_NOT_ALLOWED`');
  });
});

const actor = new Actor();
const fqcn = 'a.channels.b.apps.c.iam.d';
const isAccepted =
  (dto: ClassConstructor<object>) =>
  (value: object): boolean =>
    validateSync(plainToInstance(dto, value)).length === 0;
const namesOf = (dto: ClassConstructor<object>): string[] => [
  ...new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(dto, '', false, false)
      .map(({ propertyName }) => propertyName),
  ),
];

function isPublishable(body: object): boolean {
  try {
    parsePublishRequest(body);
    return true;
  } catch {
    return false;
  }
}

/** A valid body, and the check of the code. */
const BODIES: Readonly<Record<string, readonly [example: object, isAccepted: (body: object) => boolean]>> = {
  login: [{ identityToken: 'a.b.c' }, isAccepted(LoginDto)],
  sendMessage: [{ fqcn, topic: 't', payload: '{}', signature: '0x00', correlationId: 'x' }, isPublishable],
  acknowledgeMessages: [{ fqcn, clientId: 'c', upTo: '1-1' }, isAccepted(AcknowledgeDto)],
  createChannel: [
    {
      fqcn,
      topics: [{ namespace: 't', schema: '{}' }],
      admins: [actor.did],
      publishers: [actor.did],
      subscribers: ['a.roles.b.apps.c.iam.d'],
      maxMsgAge: 1_000_000_000,
      maxMsgSize: 1_000,
    },
    isAccepted(ChannelDto),
  ],
  claimRole: [{ role: 'a.roles.b.apps.c.iam.d' }, isAccepted(RoleClaimDto)],
  decideRole: [{ token: 'a.b.c' }, isAccepted(SignedTokenDto)],
  addRoleToDocument: [{ token: 'a.b.c' }, isAccepted(SignedTokenDto)],
};

describe('the body of', () => {
  it.each(Object.entries(BODIES))(
    '%s has the fields and limits of the code',
    (id, [example, isAcceptedByCode]) => {
      const schema = resolve(bodyOf(findOperation(id).requestBody) ?? {});
      expect(Object.keys(schema['properties'] ?? {})).toEqual(Object.keys(example));
      const bodies = [{}, [], example, ...variantsOf(schema, example)] as object[];
      const verdicts = bodies.map((body) => findFaults(schema, body) === '');
      expect(verdicts.filter(Boolean).length).toBeGreaterThan(0);
      expect(bodies.map((body) => [shorten(body), isAcceptedByCode(body)])).toEqual(
        bodies.map((body, index) => [shorten(body), verdicts[index]]),
      );
    },
  );

  it.each([
    ['createChannel', ChannelDto],
    ['acknowledgeMessages', AcknowledgeDto],
    ['login', LoginDto],
    ['claimRole', RoleClaimDto],
    ['decideRole', SignedTokenDto],
  ])('%s names every field of its DTO class', (id, dto) => {
    const { properties } = resolve(bodyOf(findOperation(id).requestBody) ?? {}) as { properties: object };
    expect(Object.keys(properties).sort()).toEqual(namesOf(dto).sort());
  });

  it('changeChannel is that of createChannel, and a batch has messages of sendMessage', () => {
    expect(findOperation('changeChannel').requestBody).toEqual(findOperation('createChannel').requestBody);
    expect(bodyOf(findOperation('sendMessages').requestBody)).toMatchObject({
      minItems: 1,
      maxItems: MAX_MESSAGES_PER_REQUEST,
      items: bodyOf(findOperation('sendMessage').requestBody),
    });
    const others = operations.filter(({ requestBody }) => requestBody).map(({ operationId }) => operationId);
    expect(others.filter((id) => !(id in BODIES))).toEqual(['sendMessages', 'changeChannel']);
  });
});

describe('the parameters of', () => {
  it.each<readonly [id: string, dto: ClassConstructor<object>]>([
    ['readMessages', ReadMessagesDto],
    ['listClaims', ListClaimsDto],
    ['getChannel', ChannelPathDto],
    ['removeChannel', ChannelPathDto],
    ['getDidDocument', DidPathDto],
  ])('%s are those of the code', (id, dto) => {
    const { parameters } = findOperation(id);
    expect(parameters.map(({ name }) => name).sort()).toEqual(namesOf(dto).sort());
    const example = Object.fromEntries(parameters.map(({ name, example }) => [name, example]));
    const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    const required = parameters.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : []));
    const schema = { type: 'object', properties, required };
    // In a query every value is text.
    for (const query of [example, ...variantsOf(schema, example)]) {
      const given = mapValues(query, (value) => (typeof value === 'number' ? String(value) : value));
      const typed = mapValues(given, (value, name) =>
        properties[name]?.['type'] === 'integer' && /^-?\d+$/.test(String(value)) ? Number(value) : value,
      );
      expect([shorten(given), isAccepted(dto)(given)]).toEqual([
        shorten(given),
        findFaults(schema, typed) === '',
      ]);
    }
  });
});

/** The example without each field, and with each field at and beyond the limits of its schema. */
function variantsOf(schema: Schema, example: object): object[] {
  return Object.entries(schema['properties'] as Record<string, Schema>).flatMap(([name, property]) => {
    const { [name as never]: value, ...others } = example;
    return [others, ...valuesFor(property, value).map((each) => ({ ...example, [name]: each }))];
  });
}

function valuesFor(property: Schema, value: unknown): unknown[] {
  const [first] = (property['anyOf'] as Schema[] | undefined) ?? [property];
  const { minItems, ...limits } = { ...resolve(first ?? {}), ...first } as Record<string, number | undefined>;
  const { minimum, maximum, minLength, maxLength, maxItems } = limits;
  const isPattern = 'pattern' in limits;
  const sizes = (least = 0, most = 10) => [least - 1, least, most, most + 1].filter((size) => size >= 0);
  if (Array.isArray(value)) {
    const item: unknown = value[0];
    const items = (count: number) => Array.from({ length: count }, (_, index) => numbered(item, index));
    return [null, {}, [1], ...sizes(minItems, maxItems).map(items)];
  }
  if (typeof value === 'number')
    return [null, '1', 1.5, ...[minimum, maximum].flatMap((limit = 0) => [limit - 1, limit, limit + 1])];
  const texts =
    isPattern || maxLength === undefined
      ? ['', 'not such a text ']
      : sizes(minLength, maxLength).map((size) => 'x'.repeat(size));
  const given = 'enum' in limits ? (limits['enum'] as unknown as string[]) : [];
  return [null, 1, [value], ...given, ...texts];
}

function mapValues(fields: object, map: (value: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)]));
}

/** Topics of a channel have different names. */
function numbered(item: unknown, index: number): unknown {
  return typeof item === 'object' ? { ...item, namespace: `t${index}` } : item;
}

function shorten(value: unknown): string {
  return JSON.stringify(value).slice(0, 300);
}

/** Keywords that say nothing about the form of a value. */
const NOTES = ['$schema', 'default', 'description'];

function withoutNotes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNotes);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(resolve(schema)).filter(([key]) => !NOTES.includes(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNotes(value)]));
}
