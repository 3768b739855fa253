import { z } from 'zod';

export const topic = z.object({
  namespace: z.string().describe('Topic name within the channel.'),
  schema: z
    .string()
    .describe('JSON Schema of a payload, as text; draft-07 unless its $schema names another draft.'),
});
export type Topic = z.infer<typeof topic>;

/** Document 002, "Channel": no field is required. */
export const channel = z.object({
  fqcn: z.string().optional().describe('Fully qualified channel name.'),
  topics: z.array(topic).optional(),
  admins: z.array(z.string()).optional().describe('DIDs that may manage the channel.'),
  publishers: z
    .array(z.string())
    .optional()
    .describe('DIDs and roles that may publish; omitted or empty: every holder of the user role.'),
  subscribers: z
    .array(z.string())
    .optional()
    .describe('DIDs and roles that may subscribe; omitted or empty: every holder of the user role.'),
  maxMsgAge: z.number().optional().describe('Lifetime of a message in storage, nanoseconds.'),
  maxMsgSize: z.number().optional().describe('Largest message, bytes.'),
  createdBy: z.string().optional().describe('DID that created the channel.'),
  createdDateTime: z.string().optional().describe('ISO 8601, UTC.'),
  modifiedBy: z.string().optional().describe('DID that last modified the channel.'),
  modifiedByDateTime: z.string().optional().describe('ISO 8601, UTC.'),
});
export type Channel = z.infer<typeof channel>;

const absentIfNull = <T>(schema: z.ZodType<T>) =>
  schema.nullish().transform((value): T | undefined => value ?? undefined);

/** A channel of any gateway. Some send a schema as an object, or null for a field without a value. */
const receivedChannel = z
  .object({
    fqcn: absentIfNull(z.string()),
    topics: absentIfNull(
      z
        .array(
          z.object({
            namespace: absentIfNull(z.string()),
            schema: z
              .unknown()
              .transform((schema) => (typeof schema === 'string' ? schema : JSON.stringify(schema ?? true))),
          }),
        )
        .transform((topics) =>
          topics.flatMap(({ namespace, schema }): Topic[] =>
            namespace === undefined ? [] : [{ namespace, schema }],
          ),
        ),
    ),
    admins: absentIfNull(z.array(z.string())),
    publishers: absentIfNull(z.array(z.string())),
    subscribers: absentIfNull(z.array(z.string())),
    maxMsgAge: absentIfNull(z.number()),
    maxMsgSize: absentIfNull(z.number()),
    createdBy: absentIfNull(z.string()),
    createdDateTime: absentIfNull(z.string()),
    modifiedBy: absentIfNull(z.string()),
    modifiedByDateTime: absentIfNull(z.string()),
  })
  .transform(withoutUndefined);

/** The channels of any gateway. Channels that cannot be read are left out. */
export const receivedChannels = z.array(z.unknown()).transform((channels) =>
  channels.flatMap((given) => {
    const result = receivedChannel.safeParse(given);
    return result.success ? [result.data] : [];
  }),
);

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Channel {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
