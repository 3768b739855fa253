import { z } from 'zod';
import { channel } from '../gateway/channel.js';
import { roleState } from '../gateway/enrolment.js';

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

/** 201 of `POST /message`; a repeated correlationId gets the first message's id. */
export const publishSuccess = z.object({ id: z.string() });
export type PublishSuccess = z.infer<typeof publishSuccess>;

/** A message as the broker keeps and delivers it. `timestampNanos` is a string of digits: nanoseconds since 1970. */
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
 * `POST /message/acknowledgement`: this client holds the channel's messages up to this id, which it read by `GET /message` with `move=false`.
 */
export interface ReadAcknowledgement {
  readonly fqcn: string;
  readonly clientId?: string;
  readonly upTo: string;
}

/** `GET /channel/pubsub`. */
export const channels = z.array(channel);

/**
 * The state of one of the caller's own roles; `GET /role/claim` answers a list of them. While it is APPROVED that list also has `token`, the
 * issuer's signed word, which the subject puts into its DID document (`POST /did/claim`), and whether it stands there.
 */
export const roleClaim = z.object({
  role: z.string(),
  state: roleState,
  token: z.string().optional(),
  inDocument: z.boolean().optional(),
});
export type RoleClaim = z.infer<typeof roleClaim>;
export const roleClaims = z.array(roleClaim);

/** Header `typ` of a role decision (RFC 8725 §3.11): without it an identity token could pass for one, and the other way round. */
export const ROLE_DECISION_TYPE = 'role-decision+jwt';

/** What an issuer decides on a claim, signed as a compact JWS (ES256K) for `POST /role/decision`. `iat` and `exp` are seconds since 1970; `jti` is used once. */
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

/** An approved role in a DID document. `issuedAt` is in epoch seconds, `token` the issuer's JWS, which anybody may verify. */
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

/** `GET /did/:did`: a DID document (W3C DID Core 1.0 §4) with the roles that its subject has added and still holds. */
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
