import type { PublishRequest } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { findTopic, type Channel } from '../channels/channel.js';
import { DEFAULT_TOPIC } from '../channels/names.js';
import type { Refusal, SchemaProblem } from '../errors/refusal.js';
import { checkPermission, type PermissionContext } from '../permissions/permissions.js';

/** The CPU-bound checks. They share the event loop with other requests (`TimeSlicer`). */
export interface MessageChecks {
  /** @returns the problems of the payload by the JSON text of a schema; empty when it is valid */
  validatePayload(schema: string, payload: string): Promise<readonly SchemaProblem[]>;
  /** Verifies that the sender signed the payload. */
  verifySignature(payload: string, signature: string, sender: Did): Promise<SenderVerdict>;
}

export type SenderVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export type Acceptance =
  | { readonly ok: true; readonly channel: Channel; readonly topic: string }
  | { readonly ok: false; readonly refusal: Refusal };

/** Checks permission, topic, size, schema and signature, in this order. Returns the first failure as the refusal. */
export async function acceptMessage(
  { fqcn, topic: name = DEFAULT_TOPIC, payload, signature }: PublishRequest,
  sender: Did,
  context: PermissionContext,
  checks: MessageChecks,
): Promise<Acceptance> {
  const authorization = checkPermission(context, 'publish', fqcn);
  if (!authorization.ok) return authorization;
  const { channel } = authorization;

  const topic = findTopic(channel, name);
  if (!topic) return refuse({ kind: 'topic-unknown', fqcn, topic: name });

  const size = Buffer.byteLength(payload);
  if (size > channel.maxMsgSize) return refuse({ kind: 'too-large', size, limit: channel.maxMsgSize });

  const problems = await checks.validatePayload(topic.schema, payload);
  if (problems.length > 0) return refuse({ kind: 'schema-mismatch', topic: name, problems });

  const verdict = await checks.verifySignature(payload, signature, sender);
  if (!verdict.ok) return refuse({ kind: 'bad-signature', reason: verdict.reason, sender });

  return { ok: true, channel, topic: name };
}

function refuse(refusal: Refusal): Acceptance {
  return { ok: false, refusal };
}
