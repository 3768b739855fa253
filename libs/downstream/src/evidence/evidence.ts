import type { SignatureScheme } from '@ssb/identity';
import type { ChannelTrust } from '../verify/trust.js';

/** Who signed, and the public key that the signature gives: `0x04…`, 65 bytes. */
export interface EvidenceSigner {
  readonly did: string;
  readonly publicKey: string;
}

/** The message of the bus as it was received. Only the payload is signed. */
export interface EvidenceMessage {
  readonly id: string;
  readonly fqcn: string;
  readonly topic: string;
  readonly payload: string;
  readonly signature: string;
  readonly sender: string;
  /** When the bus stored it, nanoseconds since 1970. */
  readonly timestampNanos: string;
}

export interface EvidenceAttempt {
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  readonly outcome: string;
  readonly status?: number;
  readonly response?: string;
  readonly error?: string;
}

/** A delivery of the event, or of a message about it. */
export interface EvidenceDelivery {
  /** The id that the sink sees. */
  readonly eventId: string;
  readonly sink: string;
  readonly kind: string;
  readonly severity: string;
  readonly state: string;
  readonly addedAt: string;
  readonly deliveredAt?: string;
  readonly problemId?: string;
  readonly attempts: readonly EvidenceAttempt[];
}

interface EvidenceRecord {
  readonly version: 1;
  readonly exportedAt: string;
  readonly eventId: string;
  readonly event: Readonly<Record<string, unknown>>;
  /** When the subscriber archived the event, and the marks that it gave it. */
  readonly archived: { readonly at: string; readonly marks: readonly string[] };
  readonly problemIds: readonly string[];
  readonly deliveries: readonly EvidenceDelivery[];
  /** SHA-256 of the file without its last two lines. It shows damage; the signatures show origin. */
  readonly digest: string;
}

/** Evidence of an event that a bridge signed and a gateway posted. */
export interface SignedEvidence extends EvidenceRecord {
  readonly signatureScheme: SignatureScheme;
  readonly message: EvidenceMessage;
  readonly gateway: EvidenceSigner;
  readonly origin: EvidenceSigner;
  /** The senders that the subscriber trusted on the channel when it archived the event. */
  readonly trusted: ChannelTrust;
}

/** An event that nobody signed. Only these members have a form. */
export type UnsignedEvent = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly type: string;
  readonly participant: string;
  readonly subject: string;
};

/** Evidence of a fault that the subscriber wrote itself. Nobody signed it. */
export interface UnsignedEvidence extends EvidenceRecord {
  readonly event: UnsignedEvent;
  readonly unsigned: true;
}

/** The content of an evidence file; `evidence.schema.json` is its schema. */
export type Evidence = SignedEvidence | UnsignedEvidence;
