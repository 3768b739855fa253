import { z } from 'zod';
import { participantNumber } from './fields.js';

/** A value in the `data` of an event. */
export type Figure =
  | string
  | number
  | boolean
  | null
  | readonly Figure[]
  | { readonly [property: string]: Figure };

const figure: z.ZodType<Figure> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(figure), z.record(z.string(), figure)]),
);

/** An event that must come of the scenario. Texts may contain placeholders. */
export const expectation = z.strictObject({
  /** The type without `settlementbus.` and `.v1`. */
  type: z.string().regex(/^[a-z-]+\.[a-z-]+$/, 'expected a type such as margin.breached'),
  subject: z.string(),
  /** Figures that the event must have. `null`: the event must not have this property. */
  data: z.record(z.string(), figure).default({}),
  /** Whether it may come at any place among the events of its participant. */
  unordered: z.boolean().default(false),
  participant: participantNumber,
});

/** Settings of the bridge with which the scenario is played: keys of `defaults` of CONFIG_FILE, and its `businessDays` and `holidays`. */
export const bridgeSettings = z.record(z.string(), figure).default({});
