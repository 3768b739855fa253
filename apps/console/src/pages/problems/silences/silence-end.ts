import { toMarketInstant } from '../../../format/local-time.js';

/** When a silence ends: after a length, or at a time of the market. */
export type SilenceEnd = '1h' | '4h' | '24h' | 'until';

export const SILENCE_ENDS: readonly { readonly value: SilenceEnd; readonly label: string }[] = [
  { value: '1h', label: '1 hour' },
  { value: '4h', label: '4 hours' },
  { value: '24h', label: '24 hours' },
  { value: 'until', label: 'Until a time' },
];

/** The end in the body of a request; undefined when no time is given. */
export function toBodyEnd(
  end: SilenceEnd,
  until: string,
): { readonly for: string } | { readonly endsAt: string } | undefined {
  if (end !== 'until') return { for: end };
  const endsAt = toMarketInstant(until);
  return endsAt === undefined ? undefined : { endsAt };
}
