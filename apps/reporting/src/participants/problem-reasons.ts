import { ACCESS_REFUSALS } from '../access/access-decision.js';
import { QUESTION_FAULTS } from './parameters/invalid-parameter.js';

/**
 * Every `reason` that a problem of the participants' port can carry, by status. Document 000 knows only 403 (who you are,
 * what you hold) and 404 (the question has no answer); 503 is a fault of ours that repeating may cure.
 */
export const PROBLEM_REASONS = {
  403: ACCESS_REFUSALS,
  404: [...QUESTION_FAULTS, 'nothing-published', 'answer-too-large', 'no-such-address'],
  503: ['tokens-cannot-be-checked', 'records-cannot-be-reached'],
} as const;

export type ProblemStatus = keyof typeof PROBLEM_REASONS;
export type ReasonOf<Status extends ProblemStatus> = (typeof PROBLEM_REASONS)[Status][number];
