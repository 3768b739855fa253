import {
  dateTime,
  decimal,
  described,
  integer,
  label,
  list,
  MAX_INT32,
  object,
  type ValueOf,
} from './json-schema.js';

/** What identifies a settlement variable within a statement. */
export const variableNames = {
  tradingDay: described(dateTime, 'Trading day; market time.', 'operation 5, tradingDay'),
  variable: described(label(60), 'Name of the settlement variable.', 'operation 5, variable'),
  pOrC: described(
    label(8),
    'P: payment from the operator to the participant; C: charge paid by the participant.',
    'operation 5, pOrC',
  ),
  gstApplicable: described(label(1), 'Y or N.', 'operation 5, gstApplicable'),
} as const;

/** Changed variables that an event lists at most. */
export const MAX_STATEMENT_CHANGES = 100;
/** A sum of decimal(23,8) is far shorter. */
export const MAX_CHANGE_LENGTH = 100;

const amount = { ...decimal, maxLength: MAX_CHANGE_LENGTH };

const changedVariable = object(
  {
    ...variableNames,
    before: described(
      amount,
      'Amount in the previous version, AUD. Absent when it does not have the variable.',
    ),
    after: described(amount, 'Amount in this version, AUD. Absent when it does not have the variable.'),
    difference: described(
      amount,
      '`after` minus `before`, AUD; an absent amount counts as 0. Positive: more to be paid, by the operator for P, by the participant for C.',
    ),
    share: described(
      { ...decimal, maxLength: 6 },
      'Part of the sum of all absolute differences, per cent, rounded half up to two digits after the point.',
    ),
  },
  ['before', 'after'],
);

const rest = object({
  count: described(integer(0, MAX_INT32), 'Number of changed variables that `items` does not have.'),
  payment: described(amount, 'Sum of their differences with `pOrC` P, AUD.'),
  charge: described(amount, 'Sum of their differences with `pOrC` C, AUD.'),
});

export const statementChanges = object({
  count: described(integer(0, MAX_INT32), 'Number of all changed variables.'),
  items: described(
    list(changedVariable, MAX_STATEMENT_CHANGES),
    `The largest absolute differences first, at most ${MAX_STATEMENT_CHANGES}; fewer when the event would be too large for its channel. Equal ones are in the order of trading day, variable, \`pOrC\` and \`gstApplicable\`.`,
  ),
  rest: described(
    rest,
    'What `items` leaves out. The differences of `items` and `rest` add up exactly to `difference`.',
  ),
});

export type StatementChanges = ValueOf<typeof statementChanges>;
