import type { Parameter } from '../participants/operation.js';

/**
 * `yyyy-MM-dd` or `yyyy-MM-ddTHH:mm:ss`, no zone (document 000, Conventions 3). Months are no longer than they are; only 29
 * February is left to the calendar, so a common year's is answered with 404.
 */
export const DAY_PATTERN =
  '^(?!0000)\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2\\d))(?:T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d)?$';

/** The Parameter Object of a parameter. */
export function parameterOf({ name, in: place, required, description, takes, example }: Parameter): object {
  return { name, in: place, required, description, schema: schemaOf(takes), example };
}

function schemaOf(takes: Parameter['takes']): object {
  if (takes === 'day') {
    return {
      type: 'string',
      pattern: DAY_PATTERN,
      description: 'yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss, market time',
    };
  }
  if (takes === 'participant') return { type: 'string', minLength: 1, maxLength: 60 };
  return { type: 'string', enum: takes };
}
