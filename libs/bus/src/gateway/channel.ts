import { z } from 'zod';

export const topic = z.object({
  namespace: z.string().describe('Topic name within the channel.'),
  schema: z.string().describe('JSON Schema (draft-07) of a payload, as text.'),
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
