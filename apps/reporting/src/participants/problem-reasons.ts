import { ACCESS_REFUSALS } from '../access/access-decision.js';
import { PARAMETER_REASONS } from './parameters/invalid-parameter.js';

/** The closed list of `reason` codes at the participants' port, by status (docs/interfaces.md). */
export const PROBLEM_REASONS = {
  403: ACCESS_REFUSALS,
  404: [...PARAMETER_REASONS, 'nothing-published', 'response-too-large', 'no-such-address'],
  503: ['tokens-cannot-be-checked', 'records-cannot-be-reached'],
} as const;

export type ProblemStatus = keyof typeof PROBLEM_REASONS;
export type ReasonOf<Status extends ProblemStatus> = (typeof PROBLEM_REASONS)[Status][number];
