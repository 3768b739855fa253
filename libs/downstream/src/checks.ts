/*
 * What the subscriber and the build of the package need of the kit. The published package does not contain this module.
 */
import { EVIDENCE_SCHEMA } from './evidence/evidence-schema.js';
import { TRUST_SCHEMA } from './verify/trust-schema.js';

export { toChannelTrust, type KeyInterval } from './evidence/key-intervals.js';
export { writeEvidence, type OpenEvidence } from './evidence/evidence-text.js';
export { hasDuplicateNames, parsePayload, type ParsedPayload } from './verify/parse-payload.js';
export { REJECTION_REASONS, type RejectionReason } from './verify/rejection.js';
export type { Verdict } from './verify/verify-event.js';
export { checkMessage } from './verify/verify-message.js';

/** The schemas that the kit compiles, besides those of the events. */
export const KIT_SCHEMAS: readonly Readonly<Record<string, unknown>>[] = [TRUST_SCHEMA, EVIDENCE_SCHEMA];
