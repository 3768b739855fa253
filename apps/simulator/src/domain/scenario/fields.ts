import { z } from 'zod';

/** `2s`, `1500ms` or `10m`, in milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(?:ms|s|m)$/, 'expected a duration such as 1500ms, 2s or 10m')
  .transform(
    (text) =>
      parseInt(text, 10) * { ms: 1, s: 1_000, m: 60_000 }[text.replace(/^\d+/, '') as 'ms' | 's' | 'm'],
  );

/** AUD. */
export const money = z
  .string()
  .regex(/^-?\d+\.\d{2}$/, "expected an amount with two digits after the point, in quotes: '0.00'");

const MAX_PARTICIPANTS = 1_000;

/** The place of a participant in PARTICIPANTS, from 1. Without it, all participants. */
export const participantNumber = z.int().min(1).max(MAX_PARTICIPANTS).optional();

/** The name of one of the scenario's runs. */
export const runName = z.string();

/** The constant part of a prudential position. */
export const creditBook = z.strictObject({
  creditSupport: money,
  creditLimit: money,
  tradingLimit: money,
  prepayment: money,
  invoiceNotPaid: money,
});

/** Figures that differ from the scenario's book in one calculation. */
export const bookChanges = creditBook.partial().default({});

export type CreditBook = z.output<typeof creditBook>;
export type BookChanges = z.output<typeof bookChanges>;
