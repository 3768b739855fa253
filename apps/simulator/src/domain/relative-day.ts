import { addDays, type MarketDate } from '@ssb/market';

/**
 * Fills in `{participant}` and days relative to today: `{today}`, `{today-14}`, `{today+3}` become yyyy-MM-dd. Whoever
 * knows the day on which a scenario was played can work out what it stated.
 */
export function fillIn(
  text: string,
  { participant, today }: { participant: string; today: MarketDate },
): string {
  return text
    .replaceAll('{participant}', participant)
    .replace(/\{today([+-]\d+)?\}/g, (_placeholder, days?: string) => addDays(today, Number(days ?? 0)));
}
