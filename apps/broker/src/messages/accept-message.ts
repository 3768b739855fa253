import type { PublishRequest } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { findTopic, type Channel } from '../channels/channel.js';
import { DEFAULT_TOPIC } from '../channels/names.js';
import type { Refusal, SchemaProblem } from '../errors/refusal.js';
import { checkPermission, type PermissionContext } from '../permissions/permissions.js';

/** The CPU-bound checks. They share the event loop with the checks of other requests (`TimeSlicer`). */
export interface MessageChecks {
  /** Validates the payload against the JSON text of a schema. Returns no problems when it is valid. */
  readonly validatePayload: (schema: string, payload: string) => Promise<readonly SchemaProblem[]>;
  /** Verifies that the sender signed the payload. */
  readonly verifySignature: (payload: string, signature: string) => Promise<SenderVerdict>;
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
  { validatePayload, verifySignature }: MessageChecks,
): Promise<Acceptance> {
  const { channel } = context;
  const notPermitted = checkPermission(context, 'publish', fqcn);
  if (notPermitted) return refuse(notPermitted);
  if (!channel) return refuse({ kind: 'channel-unknown', fqcn });

  const topic = findTopic(channel, name);
  if (!topic) return refuse({ kind: 'topic-unknown', fqcn, topic: name });

  const size = Buffer.byteLength(payload);
  if (size > channel.maxMsgSize) return refuse({ kind: 'too-large', size, limit: channel.maxMsgSize });

  const problems = await validatePayload(topic.schema, payload);
  if (problems.length > 0) return refuse({ kind: 'schema-mismatch', topic: name, problems });

  const verdict = await verifySignature(payload, signature);
  if (!verdict.ok) return refuse({ kind: 'bad-signature', reason: verdict.reason, sender });

  return { ok: true, channel, topic: name };
}

function refuse(refusal: Refusal): Acceptance {
  return { ok: false, refusal };
}
