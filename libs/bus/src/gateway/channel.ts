import { z } from 'zod';

export const topic = z.object({
  /** Topic name within the channel. */
  namespace: z.string(),
  /** JSON Schema (draft-07) of a payload, as text. */
  schema: z.string(),
});
export type Topic = z.infer<typeof topic>;

/** Document 002, "Channel": no field is required. */
export const channel = z.object({
  fqcn: z.string().optional(),
  topics: z.array(topic).optional(),
  /** DIDs that may manage the channel. */
  admins: z.array(z.string()).optional(),
  /** DIDs and roles that may publish; omitted or empty: every holder of the user role. */
  publishers: z.array(z.string()).optional(),
  /** DIDs and roles that may subscribe; omitted or empty: every holder of the user role. */
  subscribers: z.array(z.string()).optional(),
  /** Lifetime of a message in storage, nanoseconds. */
  maxMsgAge: z.number().optional(),
  /** Largest message, bytes. */
  maxMsgSize: z.number().optional(),
  createdBy: z.string().optional(),
  /** ISO 8601, UTC. */
  createdDateTime: z.string().optional(),
  modifiedBy: z.string().optional(),
  /** ISO 8601, UTC. */
  modifiedByDateTime: z.string().optional(),
});
export type Channel = z.infer<typeof channel>;
