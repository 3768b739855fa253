import { EVIDENCE_SCHEMA } from '../src/evidence/evidence-schema.js';
import { TRUST_SCHEMA } from '../src/verify/trust-schema.js';

/** The published schema files of `libs/downstream`, and their content. */
export const SCHEMA_FILES: ReadonlyMap<URL, object> = new Map([
  [new URL('../../trust.schema.json', import.meta.url), TRUST_SCHEMA],
  [new URL('../../evidence.schema.json', import.meta.url), EVIDENCE_SCHEMA],
]);
