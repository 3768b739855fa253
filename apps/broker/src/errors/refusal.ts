import { BusError, type BusErrorCode } from './bus-error.js';

/** Why the broker refuses a request; a closed list, so that each reason has an error code. */
export type Refusal =
  | { readonly kind: 'not-enrolled'; readonly role: string }
  | { readonly kind: 'channel-unknown'; readonly fqcn: string }
  | { readonly kind: 'topic-unknown'; readonly fqcn: string; readonly topic: string }
  | { readonly kind: 'no-right'; readonly right: 'publish' | 'subscribe'; readonly fqcn: string }
  | { readonly kind: 'too-large'; readonly size: number; readonly limit: number }
  | { readonly kind: 'schema-mismatch'; readonly topic: string; readonly problems: readonly SchemaProblem[] }
  | { readonly kind: 'bad-signature'; readonly reason: string; readonly sender: string };

export interface SchemaProblem {
  /** JSON Pointer into the payload; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

const REFUSAL_CODES = {
  'not-enrolled': 'BUS::FORBIDDEN_RESOURCE',
  'channel-unknown': 'BUS::CHANNEL_NOT_FOUND',
  'topic-unknown': 'BUS::CHANNEL_NOT_FOUND',
  'no-right': 'BUS::CHANNEL_UNAUTHORIZED',
  'too-large': 'BUS::MESSAGE_TOO_LARGE',
  'schema-mismatch': 'BUS::SCHEMA_MISMATCH',
  'bad-signature': 'BUS::INVALID_SIGNATURE',
} as const satisfies Record<Refusal['kind'], BusErrorCode>;

/** The fields of the refusal become the additional information. */
export function refusalError(refusal: Refusal): BusError {
  const { kind, ...information } = refusal;
  return new BusError(REFUSAL_CODES[kind], describeRefusal(refusal), information);
}

function describeRefusal(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'not-enrolled':
      return 'The caller is not enrolled as a bus user.';
    case 'channel-unknown':
      return `The channel ${refusal.fqcn} does not exist.`;
    case 'topic-unknown':
      return `The channel ${refusal.fqcn} has no topic ${refusal.topic}.`;
    case 'no-right':
      return `The caller may not ${refusal.right === 'publish' ? 'publish on' : 'subscribe to'} ${refusal.fqcn}.`;
    case 'too-large':
      return `The payload has ${refusal.size} bytes; the channel takes ${refusal.limit}.`;
    case 'schema-mismatch':
      return `The payload does not match the schema of topic ${refusal.topic}.`;
    case 'bad-signature':
      return 'The signature over the payload is not the one of the logged-in sender.';
  }
}
