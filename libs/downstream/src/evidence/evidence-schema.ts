import { SIGNATURE_SCHEMES } from '@ssb/identity';
import { CHANNEL_SCHEMA, strict, TIME } from '../verify/trust-schema.js';

const text = (maxLength: number, description?: string) => ({
  type: 'string',
  maxLength,
  ...(description !== undefined && { description }),
});
const name = text(255);
const list = (items: object, description?: string) => ({
  type: 'array',
  items,
  ...(description !== undefined && { description }),
});
const form = (pattern: string, description?: string) => ({
  type: 'string',
  pattern,
  not: { pattern: '[\\r\\n]' },
  ...(description !== undefined && { description }),
});

const SIGNER = strict({
  did: name,
  publicKey: form('^0x04[0-9a-f]{128}$', 'The key that the signature gives, uncompressed'),
});

const ATTEMPT = strict(
  {
    number: { type: 'integer', minimum: 1 },
    at: TIME,
    durationMs: { type: 'integer', minimum: 0 },
    outcome: name,
    status: { type: 'integer' },
    response: { type: 'string' },
    error: { type: 'string' },
  },
  ['number', 'at', 'durationMs', 'outcome'],
);

const DELIVERY = strict(
  {
    eventId: { ...name, description: 'The id that the sink sees' },
    sink: name,
    kind: name,
    severity: name,
    state: name,
    addedAt: TIME,
    deliveredAt: TIME,
    problemId: name,
    attempts: list(ATTEMPT),
  },
  ['eventId', 'sink', 'kind', 'severity', 'state', 'addedAt', 'attempts'],
);

const RECORD = {
  version: { const: 1 },
  exportedAt: TIME,
  eventId: name,
  event: { type: 'object', description: 'The event; its type has a schema of its own' },
  archived: {
    ...strict({ at: TIME, marks: list(name) }),
    description: 'When the subscriber archived the event, and the marks that it gave it; not signed',
  },
  problemIds: list(name, 'The problems that the event changed; not signed'),
  deliveries: list(DELIVERY, "The subscriber's own record; not signed"),
  digest: form('^[0-9a-f]{64}$', 'SHA-256 of the file without its last two lines'),
};

/** No signature and no schema of a type protects an event that nobody signed. */
const TEXT = { type: 'string' };
const UNSIGNED_EVENT = {
  ...RECORD.event,
  required: ['id', 'type', 'participant', 'subject'],
  properties: { id: TEXT, type: TEXT, participant: TEXT, subject: TEXT },
};

const SIGNED = {
  signatureScheme: { enum: SIGNATURE_SCHEMES, description: 'How the gateway signed' },
  message: {
    ...strict({
      id: { type: 'string' },
      fqcn: name,
      topic: name,
      payload: { type: 'string', description: 'The event as text, byte for byte' },
      signature: form('^0x[0-9a-fA-F]{130}$', "The gateway's signature of the payload"),
      sender: { ...name, description: 'DID of the gateway' },
      timestampNanos: form('^[0-9]{1,20}$', 'When the bus stored the message, nanoseconds since 1970'),
    }),
    description: 'The message of the bus as it was received. Only its payload is signed',
  },
  gateway: { ...SIGNER, description: 'Who signed the payload' },
  origin: { ...SIGNER, description: 'The bridge that signed the event' },
  trusted: {
    ...CHANNEL_SCHEMA,
    description:
      'The senders that the subscriber trusted on the channel when it archived the event; not signed',
  },
};

/** The published JSON Schema (draft-07) of an evidence file. */
export const EVIDENCE_SCHEMA: Readonly<Record<string, unknown>> = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:settlement-bus-bridge:schema:evidence.v1',
  title: 'Evidence of one event',
  oneOf: [
    { ...strict({ ...RECORD, ...SIGNED }), title: 'Evidence of a signed event' },
    {
      ...strict({ ...RECORD, event: UNSIGNED_EVENT, unsigned: { const: true } }),
      title: 'Evidence of a fault that the subscriber wrote itself; nobody signed it',
    },
  ],
};
