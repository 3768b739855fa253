import { ALL_PARTICIPANTS } from '@ssb/events';
import { z } from 'zod';
import { DURATION, tryParseDuration } from './duration.js';
import { findNearestName } from './nearest-name.js';
import { isUnknown, PLACEHOLDER } from './placeholders.js';

interface TextRule {
  /** A pattern, or a test with the pattern that its texts have. */
  readonly form: RegExp | { readonly test: (value: string) => boolean; readonly form?: RegExp };
  /** What is allowed; ends a sentence that begins with the place. */
  readonly must: string;
  /** The same for a value that is not a text. Default: that it must be a text in quotes. */
  readonly mustBeText?: string;
}

/** A text that passes the test. A text with an unset placeholder passes too: it is reported by itself. */
export function text({ form, must, mustBeText }: TextRule): z.ZodString {
  const pattern = form instanceof RegExp ? form : form.form;
  const schema = z.string(mustBeText).refine((value) => isUnknown(value) || form.test(value), must);
  // JSON Schemas of the file are applied before placeholders are replaced.
  return pattern === undefined
    ? schema
    : schema.meta({ pattern: `(${pattern.source})|${PLACEHOLDER.source}` });
}

/**
 * An object whose unknown keys are refused, one line of the message for each.
 * @param former what replaces each key of an earlier release; ends a sentence that begins with the key
 */
export const strict = <T extends z.core.$ZodLooseShape>(
  shape: T,
  former: Readonly<Record<string, string>> = {},
) =>
  z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? keys.map((key) => former[key] ?? describeUnknownKey(key, Object.keys(shape))).join('\n')
        : undefined,
  });

function describeUnknownKey(key: string, known: readonly string[]): string {
  const nearest = findNearestName(key, known);
  const help =
    nearest === undefined ? `the known keys are ${known.join(', ')}` : `the nearest known key is ${nearest}`;
  return `is an unknown key; ${help}`;
}

/** A check that a list names each value once. */
export const eachOnce =
  (noun: string) =>
  (values: readonly (string | number)[], context: z.RefinementCtx): void => {
    const repeated = values.filter((value, index) => values.indexOf(value) < index);
    if (repeated.length > 0)
      context.addIssue({
        code: 'custom',
        message: `names ${[...new Set(repeated)].join(', ')} more than once; name each ${noun} once`,
      });
  };

/** One name of a closed list. */
export const oneOf = <const Names extends readonly string[]>(noun: string, names: Names) =>
  z.enum(names, {
    error: ({ input }) => {
      const nearest = typeof input === 'string' ? findNearestName(input, names) : undefined;
      const help = nearest === undefined ? `must be one of ${names.join(', ')}` : `the nearest is ${nearest}`;
      return `is an unknown ${noun}; ${help}`;
    },
  });

export const participantCode = z
  .string()
  .min(1)
  .max(60)
  .refine((code) => code !== ALL_PARTICIPANTS, 'must be the code of one participant; * is not allowed');

export const typePattern = text({
  form: /^[a-z0-9.*-]+$/,
  must: 'must be an event type, or a pattern such as settlementbus.margin.*',
});

const EXAMPLES = ['30s', '10m', '26h', '2d'];

/** A duration within bounds, which are durations too. */
export function duration(min: string, max: string): z.ZodString {
  const [minMs = 0, maxMs = 0] = [min, max].map(tryParseDuration);
  const test = (value: string): boolean => {
    const ms = tryParseDuration(value);
    return ms !== undefined && ms >= minMs && ms <= maxMs;
  };
  const examples = EXAMPLES.filter(test)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');
  const must = `must be a duration from ${min} to ${max}, such as ${examples}`;
  return text({ form: { test, form: DURATION }, must, mustBeText: must });
}
