import { SIGNATURE_SCHEMES } from '@ssb/identity';

export const TIME = {
  type: 'string',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$',
  not: { pattern: '[\\r\\n]' },
};

const ENTRY = {
  did: { type: 'string', maxLength: 255, description: 'A DID such as did:ethr:0x and 40 hexadecimal digits' },
  from: { ...TIME, description: 'When it was first trusted, a time in UTC such as 2026-03-01T00:00:00Z' },
  until: {
    ...TIME,
    description:
      'When it ceased to be trusted, a time in UTC such as 2026-03-01T00:00:00Z. Its later messages are refused',
  },
  revoked: {
    ...TIME,
    description:
      'Since when its key may be in other hands, a time in UTC such as 2026-03-01T00:00:00Z. Its messages are refused',
  },
};

const PARTICIPANT = {
  type: 'string',
  minLength: 1,
  maxLength: 60,
  not: { const: '*' },
  description: 'The code of one participant. * does not stand for all of them',
};

/** An object without other members. */
export function strict(
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = Object.keys(properties),
): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The trusted senders of one channel. */
export const CHANNEL_SCHEMA = strict({
  gateways: {
    type: 'array',
    items: strict(ENTRY, ['did']),
    description: 'The gateways that may post',
  },
  origins: {
    type: 'array',
    items: strict(
      {
        ...ENTRY,
        participants: {
          type: 'array',
          items: PARTICIPANT,
          description: 'The participants about which it may announce facts',
        },
      },
      ['did', 'participants'],
    ),
    description: 'The bridges that may sign events. A bridge may be there several times',
  },
});

/** The published JSON Schema (draft-07) of a trust file. */
export const TRUST_SCHEMA: Readonly<Record<string, unknown>> = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:settlement-bus-bridge:schema:trust.v1',
  title: 'Trusted gateways and bridges of each channel',
  ...strict(
    {
      $schema: { type: 'string' },
      version: { const: 1 },
      signatureScheme: { enum: SIGNATURE_SCHEMES, description: 'How the gateways sign' },
      channels: {
        type: 'object',
        additionalProperties: CHANNEL_SCHEMA,
        description: 'The trusted senders by the fully qualified name of their channel',
      },
    },
    ['version', 'signatureScheme', 'channels'],
  ),
};
