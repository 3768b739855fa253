import type { ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';
import { UNSUPPORTED, type Draft } from './draft.js';
import { replaceKeywords } from './keywords.js';
import { estimatePatternSteps } from '../step-estimate.js';

export class TooManyStepsError extends Error {}

const addFormats = formats.default.default;

/** One Ajv for each schema, as two topics may use the same $id. It knows only the keywords of the draft. */
export function createValidator(
  schema: boolean | object,
  draft: Draft,
  steps: { left: number },
): ValidateFunction {
  const regExp = Object.assign((pattern: string, flags: string) => countedRegExp(pattern, flags, steps), {
    code: 'new RegExp',
  });
  const ajv = draft.createAjv({
    strict: false,
    allErrors: false,
    logger: false,
    validateSchema: false,
    // The later meta-schemas need dynamic references.
    meta: draft.refHidesSiblings,
    ignoreKeywordsWithRef: draft.refHidesSiblings,
    // Inherited properties do not count.
    ownProperties: true,
    // Ajv's optimisation doubles the compile time and does not speed up a check.
    code: { regExp, optimize: false },
  });
  // Ajv's classes of the later drafts set it.
  ajv.opts.unevaluated = false;
  addFormats(ajv);
  replaceKeywords(ajv);
  for (const keyword of Object.keys(ajv.RULES.keywords)) {
    if (!draft.keywords.has(keyword) || REMOVED.has(keyword)) ajv.removeKeyword(keyword);
  }
  return ajv.compile(schema);
}

/** prepare-schema.ts refuses some, and the anchors have no other use in Ajv. */
const REMOVED = new Set([...UNSUPPORTED, '$dynamicAnchor', '$recursiveAnchor']);

/** A regular expression that subtracts its estimated steps at every test. */
function countedRegExp(pattern: string, flags: string, steps: { left: number }) {
  const expression = new RegExp(pattern, flags);
  const estimateSteps = estimatePatternSteps(pattern);
  return {
    test: (text: string): boolean => {
      if (steps.left !== Infinity) steps.left -= estimateSteps(text.length);
      if (steps.left < 0) throw new TooManyStepsError();
      return expression.test(text);
    },
    // Ajv compares patterns by this text.
    toString: () => String(expression),
  };
}
