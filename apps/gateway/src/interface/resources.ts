import {
  acknowledgement,
  channel,
  enrolment,
  errorBody,
  failedFrame,
  gapFrame,
  identity,
  identityConfig,
  message,
  sendMessage,
  sendMessageSuccess,
  sentFrame,
  verifySignature,
  verifySignatureSuccess,
} from '@ssb/bus';
import { z } from 'zod';

/** A schema of JSON Schema, as OpenAPI and AsyncAPI embed it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Document 002, "Resources and their fields", by the document's names. */
const RESOURCES = {
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
} as const;
export type ResourceName = keyof typeof RESOURCES;

/** Frames of the WebSocket besides Message and SendMessage. */
const FRAMES = {
  Failed: failedFrame,
  Sent: sentFrame,
  Gap: gapFrame,
  Acknowledgement: acknowledgement,
} as const;
export type FrameName = keyof typeof FRAMES;

/** What schemas of zod cannot say of a bigint that stands on the wire as a bare number. */
const NANOSECONDS: JsonSchema = {
  type: 'integer',
  minimum: 0,
  description:
    'Send time, nanoseconds since 1970: a JSON number with all its digits, more than a double has. Read it as a big integer.',
};

/** The resources of document 002 as JSON Schema draft 2020-12 (OpenAPI 3.1). */
export function resourceSchemas(): Record<ResourceName, JsonSchema> {
  return mapped(RESOURCES, 'draft-2020-12');
}

/** Message, SendMessage and the other frames as JSON Schema draft-07 (AsyncAPI 3.1). */
export function frameSchemas(): Record<FrameName | 'Message' | 'SendMessage', JsonSchema> {
  const { Message, SendMessage } = RESOURCES;
  return mapped({ Message, SendMessage, ...FRAMES }, 'draft-7');
}

type Dialect = 'draft-2020-12' | 'draft-7';

function mapped<Name extends string>(
  definitions: Readonly<Record<Name, z.ZodType>>,
  target: Dialect,
): Record<Name, JsonSchema> {
  const entries = Object.entries<z.ZodType>(definitions).map(([name, type]) => [
    name,
    schemaOf(type, target),
  ]);
  return Object.fromEntries(entries) as Record<Name, JsonSchema>;
}

/** Names no dialect, so that it can be embedded. */
function schemaOf(type: z.ZodType, target: Dialect): JsonSchema {
  const schema: Record<string, unknown> = {
    ...z.toJSONSchema(type, {
      target,
      io: 'input',
      override: ({ zodSchema, jsonSchema }) => {
        if (zodSchema !== message.shape.timestampNanos) return;
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, NANOSECONDS);
      },
    }),
  };
  delete schema['$schema'];
  return schema;
}
