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

const run = z.string();
/** How long nothing else happens afterwards. */
const hold = duration;

/** What can happen in a play with an end. Days count from today in market time. */
export const scene = z.union([
  /** A calculation made now: of today, or of another trading day that is calculated again. */
  z.strictObject({ margin: money, tradingDay: z.int().optional(), hold }),
  /** Forecasts made now, for tomorrow and the days after it. */
  z.strictObject({ forecast: z.array(money).min(1).max(14), hold }),
  z.strictObject({ statement: run, hold }),
  /** The run once more: a new run id and figures that moved. */
  z.strictObject({ revise: run, hold }),
  /** `reversed`: the reversal of the invoice that this one replaces; `offBy`: what its total is wrong by. */
  z.strictObject({
    invoice: run,
    id: z.string(),
    reversed: z.string().optional(),
    offBy: money.optional(),
    hold,
  }),
  /** The timeline again, with other days for the run. */
  z.strictObject({
    move: run,
    statementDay: z.int(),
    invoiceDay: z.int(),
    settlementDay: z.int(),
    hold,
  }),
  /** The participants' side of the service fails with this status for so long. */
  z.strictObject({ outage: z.union([z.literal(500), z.literal(503)]), lasts: duration, hold }),
]);

export type Scene = z.output<typeof scene>;

/** The run that a scene is about, if it is about one. */
export function runNamedBy(each: Scene): string | undefined {
  if ('statement' in each) return each.statement;
  if ('revise' in each) return each.revise;
  if ('invoice' in each) return each.invoice;
  return 'move' in each ? each.move : undefined;
}
