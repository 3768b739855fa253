/*
 * What the subscriber shares with the kit. It verifies with its own configuration. The published package does not contain this module.
 */
export { hasDuplicateNames, parsePayload, type ParsedPayload } from './verify/parse-payload.js';
export { REJECTION_REASONS, type RejectionReason } from './verify/rejection.js';
export type { Verdict } from './verify/verify-event.js';
export { checkMessage } from './verify/verify-message.js';
