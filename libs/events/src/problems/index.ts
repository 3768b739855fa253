/*
 * What is known of every problem and fault. Nothing here needs Node or a library: the console imports it.
 */
export { ALERT_REASON_NAMES, type AlertReason } from '../types/alert-reason-names.js';
export { ALERT_REASONS, isAlertReason } from '../types/alert-reasons.js';
export { describeProblemKind } from './problem-kinds.js';
export { measureNameOf, readProblemSignal, type ProblemSignal } from './problem-signal.js';
