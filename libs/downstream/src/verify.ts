/*
 * Verification of messages and events. Nothing here needs Node: it runs in browsers as well.
 */
export { createNativeCurve, type Curve, type NativeBinding } from '@ssb/identity';
export type { EventDataByType, EventType, SignedEvent, TrustedSenders } from '@ssb/events';
export { REJECTION_REASONS, type Rejection, type RejectionReason } from './verify/rejection.js';
export {
  InvalidTrustError,
  Trust,
  type ChannelTrust,
  type OriginTrustEntry,
  type TrustEntry,
  type TrustFile,
} from './verify/trust.js';
export { verifyEvent, type EventVerificationOptions, type Verdict } from './verify/verify-event.js';
export {
  verifyWebhook,
  type CloudEvent,
  type RetiredKey,
  type WebhookHeaders,
  type WebhookRejectionReason,
  type WebhookVerdict,
  type WebhookVerificationOptions,
} from './verify/verify-webhook.js';
export {
  verifyMessage,
  type MessageVerificationOptions,
  type ReceivedMessage,
} from './verify/verify-message.js';
export type {
  Evidence,
  EvidenceAttempt,
  EvidenceDelivery,
  EvidenceMessage,
  EvidenceSigner,
  SignedEvidence,
  UnsignedEvidence,
} from './evidence/evidence.js';
export type {
  ClaimedTime,
  ConsistentReason,
  EvidenceFindings,
  EvidenceKey,
  EvidenceResult,
  InvalidReason,
  UnverifiedEvent,
} from './evidence/evidence-result.js';
export { verifyEvidence, type EvidenceVerificationOptions } from './evidence/verify-evidence.js';
