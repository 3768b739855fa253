import { compareDecimals, parseDecimal, parseJson, readBulkLine } from '@ssb/market';
import type { Taken } from './operator-side.js';

/** The thresholds of config/bridge.yaml. */
const WARNING = parseDecimal('250000.00');
const BREACH = parseDecimal('0.00');
const HYSTERESIS = parseDecimal('25000.00');
const RESTORED = parseDecimal('275000.00');

/**
 * What a bridge makes of the records that a market published, told without any of its code: the first statement and the first
 * invoice of each run, and each change of the margin's level. Sorted, each once.
 */
export function judgedEvents(taken: readonly Taken[]): [type: string, subject: string][] {
  const events = new Map<string, [string, string]>();
  const seen = new Set<string>();
  const levels = new Map<string, Level>();
  const state = (type: string, subject: string): void => {
    events.set(`${type} ${subject}`, [`settlementbus.${type}.v1`, subject]);
  };
  const stateFirst = (of: string, type: string, subject: string): void => {
    if (!seen.has(of)) state(type, subject);
    seen.add(of);
  };
  for (const { path, body } of taken) {
    const kind = path.split('/').at(-1);
    const reading = readBulkLine(`{"kind":${JSON.stringify(kind)},"record":${body}}`);
    if (!reading.ok)
      throw new Error(`no record: ${JSON.stringify(reading.issues)} ${String(parseJson(body))}`);
    const line = reading.value;
    if (line.kind === 'statements') {
      const { participantCode, marketService, periodFrom, designation } = line.record.statement;
      const run = `${participantCode}/${marketService}/${periodFrom.slice(0, 10)}/${designation}`;
      stateFirst(`statement ${run}`, 'statement.published', run);
    } else if (line.kind === 'invoices') {
      const { participantCode, marketService, periodFrom, designation, invoice } = line.record;
      const run = `${participantCode}/${marketService}/${periodFrom}/${designation}`;
      stateFirst(`invoice ${run}`, 'invoice.issued', `${run}/invoice/${invoice.id}`);
    } else if (line.kind === 'prudential' && line.record.calculation.isForecast !== true) {
      const { participantCode, calculation } = line.record;
      const before = levels.get(participantCode) ?? 'restored';
      const level = levelAfter(before, calculation.tradingMargin ?? '0');
      levels.set(participantCode, level);
      if (level !== before) state(`margin.${level}`, `${participantCode}/prudential`);
    }
  }
  return [...events.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event);
}

type Level = 'restored' | 'warning' | 'breached';

/** A level is left only at its threshold and the hysteresis. */
function levelAfter(before: Level, margin: string): Level {
  const isBelow = (threshold: typeof WARNING): boolean =>
    compareDecimals(parseDecimal(margin), threshold) < 0;
  if (isBelow(before === 'breached' ? HYSTERESIS : BREACH)) return 'breached';
  return isBelow(before === 'restored' ? WARNING : RESTORED) ? 'warning' : 'restored';
}
