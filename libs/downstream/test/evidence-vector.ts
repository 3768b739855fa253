import { writeEvidence, type OpenEvidence } from '../src/evidence/evidence-text.js';
import type { EvidenceResult } from '../src/verify.js';
import type { ExpectedFindings } from './evidence-findings.js';

export interface EvidenceVector {
  readonly name: string;
  /** The content of the file. */
  readonly text: string;
  /** One of `trusts`; null: none is given. */
  readonly trust: string | null;
  readonly result: {
    readonly ok: boolean;
    readonly status: EvidenceResult['status'];
    readonly reason?: string;
    /** States of the keys. */
    readonly gateway?: string;
    readonly origin?: string;
    /** The sentence of the reason. */
    readonly detail?: string;
  } & Partial<ExpectedFindings>;
}

/** A vector of evidence, or of a text in its place. */
export function evidenceVector(
  name: string,
  content: OpenEvidence | string,
  trust: string | null,
  result: EvidenceVector['result'],
): EvidenceVector {
  return { name, text: typeof content === 'string' ? content : writeEvidence(content), trust, result };
}
