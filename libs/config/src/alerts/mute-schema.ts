import { z } from 'zod';
import { DAY_RANGE } from '../detection/weekdays.js';
import { isUnknown } from '../placeholders.js';
import { strict, text } from '../schema-values.js';

const TIME = 'must be a local time such as "18:00" in quotes';
const time = text({ form: /^([01]\d|2[0-3]):[0-5]\d$/, must: TIME, mustBeText: TIME });

/** Whether Node.js knows the time zone. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}

/** A part of each week. */
export const muteWindow = strict({
  /** The days on which it begins. Default: every day. */
  days: z
    .array(text({ form: DAY_RANGE, must: 'must be a day such as sat, or a range such as mon-fri' }))
    .min(1)
    .optional(),
  /** Default: midnight. */
  from: time.optional(),
  /** Before this time; on the next day when it is not after `from`. Default: midnight at the end of the day. */
  to: time.optional(),
  timeZone: text({
    form: { test: isTimeZone },
    must: 'must be the name of a time zone such as Australia/Perth',
  }),
}).superRefine(({ days, from, to }, context) => {
  const fail = (message: string, path: string[] = []): void =>
    context.addIssue({ code: 'custom', path, message });
  if (days === undefined && from === undefined && to === undefined)
    fail('must have days, from or to; without them it would never end');
  if (to !== undefined && to === (from ?? '00:00') && !isUnknown(to))
    fail(`is ${to}, as is from, so the window has no length; leave out both for whole days`, ['to']);
});

export type MuteWindow = z.output<typeof muteWindow>;
