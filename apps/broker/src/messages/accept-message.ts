import type { PublishRequest } from '@ssb/bus';
import { topicOf, type Channel } from '../channels/channel.js';
import { DEFAULT_TOPIC } from '../channels/names.js';
import type { Refusal, SchemaProblem } from '../errors/refusal.js';
import { mayUse, type Standing } from '../permissions/permissions.js';

/** What the decision needs to know; the checks come in as functions. */
export interface AcceptContext {
  readonly userRole: string;
  readonly channel: Channel | undefined;
  /** The sender as it is logged in: what a refusal of its signature names (document 002, Message: `sender` is a DID). */
  readonly did: string;
  /** Problems of a payload against a schema's text; empty when it fits. */
  readonly check: (schema: string, payload: string) => Promise<readonly SchemaProblem[]>;
  /** The reason why the signature is not the logged-in sender's; undefined when it is. */
  readonly signatureProblem: (payload: string, signature: string) => Promise<string | undefined>;
}

export type Acceptance =
  | { readonly ok: true; readonly channel: Channel; readonly topic: string }
  | { readonly ok: false; readonly refusal: Refusal };

/** Whether a message may enter the log: rights → topic → size → schema → signature, the first failure is the answer. */
export async function accept(
  message: PublishRequest,
  sender: Standing,
  context: AcceptContext,
): Promise<Acceptance> {
  const { channel } = context;
  const noRight = mayUse(sender, 'publish', message.fqcn, channel, context.userRole);
  if (noRight) return refused(noRight);
  if (!channel) return refused({ kind: 'channel-unknown', fqcn: message.fqcn });

  const name = message.topic ?? DEFAULT_TOPIC;
  const topic = topicOf(channel, name);
  if (!topic) return refused({ kind: 'topic-unknown', fqcn: message.fqcn, topic: name });

  const size = Buffer.byteLength(message.payload);
  if (size > channel.maxMsgSize) return refused({ kind: 'too-large', size, limit: channel.maxMsgSize });

  const problems = await context.check(topic.schema, message.payload);
  if (problems.length > 0) return refused({ kind: 'schema-mismatch', topic: name, problems });

  const reason = await context.signatureProblem(message.payload, message.signature);
  if (reason !== undefined) return refused({ kind: 'bad-signature', reason, sender: context.did });
  return { ok: true, channel, topic: name };
}

function refused(refusal: Refusal): Acceptance {
  return { ok: false, refusal };
}
