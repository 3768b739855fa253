import { z } from 'zod';
import { channel } from '../gateway/channel.js';
import { errorDetail } from '../error-body.js';
import { roleState } from '../gateway/identity.js';

/** Bearer token, the caller's DID and address, and the broker's own EIP-191 signature of `token`. */
export const loginSuccess = z.object({
  token: z.string(),
  did: z.string(),
  address: z.string(),
  signature: z.string(),
});
export type LoginSuccess = z.infer<typeof loginSuccess>;

/** `POST /message`: a signed message. */
export interface PublishRequest {
  readonly fqcn: string;
  /** `default` when omitted. */
  readonly topic?: string;
  readonly payload: string;
  /** Signature of the payload by the sender's key, `0x` hexadecimal, 65 bytes. */
  readonly signature: string;
  /** The gateway's `transactionId`. */
  readonly correlationId?: string;
}

/**
 * One message of `POST /messages`. Its `traceparent` (W3C Trace Context) is that of this message; in `POST /message` it is the
 * header of the request.
 */
export interface BatchMessage extends PublishRequest {
  readonly traceparent?: string;
}

/** 201 of `POST /message`. A repeated correlationId gets the first message's id. */
export const publishSuccess = z.object({ id: z.string() });
export type PublishSuccess = z.infer<typeof publishSuccess>;

/** 201 of any broker: public ones, and ours with `BROKER_COMPATIBILITY=dsb`, send the id alone. */
export const receivedPublishSuccess = z.union([
  publishSuccess,
  z
    .string()
    .regex(/^[\w#.:-]{1,255}$/)
    .transform((id): PublishSuccess => ({ id })),
]);

/** Maximum number of messages in one `POST /messages`, each of the form of `POST /message` and in their order. */
export const MAX_MESSAGES_PER_REQUEST = 128;

/** The outcome of one message: the response that `POST /message` would give, with the status of an error. */
export const messageOutcome = z.union([
  publishSuccess,
  z.object({ status: z.number().int().min(400).max(599), err: errorDetail }),
]);
export type MessageOutcome = z.infer<typeof messageOutcome>;

/** 200 of `POST /messages`: one outcome for each message, in their order. */
export const messageOutcomes = z.array(messageOutcome);

/**
 * A message as the broker delivers it. `timestampNanos` is nanoseconds since 1970 as digits; `parseMessageJson` converts a number
 * to them.
 */
export const busMessage = z.object({
  id: z.string(),
  fqcn: z.string(),
  topic: z.string(),
  payload: z.string(),
  signature: z.string(),
  /** DID of the sender. */
  sender: z.string(),
  timestampNanos: z.string().regex(/^\d{1,20}$/),
  correlationId: z.string().optional(),
});
export type BusMessage = z.infer<typeof busMessage>;
export const busMessages = z.array(busMessage);

/**
 * `POST /message/acknowledgement`: the client has stored the channel's messages up to this id, read by `GET /message`
 * with `move=false`.
 */
export interface ReadAcknowledgement {
  readonly fqcn: string;
  readonly clientId?: string;
  readonly upTo: string;
}

/** `GET /channel/pubsub`. */
export const channels = z.array(channel);

/**
 * State of one of the caller's roles, as `GET /role/claim` lists them. An APPROVED role also has `token`, the issuer's
 * signed decision for the DID document (`POST /did/claim`), and `inDocument`.
 */
export const roleClaim = z.object({
  role: z.string(),
  state: roleState,
  token: z.string().optional(),
  inDocument: z.boolean().optional(),
});
export type RoleClaim = z.infer<typeof roleClaim>;
export const roleClaims = z.array(roleClaim);

/** Header `typ` of a role decision (RFC 8725 §3.11). It distinguishes a decision from an identity token. */
export const ROLE_DECISION_TYPE = 'role-decision+jwt';

/** An issuer's decision on a claim, a compact JWS (ES256K) for `POST /role/decision`. `iat` and `exp` are seconds since 1970; `jti` is for one use. */
export const roleDecision = z.object({
  iss: z.string(),
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  jti: z.string(),
  did: z.string(),
  role: z.string(),
  decision: z.enum(['approve', 'reject', 'revoke']),
});
export type RoleDecision = z.infer<typeof roleDecision>;

/** An approved role in a DID document. `issuedAt` is in seconds since 1970; `token` is the issuer's JWS, verifiable by any client. */
export const didRoleService = z.object({
  id: z.string(),
  type: z.literal('RoleClaim'),
  serviceEndpoint: z.object({
    role: z.string(),
    issuer: z.string(),
    issuedAt: z.number(),
    token: z.string(),
  }),
});

/** `GET /did/:did`: a DID document (W3C DID Core 1.0 §4) with the current roles that its subject has added. */
export const didDocument = z.looseObject({
  '@context': z.array(z.string()),
  id: z.string(),
  verificationMethod: z.array(
    z.looseObject({
      id: z.string(),
      type: z.string(),
      controller: z.string(),
      blockchainAccountId: z.string().optional(),
    }),
  ),
  authentication: z.array(z.string()),
  assertionMethod: z.array(z.string()),
  service: z.array(didRoleService),
});
export type DidDocument = z.infer<typeof didDocument>;

/** `GET /health` of the broker. */
export const brokerHealth = z.looseObject({ status: z.enum(['ok', 'error']) });
export type BrokerHealth = z.infer<typeof brokerHealth>;
